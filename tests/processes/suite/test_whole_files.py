"""The order in which workers are given the files of tests."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from whole_files import LONGEST, WholeFiles

ROOT = Path(__file__).parents[3]


class Worker:
    """Keeps which tests it was given, by their numbers."""

    def __init__(self) -> None:
        self.given: list[int] = []

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.given += numbers


def test_the_files_that_take_longest_are_there() -> None:
    assert [file for file in LONGEST if not (ROOT / file).is_file()] == []


def test_they_come_first() -> None:
    tests = ["many.py::a", "many.py::b", f"{LONGEST[1]}::c", f"{LONGEST[0]}::d"]
    worker = Worker()
    # What a real one is made with is a whole run of pytest-xdist.
    scheduling = WholeFiles.__new__(WholeFiles)
    scheduling.assigned_work = {}
    scheduling.registered_collections = {worker: tests}
    scheduling.workqueue = OrderedDict()
    for test in tests:
        scheduling.workqueue.setdefault(test.partition("::")[0], {})[test] = False
    while scheduling.workqueue:
        scheduling._assign_work_unit(worker)
    assert worker.given == [3, 2, 0, 1]

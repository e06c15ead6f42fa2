"""Records of what the history keeps: each shape of a launch says how much of its kernel it is."""

from __future__ import annotations

from pathlib import Path

from kept_history import fingerprint, project, run

from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces
from advisor.runs.comparison.run_records import records_of_runs


def origins(folder: Path, *shapes: Fingerprint) -> list[str]:
    """Where the records of a kernel's shapes say that their numbers come from, the longest shape first."""
    places = KernelPlaces(project(folder), folder)
    found = records_of_runs([run(*shapes)], places, [], lambda _: True)
    kernels = [one for one in found.records if one.entity == "kernel"]
    return [one.readings["registers"].assumptions[0] for one in kernels]


def shape(milliseconds: float, launches: int, grid: int) -> Fingerprint:
    return fingerprint("scale", (milliseconds,), grid=grid, launches=launches, metrics={"registers": 16.0})


def test_a_shape_says_how_many_launches_and_how_much_time_are_its(tmp_path: Path) -> None:
    # 43 launches of 3 ms each, and one that takes a third of their time.
    long, short = origins(tmp_path, shape(43.0, 1, grid=1), shape(3.0, 43, grid=1024))
    assert long.endswith("grid 1024, block 256, 43 of 44 launches, 75% of the kernel's time.")
    assert short.endswith("grid 1, block 256, 1 of 44 launches, 25% of the kernel's time.")


def test_the_only_shape_says_nothing_of_it(tmp_path: Path) -> None:
    (only,) = origins(tmp_path, shape(1.0, 44, grid=1))
    assert only.endswith("grid 1, block 256.")

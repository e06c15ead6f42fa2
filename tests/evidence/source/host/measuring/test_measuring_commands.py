"""Clocks of every kind, and the commands by which notebooks measure: whether the time is that of a launch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from surveying import records, value

from advisor.evidence.source.analysis import analyse

PROGRAM = """import time
from datetime import datetime
from numba import cuda

@cuda.jit
def k(a):
    a[cuda.grid(1)] = 1.0

d = cuda.device_array(4096)
"""
WARM = "k[16, 256](d)\n"
UNWAITED = {
    "a date": "t = datetime.now()\nk[16, 256](d)\nprint(datetime.now() - t)\n",
    "the clock of Python 2": "t = time.clock()\nk[16, 256](d)\nprint(time.clock() - t)\n",
    "attributes": (
        "class Watch:\n    def run(self):\n        self.t = time.time()\n        k[16, 256](d)\n"
        "        self.t2 = time.time()\n        return self.t2 - self.t\n"
    ),
    "a launch by the number of tasks": "t = time.time()\nk.forall(4096)(d)\nprint(time.time() - t)\n",
}
WAITED = {
    "a copy as NumbaPro called it": (
        "t = datetime.now()\nk[16, 256](d)\nd.to_host()\nprint(datetime.now() - t)\n"
    ),
    "a date": "t = datetime.now()\nk[16, 256](d)\ncuda.synchronize()\nprint(datetime.now() - t)\n",
    "no difference": "t = datetime.now()\nk[16, 256](d)\nprint(datetime.now(), t)\n",
    "another attribute": (
        "class Watch:\n    def run(self):\n        self.t = time.time()\n        k[16, 256](d)\n"
        "        self.t2 = time.time()\n        return self.t2 - self.start\n"
    ),
    "an attribute that is set again": (
        "class Watch:\n    def run(self):\n        self.t = time.time()\n        k[16, 256](d)\n"
        "        self.t = 0\n        return time.time() - self.t\n"
    ),
    "a launch by the number of tasks": (
        "t = time.time()\nk.forall(4096)(d)\ncuda.synchronize()\nprint(time.time() - t)\n"
    ),
}
# The cell, whether it waits, and whether a kernel is compiled in the measured time.
COMMANDS = {
    "%time k[16, 256](d)": (False, True),
    "%timeit k[16, 256](d)": (False, False),
    "%timeit -n 100 k[16, 256](d)": (False, False),
    "%%time\nk[16, 256](d)": (False, True),
    "%%timeit\nk[16, 256](d)\nk[16, 256](d)": (False, False),
    "%time k[16, 256](d); cuda.synchronize()": (True, True),
    "%%timeit\nk[16, 256](d)\ncuda.synchronize()": (True, False),
    "%%time\nk[16, 256](d)\nr = d.copy_to_host()": (True, True),
}


@pytest.mark.parametrize("name", UNWAITED)
def test_times_of_launches(tmp_path: Path, name: str) -> None:
    (found,) = records(tmp_path, "measurement", PROGRAM + WARM + UNWAITED[name])
    assert value(found, "waits") is False


@pytest.mark.parametrize("name", WAITED)
def test_other_times(tmp_path: Path, name: str) -> None:
    found = records(tmp_path, "measurement", PROGRAM + WARM + WAITED[name])
    assert all(value(one, "waits") for one in found)


@pytest.mark.parametrize(
    ("decorator", "compiles"),
    [
        ("@cuda.jit", True),
        ("@cuda.jit(argtypes=None)", True),
        ('@cuda.jit("void(float64[:])")', False),
        ("@cuda.jit(argtypes=[float64[:]])", False),
    ],
)
def test_stated_types_are_compiled_before_the_clock(tmp_path: Path, decorator: str, compiles: bool) -> None:
    program = PROGRAM.replace("@cuda.jit", decorator) + UNWAITED["a date"]
    (found,) = records(tmp_path, "measurement", program)
    assert value(found, "compiles") is compiles


def _measured(folder: Path, *cells: str) -> list[tuple[object, object]]:
    book = {
        "cells": [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in cells],
        "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (folder / "book.ipynb").write_text(json.dumps(book))
    found = analyse([folder / "book.ipynb"], folder).records
    return [(value(one, "waits"), value(one, "compiles")) for one in found if one.entity == "measurement"]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_notebooks(tmp_path: Path, command: str) -> None:
    assert _measured(tmp_path, PROGRAM, command) == [COMMANDS[command]]


@pytest.mark.parametrize(
    "cell",
    ["k[16, 256](d)", "%time x = sum(range(10))", "%%capture\nk[16, 256](d)", "k[16, 256](d)  # %time it"],
)
def test_other_cells_measure_nothing(tmp_path: Path, cell: str) -> None:
    assert _measured(tmp_path, PROGRAM, cell) == []


def test_a_kernel_that_ran_before_is_not_compiled_in_the_measured_time(tmp_path: Path) -> None:
    assert _measured(tmp_path, PROGRAM, WARM, "%time k[16, 256](d)") == [(False, False)]


def test_a_launch_that_is_measured_with_and_without_a_wait_shows_the_difference(tmp_path: Path) -> None:
    waited = "%time k[16, 256](d); cuda.synchronize()"
    assert _measured(tmp_path, PROGRAM, WARM, "%time k[16, 256](d)", waited) == [(True, False)]
    other = "%time k[32, 128](d); cuda.synchronize()"
    assert _measured(tmp_path, PROGRAM, WARM, "%time k[16, 256](d)", other) == [(False, False), (True, False)]


def test_what_a_function_does_behind_the_launch_is_not_known(tmp_path: Path) -> None:
    assert _measured(tmp_path, PROGRAM, "%%time\nk[16, 256](d)\nshow(d)") == [(None, True)]

"""Launches that look alike from outside and do different work, or look different and do the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand
from recorded_launches import recorded

PROGRAM = """\
import warnings

import numpy as np
from numba import cuda

warnings.simplefilter("ignore")
TIMES = 3


def made_for(step, table):
    @cuda.jit
    def made(a, o):
        i = cuda.grid(1)
        o[i] = a[i * step] + table[0]

    return made


@cuda.jit
def repeated(a, o):
    i = cuda.grid(1)
    for k in range(TIMES):
        o[i + k * 1024] = a[i]


@cuda.jit
def steered(rounds, o):
    i = cuda.grid(1)
    for k in range(rounds[0]):
        o[i + k * 1024] = i


@cuda.jit
def first_column(a, o):
    i = cuda.grid(1)
    o[i] = a[i, 0]


@cuda.jit
def turned(o, ends):
    tile = cuda.shared.array(0, np.float32)
    i = cuda.threadIdx.x
    tile[i] = i
    if ends == 0:
        o[i] = tile[i]


@cuda.jit
def count_down(a):
    i = cuda.grid(1)
    while a[i] > 0:
        a[i] -= 1


a = cuda.to_device(np.arange(1 << 15, dtype=np.float32))
o = cuda.to_device(np.zeros(1 << 15, np.float32))
for step in (1, 2, 8, 1):
    made_for(step, (np.float32(step),))[4, 256](a, o)

repeated[4, 256](a, o)
TIMES = 8
repeated.recompile()
repeated[4, 256](a, o)

rounds = cuda.to_device(np.array([2]))
steered[4, 256](rounds, o)
steered[4, 256](rounds, o)
rounds.copy_to_device(np.array([20]))
steered[4, 256](rounds, o)

by_row = cuda.to_device(np.zeros((64, 64), np.float32))
by_column = cuda.to_device(np.zeros((64, 64), np.float32, order="F"))
for one in (by_row, by_column, by_row):
    first_column[1, 64](one, o)

stream = cuda.stream()
turned[1, 32, 0, 128](o, 0)
turned[1, 32, stream, 128](o, 0)
turned[1, 32, 0, 4096](o, 0)
turned[1, 32, 0, 128](o, 1)
stream.synchronize()

left = cuda.to_device(np.full(64, 5, np.int32))
count_down[1, 64](left)
count_down[1, 64](left)
"""
WARPS = 32  # 1,024 threads


@pytest.fixture(scope="module")
def launches(
    advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], list[dict[str, Any]]]:
    """A function that gives the launches of one kernel of the program, in order."""
    project: Path = tmp_path_factory.mktemp("alike")
    (project / ".git").mkdir()
    (project / "main.py").write_text(PROGRAM)
    done = advise("run", "main.py", cwd=project)
    assert done.status == 0, done.err
    query = (
        "SELECT kernel, counts, statistics FROM launches JOIN counts ON counts.id = launches.counts"
        " ORDER BY number"
    )
    rows = recorded(project, query)

    def of(kernel: str) -> list[dict[str, Any]]:
        return [{"counts": key, **json.loads(text)} for name, key, text in rows if name.endswith(kernel)]

    return of


def sectors(launches: list[dict[str, Any]], array: str, kind: str) -> list[int]:
    return [
        sum(one["sectors"] for one in each["accesses"] if (one["array"], one["kind"]) == (array, kind))
        for each in launches
    ]


def which_are_equal(launches: list[dict[str, Any]]) -> list[int]:
    """For each launch the number of the first with the same counts."""
    keys = [each["counts"] for each in launches]
    return [keys.index(key) for key in keys]


def test_closures_of_a_factory_tell_launches_apart(launches):
    made = launches("made")
    # Floats side by side, two apart, and a sector for each.
    assert sectors(made, "a", "load") == [WARPS * 4, WARPS * 8, WARPS * 32, WARPS * 4]
    assert which_are_equal(made) == [0, 1, 2, 0]


def test_a_constant_that_changes_between_compilations_tells_them_apart(launches):
    assert sectors(launches("repeated"), "o", "store") == [3 * WARPS * 4, 8 * WARPS * 4]


def test_contents_that_steer_a_loop_tell_them_apart(launches):
    steered = launches("steered")
    assert sectors(steered, "o", "store") == [2 * WARPS * 4, 2 * WARPS * 4, 20 * WARPS * 4]
    assert which_are_equal(steered) == [0, 0, 2]


def test_the_order_of_an_array_tells_them_apart(launches):
    # 64 rows of 256 bytes: a sector for each lane; in the other order eight lanes share one.
    by_order = launches("first_column")
    assert sectors(by_order, "a", "load") == [64, 8, 64]
    assert which_are_equal(by_order) == [0, 1, 0]


def test_shared_memory_and_scalars_tell_them_apart_but_no_stream_does(launches):
    turned = launches("turned")
    assert [each["shared_bytes"] for each in turned] == [128, 128, 4096, 128]
    assert sectors(turned, "o", "store") == [4, 4, 4, 0]
    assert which_are_equal(turned) == [0, 0, 2, 3]


def test_data_that_the_launch_before_changed_tells_them_apart(launches):
    first, second = launches("count_down")
    assert first["lane_instructions"] > second["lane_instructions"]
    # Nothing is left to count down.
    assert sectors([second], "a", "store") == [0]

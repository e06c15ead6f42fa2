"""The order of arrays in memory, from the host code that makes them to the sectors of an access.

Sectors by hand: 32 bytes each, 32 lanes, four bytes for each element unless the host says otherwise.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

from advisor.model.records import Record

KERNEL = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    for j in range(a.shape[1]):\n        a[i, j] = 1\n"


def stored(folder: Path, host: str, kernel: str = KERNEL) -> Record:
    found = records(folder, "access", "import cupy as cp\n" + kernel + host)
    return next(record for record in found if value(record, "kind") == "store")


def run(*lines: str) -> str:
    return "def run(n, m, p):\n" + "".join(f"    {line}\n" for line in lines) + "    k[8, 256](a)\n"


@pytest.mark.parametrize(
    "made",
    [
        "a = np.zeros((n, m), np.float32, order='F')",
        "a = np.zeros((n, m), np.float32, 'F')",
        "a = np.full((n, m), 1, np.float32, order='F')",
        "a = cp.empty((n, m), dtype=cp.float32, order='F')",
        "a = cuda.device_array((n, m), np.float32, order='F')",
        "a = cuda.mapped_array((n, m), np.float32, order='F')",
        "a = cuda.pinned_array((n, m), np.float32, None, 'F')",
        "a = np.asfortranarray(p)",
        "a = cuda.to_device(np.asfortranarray(p))",
        "a = np.array(p, order='F')",
        "a = cp.asarray(np.zeros((m, n), np.float32).T)",
        "a = np.zeros((m, n), np.float32).transpose()",
        "a = np.transpose(np.ones((m, n), np.float32))",
        "a = np.zeros((n, m), np.float32).copy(order='F')",
        "a = np.arange(n * m, dtype=np.float32).reshape((n, m), order='F')",
        "b = np.zeros((n, m), np.float32, order='F')\n    a = cuda.device_array_like(b)",
        "b = np.zeros((n, m), np.float64, order='F')\n    a = b.astype(np.float32)",
        "b = np.zeros((n, m), np.float32, order='F')\n    a = b * 2",
        "o = 'F'\n    a = np.zeros((n, m), np.float32, order=o)",
    ],
)
def test_lanes_along_the_first_index_of_a_column_major_array_lie_together(tmp_path: Path, made: str) -> None:
    access = stored(tmp_path, run(made))
    assert value(access, "lane_axis") == "fast"
    assert value(access, "sectors_per_request") == 4
    assert value(access, "lane_stride") == 1
    assert value(access, "thread_walks_fast_axis") is False


@pytest.mark.parametrize(
    "made",
    [
        "a = np.zeros((n, m), np.float32)",
        "a = np.zeros((n, m), np.float32, order='C')",
        "a = np.asfortranarray(p).copy().astype(np.float32)",
        "a = np.ascontiguousarray(np.asfortranarray(p))",
        "a = np.zeros((m, n), np.float32, order='F').T",
        "a = np.zeros((n, m), np.float32, order='F').reshape(m, n)",
        "a = cp.zeros((n, m), cp.float32)",
        "a = p",
        "a = make(n)",
        "a = p.T['name']",
    ],
)
def test_in_c_order_and_where_nothing_is_seen_they_lie_rows_apart(tmp_path: Path, made: str) -> None:
    access = stored(tmp_path, run(made))
    assert value(access, "lane_axis") == "slow"
    assert value(access, "sectors_per_request") == 32
    assert value(access, "thread_walks_fast_axis") is True


@pytest.mark.parametrize(
    "made",
    [
        "a = p.T",
        "a = np.zeros((n, m), np.float32, order=p)",
        "a = np.zeros((n, m, 4), np.float32).transpose(0, 2, 1)",
        "a = np.asfortranarray(p)[1:, ::2]",
        "a = np.zeros((n, m), np.float32)\n    if n:\n        a = np.asfortranarray(p)",
    ],
)
def test_no_number_where_the_order_may_be_either(tmp_path: Path, made: str) -> None:
    access = stored(tmp_path, run(made))
    assert value(access, "sectors_per_request") is None
    assert value(access, "lane_axis") is None


def test_an_access_that_is_alike_in_both_orders_keeps_its_number(tmp_path: Path) -> None:
    kernel = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[i, i] = 1\n"
    assert value(stored(tmp_path, run("a = p.T"), kernel), "sectors_per_request") == 32


def test_the_order_is_followed_through_functions_objects_and_calls(tmp_path: Path) -> None:
    made = "def make(n):\n    return np.zeros((n, n), np.float32, order='F')\n"
    held = "class Field:\n    def __init__(self, n):\n        self.a = make(n)\n"
    held += "    def step(self):\n        k[8, 256](self.a)\n"
    given = "def run(a):\n    k[8, 256](a)\n\ndef main(n):\n    run(make(n))\n"
    for host in (made + held, made + given):
        assert value(stored(tmp_path, host), "sectors_per_request") == 4


def test_a_function_that_other_code_is_given_gets_arrays_of_its_making(tmp_path: Path) -> None:
    host = "def run(a):\n    k[8, 256](a)\n"
    assert value(stored(tmp_path, host), "sectors_per_request") == 32
    handed = host + "from bench import measure\nmeasure(run)\n"
    assert value(stored(tmp_path, handed), "sectors_per_request") is None
    star = host + "from bench import *\nmeasure(run)\n"
    assert value(stored(tmp_path, star), "sectors_per_request") is None


@pytest.mark.parametrize(
    "given",
    [
        "def measure(f):\n    return f\nmeasure(run)\n",
        "from functools import partial\npartial(run)\n",
        "print(run)\n",
        "import bench\nbench.measure(run)\n",
    ],
)
def test_what_is_found_here_or_makes_no_arrays_leaves_the_assumption(tmp_path: Path, given: str) -> None:
    host = "def run(a):\n    k[8, 256](a)\n"
    assert value(stored(tmp_path, host + given), "sectors_per_request") == 32


def test_launches_with_both_orders_leave_no_number(tmp_path: Path) -> None:
    host = run("a = np.asfortranarray(p)") + "\ndef more(n):\n    k[8, 256](np.zeros((n, n), np.float32))\n"
    assert value(stored(tmp_path, host), "sectors_per_request") is None


def test_the_last_array_of_a_name_before_the_launch_counts(tmp_path: Path) -> None:
    first, second = "a = np.zeros((9, 9), np.float32)\n", "a = np.zeros((9, 9), np.float32, order='F')\n"
    assert value(stored(tmp_path, first + second + "k[8, 256](a)\n" + first), "lane_axis") == "fast"
    assert value(stored(tmp_path, second + first + "k[8, 256](a)\n" + second), "lane_axis") == "slow"


def test_columns_of_known_length(tmp_path: Path) -> None:
    # Lanes walk along the second axis: columns of four float32 are 16 bytes, so 32 lanes take 16 sectors.
    kernel = (
        "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    for j in range(a.shape[0]):\n        a[j, i] = 1\n"
    )
    access = stored(tmp_path, run("a = np.zeros((4, 512), np.float32, order='F')"), kernel)
    assert value(access, "sectors_per_request") == 16
    assert value(access, "lane_stride") == 4
    reading = access.readings["sectors_per_request"]
    assert (
        "Array `a` is column-major where a launch makes it, with elements of 4 bytes." in reading.assumptions
    )
    assert "A column of `a` has 4 elements where a launch makes it." in reading.assumptions


FACTORY = "def make_kernel():\n" + "".join(f"    {line}\n" for line in [*KERNEL.splitlines(), "return k"])


@pytest.mark.parametrize(
    ("program", "sectors"),
    [
        (KERNEL, 32),
        (KERNEL + "from bench import measure\nmeasure(k)\n", None),
        (FACTORY, 32),
        (FACTORY + "from bench import measure\nmeasure([9], make_kernel)\n", None),
        (FACTORY + "from bench import measure\nmeasure([9], make=make_kernel)\n", None),
        (FACTORY + "def setup(n):\n    return {'k': make_kernel()}\n", 32),
        (FACTORY + "def setup(n):\n    return {'k': make_kernel()}\nfrom bench import m\nm(setup)\n", None),
        (KERNEL.replace("@cuda.jit\n", "").replace("def k", "def f") + "k = cuda.jit(f)\n", 32),
    ],
)
def test_a_kernel_handed_to_code_that_launches_it_unseen(
    tmp_path: Path, program: str, sectors: float | None
) -> None:
    assert value(stored(tmp_path, "", program), "sectors_per_request") == sectors

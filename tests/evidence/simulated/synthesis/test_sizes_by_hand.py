"""The sizes of launches that are made up, computed by hand from those of knowledge/machine/synthesis.toml:
16384, 512², 96³ and loops of 64; odd 9001, 419², 75³ and 37.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requests_of_texts import request_of_text

from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.evidence.simulated.synthesis.sizes import LaunchSizes, sizes, variants_of

GUARDED = """
    def k(a, n):
        i = cuda.grid(1)
        if i < n:
            a[i] = 0
    """
IMAGE = """
    def k(a, h, w):
        x, y = cuda.grid(2)
        if x < w and y < h:
            a[y * w + x] = 0
    """


def made(
    types: str,
    source: str,
    launch: KnownLaunch | None = None,
    kind: str = "round",
    shrink: int = 1,
    memory: int = 1 << 30,
) -> LaunchSizes:
    request, code = request_of_text(types, source, launch or KnownLaunch(), memory)
    variant = next(one for one in variants_of(request) if one.sizes == kind)
    return sizes(request, code, variant, shrink)


def _of_each_kind(types: str, source: str) -> list[LaunchSizes]:
    return [made(types, source, kind=kind) for kind in ("round", "aligned", "odd")]


def test_one_axis() -> None:
    found = made("f n", GUARDED)
    assert (found.block, found.grid) == ((256, 1, 1), (64, 1, 1))
    assert (found.shapes, found.scalars) == ({"a": (16384,)}, {"n": 16384.0})
    assert found.assumptions == ("The block shape is not known here; 256 threads are assumed.",)
    odd = made("f n", GUARDED, kind="odd")
    # 36 blocks of 256 threads are 9,216.
    assert (odd.grid, odd.shapes, odd.scalars) == ((36, 1, 1), {"a": (9001,)}, {"n": 9001.0})


def test_two_axes_and_a_product() -> None:
    found = made("f n n", IMAGE)
    assert (found.block, found.grid) == ((16, 16, 1), (32, 32, 1))
    # (512 - 1) * 512 + (512 - 1) + 1
    assert found.shapes == {"a": (512 * 512,)}
    odd = made("f n n", IMAGE, kind="odd")
    # 419 / 32 and 419 / 8
    assert (odd.block, odd.grid, odd.shapes) == ((32, 8, 1), (14, 53, 1), {"a": (419 * 419,)})


def test_three_axes_and_a_product_of_three() -> None:
    source = """
        def k(a, n, w, h):
            i, j, l = cuda.grid(3)
            if i < n and j < w and l < h:
                a[i * w * h + j * h + l] = 0
        """
    found = made("f n n n", source)
    assert (found.block, found.grid) == ((8, 8, 4), (12, 12, 24))
    assert found.shapes == {"a": (96**3,)}


def test_blocks_of_one_axis_in_a_grid_of_two() -> None:
    source = """
        def k(a):
            row = cuda.blockIdx.y
            x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
            if row < a.shape[0] and x < a.shape[1]:
                a[row, x] = 0
        """
    found = made("ff", source)
    # Rows have a block each: their warps lie side by side, not one above the other.
    assert (found.block, found.grid, found.shapes) == ((256, 1, 1), (2, 512, 1), {"a": (512, 512)})


def test_rows_that_loops_go_along() -> None:
    source = """
        def k(a, b):
            i = cuda.grid(1)
            if i < a.shape[0]:
                for j in range(a.shape[1]):
                    b[i] += a[i, j]
        """
    assert made("ff f", source).shapes == {"a": (2048, 64), "b": (2048,)}
    assert made("ff f", source, kind="odd").shapes == {"a": (1901, 37), "b": (1901,)}


def test_one_constant_says_nothing_of_what_lies_beside_it() -> None:
    source = """
        def k(a, b, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = a[i, 0] + b[0, i] + b[1, i]
        """
    # One element or as many as loops go along; of `b` two rows are used, and those are all.
    rows = [(one.shapes["a"][1], one.shapes["b"][0]) for one in _of_each_kind("ff ff f", source)]
    assert rows == [(1, 2), (48, 2), (37, 2)]


def test_constants_bound_axes() -> None:
    source = """
        def k(a, b):
            i = cuda.grid(1)
            if i < a.shape[0]:
                for d in range(3):
                    a[i, d] = b[2]
        """
    assert made("ff f", source).shapes == {"a": (2048, 3), "b": (3,)}


def test_no_guard_takes_all_threads() -> None:
    assert made("f", "def k(a):\n    a[cuda.grid(1)] = 0", kind="odd").shapes == {"a": (36 * 256,)}


def test_rows_as_long_as_the_threads_begin_anywhere_in_odd_sizes() -> None:
    source = """
        def k(a):
            x, y = cuda.grid(2)
            a[y, x] = 0
        """
    # 14 blocks of 32 threads along x are 448, 53 of 8 along y 424.
    assert made("ff", source, kind="odd").shapes == {"a": (424, 451)}
    assert made("ff", source, kind="aligned").shapes == {"a": (416, 416)}
    known = KnownLaunch(shapes={"a": (424, 448)})
    assert made("ff", source, known, kind="odd").shapes == {"a": (424, 448)}


def test_data_that_may_be_short_are_less_than_a_block() -> None:
    request, code = request_of_text("f n", GUARDED, KnownLaunch(block=(128, 1, 1)))
    one = next(variant for variant in variants_of(request) if variant.short)
    found = sizes(request, code, one)
    assert (found.grid, found.shapes, found.scalars) == ((1, 1, 1), {"a": (65,)}, {"n": 65.0})


def test_of_several_axes_one_is_short() -> None:
    request, code = request_of_text("f n n", IMAGE, KnownLaunch(block=(16, 8, 1)))
    short = {one.name: sizes(request, code, one) for one in variants_of(request) if one.short}
    assert {name: (one.grid, one.scalars["w"], one.scalars["h"]) for name, one in short.items()} == {
        "one block": ((1, 1, 1), 9.0, 5.0),
        "short rows": ((1, 7, 1), 9.0, 50.0),
        "short columns": ((4, 1, 1), 50.0, 5.0),
    }


def test_a_generator_for_each_thread() -> None:
    source = "def k(states, a):\n    i = cuda.grid(1)\n    a[i] = uniform(states, i)"
    assert made("states f", source, kind="odd").shapes == {"states": (9216,), "a": (9216,)}


def test_a_neighbour_has_room() -> None:
    source = GUARDED.replace("a[i] = 0", "a[i + 2] = 0")
    assert made("f n", source).shapes == {"a": (16386,)}
    assert made("f n", source).scalars == {"n": 16384.0}


def test_the_second_half_has_room() -> None:
    source = GUARDED.replace("a[i] = 0", "a[i + n] = a[i]")
    assert made("f n", source).shapes == {"a": (2 * 16384,)}


def test_rows_between_bounds() -> None:
    source = """
        def k(begins, values, y):
            i = cuda.grid(1)
            if i < y.size:
                for j in range(begins[i], begins[i + 1]):
                    y[i] += values[j]
        """
    # One bound more than rows, of which each has 16 elements.
    assert made("i f f", source).shapes == {"begins": (16385,), "values": (16385 * 16,), "y": (16384,)}


def _blocks(source: str, launch: KnownLaunch | None = None) -> set[tuple[int, ...]]:
    """The blocks of all launches that do not tell of edges alone."""
    request, code = request_of_text("ff", source, launch or KnownLaunch())
    return {sizes(request, code, one).block for one in variants_of(request) if not one.is_of_edges}


PLANE = """
    def k(a):
        x, y = cuda.grid(2)
        part = cuda.shared.array(SHAPE, float32)
        part[cuda.threadIdx.x] = a[y, x]
        a[y, x] = part[0]
    """


def test_a_shared_array_of_one_axis_tells_no_block_of_two() -> None:
    assert _blocks(PLANE.replace("SHAPE", "128")) == {(16, 16, 1), (32, 8, 1), (8, 8, 1)}
    assert _blocks(PLANE.replace("SHAPE", "(16, 16)")) == {(16, 16, 1)}
    # A launch of which the block is not known beside one of which it is.
    assert _blocks(PLANE.replace("SHAPE", "128"), KnownLaunch((16, 16, 1))) == {(16, 16, 1)}
    some = KnownLaunch((16, 16, 1), any_block=True)
    assert _blocks(PLANE.replace("SHAPE", "128"), some) == {(16, 16, 1), (8, 8, 1)}


def test_a_shared_array_of_one_axis_may_be_longer_than_the_block() -> None:
    row = PLANE.replace("x, y = cuda.grid(2)", "x = cuda.grid(1)\n        y = 0")
    assert _blocks(row.replace("SHAPE", "512")) == {(512, 1, 1), (32, 1, 1)}


def test_a_block_of_the_shared_array() -> None:
    source = """
        def k(a):
            tile = cuda.shared.array((32, 33), float32)
            x, y = cuda.grid(2)
            a[y, x] = tile[cuda.threadIdx.y, cuda.threadIdx.x]
        """
    found = made("ff", source)
    assert (found.block, found.grid, found.shapes) == ((32, 32, 1), (16, 16, 1), {"a": (512, 512)})
    assert found.assumptions == (
        "Blocks of 32 x 32 threads are assumed, those of an array in shared memory.",
    )


def test_blocks_of_a_number() -> None:
    source = "def k(a):\n    i = cuda.blockIdx.x * 1024 + cuda.threadIdx.x\n    a[i] = 0"
    # 64 blocks of 256 threads: the last one begins at 63 * 1024.
    assert made("f", source).shapes == {"a": (63 * 1024 + 256,)}


def test_a_guarded_sum_leaves_threads_idle() -> None:
    source = """
        def k(a):
            i = cuda.grid(1) * 4
            for d in range(4):
                if i + d < a.size:
                    a[i + d] = 0
        """
    # 9216 threads, of which 9001 have four elements.
    assert made("f", source, kind="odd").shapes == {"a": (4 * 9001,)}


def test_what_the_source_says_comes_first() -> None:
    launch = KnownLaunch(block=(128, 1, 1), grid=(10, 1, 1), scalars={"n": 1200.0})
    found = made("f n", GUARDED, launch)
    assert (found.block, found.grid, found.shapes) == ((128, 1, 1), (10, 1, 1), {"a": (1200,)})
    assert found.assumptions == ()
    # Of the grid alone, so many elements; odd ones leave half of the last block idle.
    grid = KnownLaunch(block=(128, 1, 1), grid=(10, 1, 1))
    assert made("f n", GUARDED, grid).scalars == {"n": 1280.0}
    assert made("f n", GUARDED, grid, kind="odd").scalars == {"n": 1280.0 - 65}
    shape = KnownLaunch(shapes={"a": (5000,)})
    found = made("f n", GUARDED, shape, kind="odd")
    assert (found.grid, found.shapes, found.scalars) == ((20, 1, 1), {"a": (5000,)}, {"n": 5000.0})
    # A shape with other axes is that of another array.
    assert made("f n", GUARDED, KnownLaunch(shapes={"a": (7, 7)})).shapes == {"a": (16384,)}


def test_scalars() -> None:
    source = "def k(a, seed, wide, t, x, z, flag):\n    i = cuda.grid(1)\n    a[t, i] = seed * wide + x"
    found = made("ff n short n x z flag", source)
    assert found.scalars == {"seed": 5.0, "wide": 5.0, "t": 5.0, "x": 1.0, "z": 1.125, "flag": 1.0}
    stated = KnownLaunch(scalars={"seed": 1e9, "x": 0.25, "t": -1})
    found = made("ff n short n x z flag", source, stated, shrink=8)
    assert (found.scalars["seed"], found.scalars["x"], found.scalars["t"]) == (1e9, 0.25, -1.0)


def test_a_scalar_holds_what_its_type_can() -> None:
    assert made("f short", GUARDED).scalars == {"n": 127.0}


def test_less_where_there_is_no_time() -> None:
    cubic = """
        def k(a, n):
            i = cuda.grid(1)
            if i < a.shape[0]:
                for x in range(n):
                    for y in range(n):
                        for z in range(n):
                            a[i] += z
        """
    # 16384 / 8 along the axis of the launch; 64 / 8 ** (2 / 3) in loops.
    found = made("f n", cubic, shrink=8)
    assert (found.grid, found.shapes, found.scalars) == ((8, 1, 1), {"a": (2048,)}, {"n": 16.0})
    found = made("f n", cubic, shrink=64)
    assert (found.grid, found.shapes, found.scalars) == ((1, 1, 1), {"a": (256,)}, {"n": 4.0})
    known = made("f n", cubic, KnownLaunch(scalars={"n": 1000.0}), shrink=64)
    assert known.scalars == {"n": 15.0}


def test_less_where_there_is_no_memory() -> None:
    source = """
        def k(a, b, n):
            i = cuda.grid(1)
            if i < n:
                b[i] = a[i]
        """
    launch = KnownLaunch(block=(256, 1, 1), grid=(1 << 16, 1, 1), scalars={"n": float(1 << 24)})
    # Two arrays of 64 MiB where both together may have 64 MiB.
    found = made("f f n", source, launch)
    assert found.shapes == {"a": (1 << 23,), "b": (1 << 23,)}
    assert (found.grid, found.scalars) == ((1 << 15, 1, 1), {"n": float(1 << 23)})
    # And where a quarter of the limit is 1 MiB.
    assert made("f f n", source, launch, memory=4 << 20).shapes == {"a": (1 << 17,), "b": (1 << 17,)}


def test_less_of_a_product_is_less_of_its_factors() -> None:
    source = """
        def k(a, n, w, h):
            i, j, l = cuda.grid(3)
            if i < n and j < w and l < h:
                a[(i * w + j) * h + l] = 0
        """
    launch = KnownLaunch(scalars={"n": 2048.0, "w": 512.0, "h": 512.0})
    found = made("f n n n", source, launch)
    n, w, h = (int(found.scalars[name]) for name in "nwh")
    assert found.shapes == {"a": (n * w * h,)}
    assert 4 * n * w * h == 64 << 20


@pytest.mark.parametrize("kind", ["round", "odd"])
def test_what_is_not_understood_has_sizes_too(kind: str) -> None:
    found = made("fff i n", "def k(a, b, n):\n    a[b[0], hash(n), 3] = 0", kind=kind)
    assert all(one >= 8 for one in found.shapes["a"][:2])
    assert found.shapes["a"][2] == 4
    assert found.shapes["b"] == (1,)


@settings(max_examples=60, deadline=None)
@given(
    block=st.none() | st.tuples(*[st.integers(0, 64)] * 3),
    grid=st.none() | st.tuples(*[st.integers(1, 1 << 20)] * 3),
    shape=st.none() | st.tuples(st.none() | st.integers(0, 1 << 40)),
    scalar=st.none() | st.floats(-1e12, 1e12),
    kind=st.sampled_from(["round", "aligned", "odd"]),
    shrink=st.sampled_from([1, 8, 64, 1 << 20]),
)
def test_whatever_a_launch_is_said_to_be(
    block: tuple[int, int, int] | None,
    grid: tuple[int, int, int] | None,
    shape: tuple[int | None, ...] | None,
    scalar: float | None,
    kind: str,
    shrink: int,
) -> None:
    launch = KnownLaunch(
        block,
        grid,
        {} if shape is None else {"a": shape},
        {} if scalar is None else {"h": scalar, "w": scalar},
    )
    found = made("f n n", IMAGE, launch, kind, shrink)
    assert 0 < math.prod(found.block) <= 1024
    assert all(one > 0 for one in found.grid)
    assert 0 < 4 * math.prod(found.shapes["a"]) <= 64 << 20

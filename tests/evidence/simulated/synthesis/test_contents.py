"""What made-up arrays hold: indices in what they index, row bounds that rise, states that are no zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from requests_of_texts import request_of_text

from advisor.evidence.simulated.synthesis.contents import contents, scalar
from advisor.evidence.simulated.synthesis.sizes import Variant, sizes

ORDERED, RANDOM = Variant("ordered", 1, ordered=True), Variant("random", 2)
WIDE = Variant("wide", 3, reals=255.0)
REPEATED = Variant("repeated", 4, repeated=True)
NOTHING = "def k(a):\n    i = cuda.grid(1)\n    a[i] = a[i]"


def held(types: str, source: str, name: str, variant: Variant, count: int | None = None) -> npt.NDArray[Any]:
    request, code = request_of_text(types, source)
    slot = next(one for one in code.slots if one.name == name)
    return contents(request, slot, sizes(request, code, variant), variant, count)


@pytest.mark.parametrize("variant", [ORDERED, RANDOM])
def test_an_array_has_its_type_and_its_elements(variant: Variant) -> None:
    for kind, dtype in (("f", "<f4"), ("i", "<i4"), ("byte", "|i1"), ("b", "|b1"), ("c", "<c8")):
        found = held(kind, NOTHING, "a", variant)
        assert (found.dtype, found.shape) == (np.dtype(dtype), (16384,))
        assert len(np.unique(found)) > 1 or (kind, variant) == ("b", ORDERED)
        assert held(kind, NOTHING, "a", variant, 10).shape == (10,)
        assert held(kind, NOTHING, "a", variant, 0).shape == (0,)


def test_masks_leave_warps_nearly_full() -> None:
    assert held("b", NOTHING, "a", ORDERED).all()
    assert 0.92 < held("b", NOTHING, "a", RANDOM).mean() < 0.95


def test_the_same_again_and_other_data_in_another_variant() -> None:
    assert np.array_equal(held("f", NOTHING, "a", RANDOM), held("f", NOTHING, "a", RANDOM))
    assert not np.array_equal(held("f", NOTHING, "a", RANDOM), held("f", NOTHING, "a", ORDERED))


def test_integers_that_index_nothing_are_small() -> None:
    assert held("i", NOTHING, "a", ORDERED)[:10].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    assert set(held("i", NOTHING, "a", RANDOM).tolist()) == set(range(8))


@pytest.mark.parametrize("variant", [ORDERED, RANDOM])
def test_indices_lie_in_all_that_they_index(variant: Variant) -> None:
    source = """
        def k(index, a, b):
            i = cuda.grid(1)
            if i < index.size:
                a[index[i]] = b[index[i] % 40]
                for j in range(40):
                    b[j] = 0
                b[index[i]] = 0
        """
    found = held("i f f", source, "index", variant)
    assert found.min() == 0
    assert found.max() == 16383
    small = """
        def k(index, a):
            i = cuda.grid(1)
            if i < index.size:
                a[index[i], 0] = 0
        """
    assert held("i ff", small, "index", variant).max() == 511
    # Of 16384 elements a byte reaches the first 127.
    assert held("byte f f", source, "index", variant).max() == 126


@pytest.mark.parametrize("variant", [ORDERED, RANDOM])
def test_indices_of_points_and_of_rows_lie_in_what_they_index(variant: Variant) -> None:
    points = """
        def k(index, a):
            i = cuda.grid(1)
            if i < index.size:
                a[3 * index[i] + 2] = 0
        """
    # The last of 16384 elements that begins three.
    assert held("i f", points, "index", variant).max() == 16384 // 3 - 1
    rows = """
        def k(index, a, w):
            i = cuda.grid(1)
            if i < index.size:
                for j in range(w):
                    a[index[i] * w + j] = 0
        """
    assert held("i f n", rows, "index", variant).max() == 16384 // 64 - 1


def test_neighbours_choose_the_same_where_indices_repeat() -> None:
    source = "def k(index, a):\n    i = cuda.grid(1)\n    if i < index.size:\n        a[index[i]] = 0"
    found = held("i f", source, "index", REPEATED)
    assert found[:24].tolist() == [0] * 8 + [1] * 8 + [2] * 8
    assert found.max() == 16384 // 8 - 1
    # What chooses nothing is as random as ever, and bounds of rows are.
    assert held("i", NOTHING, "a", REPEATED)[:24].tolist() != found[:24].tolist()
    assert len(set(held("i", NOTHING, "a", REPEATED)[:8].tolist())) > 2


@pytest.mark.parametrize("variant", [ORDERED, RANDOM])
def test_row_bounds_rise_up_to_the_end(variant: Variant) -> None:
    source = """
        def k(begins, values, y):
            i = cuda.grid(1)
            if i < y.size:
                for j in range(begins[i], begins[i + 1]):
                    y[i] += values[j]
        """
    found = held("i f f", source, "begins", variant)
    assert (np.diff(found) >= 0).all()
    assert found.max() <= 16385 * 16
    assert np.diff(found).mean() > 10
    assert (len(set(np.diff(found).tolist())) == 1) == variant.ordered


def test_floats_of_which_indices_are_made() -> None:
    scaled = "def k(a, bins, n):\n    i = cuda.grid(1)\n    bins[int(a[i] * n)] = 0"
    for variant in (ORDERED, RANDOM, WIDE):
        found = held("f f n", scaled, "a", variant)
        assert found.min() >= 0
        assert found.max() < 1
    plain = "def k(a, bins):\n    i = cuda.grid(1)\n    if i < a.size:\n        bins[int(a[i])] = 0"
    for variant in (ORDERED, RANDOM):
        found = held("f f", plain, "a", variant)
        assert found.min() >= 0
        assert 16000 < found.max() < 16384
    assert held("f", NOTHING, "a", RANDOM).min() < 0


def test_locks_and_counters_begin_as_zero() -> None:
    lock = "def k(mutex, a):\n    while cuda.atomic.cas(mutex, 0, 0, 1) != 0:\n        pass\n    a[0] += 1"
    counter = "def k(count, a):\n    a[cuda.atomic.add(count, 0, 1)] = 0"
    bins = "def k(count, a):\n    cuda.atomic.add(count, cuda.grid(1), 1)"
    assert not held("i f", lock, "mutex", RANDOM).any()
    assert not held("i f", counter, "count", RANDOM).any()
    assert held("i f", bins, "count", RANDOM).any()


def test_records() -> None:
    states = held("states", NOTHING, "a", RANDOM)
    assert (states["s0"] > 1 << 32).mean() > 0.9
    assert states["s1"].all()
    assert not np.array_equal(states["s0"], states["s1"])
    points = held("points f", "def k(p, a):\n    i = cuda.grid(1)\n    a[p[i].cell] = 0", "p", RANDOM)
    assert points["at"].shape == (16384, 2)
    assert 16000 < points["cell"].max() < 16384


def test_scalars_have_their_types() -> None:
    request, code = request_of_text("f n short x z flag", "def k(a, n, s, x, z, flag):\n    a[0] = n")
    made = sizes(request, code, ORDERED)
    found = {one.name: scalar(one, made) for one in code.slots if one.kind == "scalar"}
    assert {name: value.dtype.str for name, value in found.items()} == {
        "n": "<i8", "s": "|i1", "x": "<f8", "z": "<c16", "flag": "|b1",
    }  # fmt: skip
    assert found["z"] == 1.125 * (1 + 0.5j)
    assert found["flag"]

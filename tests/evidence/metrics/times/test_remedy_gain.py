"""What remedies gain at all their places, calculated by hand on a device with round numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_counterfactual import DEVICE, IDLE, MILLION, STRIDED

from advisor.evidence.metrics.times.remedy_gain import remedy_gain
from advisor.model.remedies import CountChange

EIGHTH = 4 / 32


def sectors(after, share=(1.0, 1.0), kind="load", place="a.py:3:a:load"):
    return CountChange("sectors", after, share, kind, place)


def bounds(counts, *changes):
    found = remedy_gain(changes, (counts,), DEVICE)
    assert found is not None
    return found.least, found.most


def test_a_stream_of_32_sectors_to_4_is_eight_times_as_fast():
    assert bounds(STRIDED, sectors(EIGHTH)) == pytest.approx((8.0, 8.0))


def test_a_place_changes_its_own_part_of_the_sectors():
    # Half of the sectors to an eighth leaves 0.5 + 0.5 / 8 of them.
    assert bounds(STRIDED, sectors(EIGHTH, (0.5, 0.5))) == pytest.approx((1 / 0.5625, 1 / 0.5625))


def test_places_add_up():
    halves = [sectors(EIGHTH, (0.5, 0.5), place=f"a.py:{line}:a:load") for line in (3, 4)]
    assert bounds(STRIDED, *halves) == pytest.approx((8.0, 8.0))


def test_one_place_that_two_findings_change_is_changed_once():
    half = sectors(EIGHTH, (0.5, 0.5))
    assert bounds(STRIDED, half, replace(half, after=0.5)) == bounds(STRIDED, half)


def test_a_part_within_bounds_gives_a_gain_within_bounds():
    least, most = bounds(STRIDED, sectors(EIGHTH, (0.5, 1.0)))
    assert least == pytest.approx(1 / 0.5625)
    assert most == pytest.approx(8.0)


def test_stores_and_updates_change_what_is_stored():
    # 16 sectors loaded and 16 stored by each warp; all of them count half.
    counts = replace(STRIDED, load_sectors=16 * MILLION)
    half = (0.5, 0.5)
    for kind in ("load", "store"):
        assert bounds(counts, sectors(EIGHTH, half, kind)) == pytest.approx((1 / 0.5625, 1 / 0.5625))
    update = sectors(EIGHTH, (1.0, 1.0), "update")
    assert bounds(counts, update) == pytest.approx((8.0, 8.0))


def test_loads_that_go_take_their_sectors_with_them():
    # A million requests of 32 sectors beside as many of one, which go.
    counts = replace(
        STRIDED, load_requests=2 * MILLION, load_sectors=33 * MILLION, l1_sectors=33 * MILLION,
        l2_sectors=33 * MILLION, dram_bytes=32 * 33 * MILLION, stores_per_warp=0.0,
    )  # fmt: skip
    request = CountChange("requests", 0.0, (0.5, 0.5), "load", "a.py:3:a:load")
    sector = sectors(0.0, (1 / 33, 1 / 33))
    assert bounds(counts, request, sector) == pytest.approx((33 / 32, 33 / 32))


def test_float64_becomes_float32():
    # A float64 instruction takes a multiprocessor 16 cycles, a float32 one a quarter at most.
    counts = replace(IDLE, issue_slots=MILLION, fp64_slots=MILLION)
    least, most = bounds(counts, CountChange("fp64", 0.0))
    assert 1.0 < least == most
    (half, _) = bounds(counts, CountChange("fp64", 0.5))
    assert 1.0 < half < least


def test_idle_lanes_of_22_by_22_threads():
    # 484 threads need 15.125 warps and have 16: 484 / 512 of the instructions would do.
    counts = replace(IDLE, issue_slots=4e9)
    assert bounds(counts, CountChange("instructions", 484 / 512)) == pytest.approx((512 / 484, 512 / 484))


def test_registers_that_might_spill_gain_between_nothing_and_what_more_warps_gain():
    # 40 registers let six blocks of eight warps be resident, 32 eight; warps wait for load after load.
    waiting = replace(
        STRIDED, registers=40.0, resident_blocks=6.0, theoretical_occupancy=0.75, load_rounds_per_warp=100.0,
        loads_per_warp=100.0, loads_past_l1=1.0, loads_past_l2=1.0,
    )  # fmt: skip
    least, most = bounds(waiting, CountChange("registers", 32.0))
    assert least == 1.0
    assert 1.2 < most <= 8 / 6


def test_what_is_not_known_gains_nothing_that_could_be_told():
    unknown = replace(STRIDED, load_sectors=None)
    assert remedy_gain((sectors(EIGHTH),), (unknown,), DEVICE) is None
    assert remedy_gain((sectors(EIGHTH),), (STRIDED, unknown), DEVICE) is None
    assert remedy_gain((sectors(EIGHTH),), (), DEVICE) is None


def test_of_several_possible_counts_the_least_and_the_most_hold():
    computing = replace(STRIDED, issue_slots=4e9)
    found = remedy_gain((sectors(EIGHTH),), (STRIDED, computing), DEVICE)
    assert found is not None
    assert found.least < 1.01 < found.most == pytest.approx(8.0)


shares = st.floats(0.0, 1.0)


def test_of_a_kernel_of_which_nothing_is_left_no_gain_is_told():
    assert remedy_gain((sectors(0.0, (1.0, 1.0)),), (STRIDED,), DEVICE) is None


@given(shares, shares, st.floats(1e-9, 1.0))
def test_a_smaller_part_never_gains_more(one, other, after):
    small, large = sorted((one, other))
    changes = [sectors(after, (share, share)) for share in (small, large)]
    assert bounds(STRIDED, changes[0])[1] <= bounds(STRIDED, changes[1])[1] * (1 + 1e-9)

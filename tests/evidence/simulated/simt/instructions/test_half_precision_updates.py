"""Atomic sums of float16, alone and two in a register, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from warp_program import LANES, execute

from advisor.evidence.simulated.simt.unsupported import Unsupported

# Lanes 2k and 2k + 1 update one word; they take effect one after the other, the lower first.
PLACE = "shr.u32 %r1, %r0, 1;\nmul.wide.u32 %x4, %r1, 4;\nmov.u64 %x5, tile;\nadd.s64 %x4, %x5, %x4;"


def bits(numbers: np.ndarray) -> np.ndarray:
    """A register of two halves for each lane."""
    return np.ascontiguousarray(numbers.astype(np.float16)).view(np.uint32)


def halves(registers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(registers).view(np.float16)


def test_two_sums_in_a_register_round_each_by_itself():
    given = np.random.default_rng(3).normal(size=(LANES, 2)).astype(np.float16) * 100
    lines = f"""{PLACE}
mov.u32 %r2, 0;
st.shared.u32 [%x4], %r2;
bar.sync 0;
atom.shared.add.noftz.f16x2 %d0, [%x4], %a0;
bar.sync 0;
ld.shared.u32 %d1, [%x4];
"""
    found, _, _ = execute(lines, bits(given), 2)
    pairs = given.reshape(LANES // 2, 2, 2)
    before = np.stack([np.zeros_like(pairs[:, 0]), pairs[:, 0]], 1).reshape(LANES, 2)
    after = np.repeat(pairs[:, 0] + pairs[:, 1], 2, 0)
    assert np.array_equal(halves(found[:, :1]), before)
    assert np.array_equal(halves(found[:, 1:]), after)


def test_subnormal_numbers_are_kept():
    least = np.full((LANES, 2), np.float16(6e-8))
    lines = f"""{PLACE}
mov.u32 %r2, 0;
st.shared.u32 [%x4], %r2;
bar.sync 0;
red.shared.add.noftz.f16x2 [%x4], %a0;
bar.sync 0;
ld.shared.u32 %d0, [%x4];
"""
    found, _, _ = execute(lines, bits(least), 1)
    assert np.array_equal(halves(found), 2 * least)


def test_one_sum_leaves_its_neighbour_alone():
    given = np.stack([np.arange(LANES), np.full(LANES, 7)], 1).astype(np.float16)
    lines = f"""{PLACE}
st.shared.u32 [%x4], %a0;
bar.sync 0;
cvt.u16.u32 %h1, %a0;
atom.shared.add.noftz.f16 %h2, [%x4], %h1;
bar.sync 0;
ld.shared.u32 %d0, [%x4];
"""
    found, _, _ = execute(lines, bits(given), 1)
    pairs = given[:, 0].reshape(LANES // 2, 2)
    # What the higher lane had stored, and both values on top of it.
    expected = np.repeat(pairs[:, 1] + pairs[:, 0] + pairs[:, 1], 2)
    assert np.array_equal(halves(found)[:, 0], expected) and (halves(found)[:, 1] == 7).all()


@pytest.mark.parametrize("operation", ["min.noftz.f16x2", "add.noftz.bf16x2"])
def test_others_are_not_executed_and_say_so(operation: str):
    with pytest.raises(Unsupported, match=operation.split(".")[0]):
        execute(f"{PLACE}\natom.shared.{operation} %d0, [%x4], %a0;", bits(np.ones((LANES, 2))), 1)

"""`redux.sync` against NumPy, and `atom.cas` of 16 bits."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from warp_program import LANES, execute

from advisor.evidence.simulated.simt.unsupported import Unsupported

DRAWN = np.random.default_rng(5).integers(0, 1 << 32, (LANES, 1), dtype=np.uint32)
SMALL = np.arange(LANES, dtype=np.uint32).reshape(LANES, 1)
OPERATIONS = {
    "add.u32": lambda a: int(a.sum(dtype=np.uint64)) % (1 << 32),
    "add.s32": lambda a: int(a.sum(dtype=np.uint64)) % (1 << 32),
    "min.u32": lambda a: int(a.min()),
    "max.u32": lambda a: int(a.max()),
    "min.s32": lambda a: int(a.view(np.int32).min()) % (1 << 32),
    "max.s32": lambda a: int(a.view(np.int32).max()) % (1 << 32),
    "and.b32": lambda a: reduce(int.__and__, map(int, a)),
    "or.b32": lambda a: reduce(int.__or__, map(int, a)),
    "xor.b32": lambda a: reduce(int.__xor__, map(int, a)),
}


@pytest.mark.parametrize("values", [DRAWN, SMALL, DRAWN | 0x80000000, DRAWN & 0x7FFFFFFF])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_lanes_get_one_value_of_all(operation: str, values: np.ndarray) -> None:
    found, execution, _ = execute(f"redux.sync.{operation} %d0, %a0, 0xffffffff;", values, 1)
    assert (found == OPERATIONS[operation](values[:, 0])).all()
    assert execution.defects == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_lanes_of_a_branch_leave_out_the_others(operation: str) -> None:
    lines = f"""mov.u32 %d0, 7;
setp.lt.u32 %c0, %r0, 11;
@%c0 redux.sync.{operation} %d0, %a0, 0x7ff;
"""
    found, execution, _ = execute(lines, DRAWN, 1)
    assert (found[:11] == OPERATIONS[operation](DRAWN[:11, 0])).all()
    assert (found[11:] == 7).all()
    assert execution.defects == []


def test_lanes_that_give_different_masks_are_reduced_apart() -> None:
    # Sums by hand: 0 + … + 15 = 120 and 16 + … + 31 = 376.
    lines = """mov.u32 %r1, 0xffff;
setp.ge.u32 %c0, %r0, 16;
@%c0 mov.u32 %r1, 0xffff0000;
redux.sync.add.u32 %d0, %a0, %r1;
"""
    found, _, _ = execute(lines, SMALL, 1)
    assert found[:, 0].tolist() == [120] * 16 + [376] * 16


def test_a_lane_outside_of_its_mask_is_noted() -> None:
    _, execution, _ = execute("redux.sync.add.u32 %d0, %a0, 0xfffffffe;", SMALL, 1)
    assert len(execution.defects) == 1


def test_floats_are_not_reduced_and_it_says_so() -> None:
    with pytest.raises(Unsupported, match="redux"):
        execute("redux.sync.min.f32 %d0, %a0, 0xffffffff;", SMALL, 1)


def test_sixteen_bits_are_swapped_where_they_are_equal_and_their_neighbour_stays() -> None:
    # Each lane has a word: its low half is its number, its high half 99. Even lanes compare with theirs.
    lines = """mul.wide.u32 %x4, %r0, 4;
mov.u64 %x5, tile;
add.s64 %x4, %x5, %x4;
st.shared.u32 [%x4], %a0;
and.b32 %r1, %r0, 30;
cvt.u16.u32 %h0, %r1;
mov.u16 %h1, 1000;
atom.shared.relaxed.cta.cas.b16 %h2, [%x4], %h0, %h1;
cvt.u32.u16 %d0, %h2;
ld.shared.u32 %d1, [%x4];
"""
    lanes = np.arange(LANES, dtype=np.uint32)
    found, _, _ = execute(lines, (lanes | 99 << 16).reshape(LANES, 1), 2)
    assert found[:, 0].tolist() == lanes.tolist()
    assert (found[:, 1] >> 16).tolist() == [99] * LANES
    assert (found[:, 1] & 0xFFFF).tolist() == [1000 if lane % 2 == 0 else lane for lane in range(LANES)]

"""Policies of the caches are hints: accesses that name one move what they move without it."""

from __future__ import annotations

import numpy as np
import pytest
from warp_program import LANES, execute

from advisor.evidence.simulated.simt.ptx.ptx_operands import read_operand
from advisor.evidence.simulated.simt.ptx.ptx_program import Float

POLICY = "createpolicy.fractional.L2::evict_last.b64 %x7, 1.0;"
GIVEN = np.arange(LANES, dtype=np.uint32).reshape(LANES, 1) * 3 + 1


def test_loads_and_stores_take_a_policy():
    lines = f"""{POLICY}
ld.global.L1::evict_last.L2::cache_hint.b32 %d0, [%x2], %x7;
st.global.L1::evict_first.L2::cache_hint.b32 [%x3+4], %a0, %x7;
ld.global.b32 %d1, [%x3+4];
"""
    given = np.repeat(GIVEN, 2, 1)
    found, _, _ = execute(lines, given, 2)
    assert np.array_equal(found, given)


def test_an_atomic_operation_does_not_add_its_policy():
    lines = f"""{POLICY}
mov.u64 %x4, tile;
mov.u32 %r2, 0;
st.shared.u32 [%x4], %r2;
bar.sync 0;
red.global.add.L2::cache_hint.u32 [%x3], %a0, %x7;
ld.global.b32 %d0, [%x3];
"""
    found, _, _ = execute(lines, GIVEN, 1)
    assert np.array_equal(found, GIVEN)


@pytest.mark.parametrize(("text", "value"), [("1.0", 1.0), ("-0.5", -0.5), ("2.", 2.0), ("1.5e-3", 1.5e-3)])
def test_decimal_numbers_have_64_bits(text: str, value: float):
    found = read_operand(text)
    assert isinstance(found, Float) and found.width == 64
    assert np.uint64(found.bits).view(np.float64) == value


@pytest.mark.parametrize("text", ["1.0.0", ".", "1.0f", "e5.0"])
def test_what_is_no_number_is_refused(text: str):
    with pytest.raises(ValueError, match="no operand"):
        read_operand(text)

"""Loads of parameters that are chosen at run time, as `tl.where` of two pointers has them."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported

LANES = 32
TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 one, .param .u64 other, .param .u32 limit)
{{
.reg .pred %p<2>;
.reg .b32 %r<3>;
.reg .b64 %x<9>;
ld.param.u64 %x0, [out];
ld.param.u32 %r1, [limit];
mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, {chosen}, %r1;
mov.b64 %x1, one;
mov.b64 %x2, other;
selp.b64 %x3, %x1, %x2, %p0;
{more}
ld.param.b64 %x4, [%x3{offset}];
mul.wide.u32 %x5, %r0, 8;
add.s64 %x6, %x0, %x5;
st.global.u64 [%x6], %x4;
ret;
}}
"""


def stored(chosen: str, limit: int, more: str = "", offset: str = "") -> list[int]:
    """What each lane loads: 100 from `one`, 200 from `other`."""
    kernel = compile_kernel(read_ptx(TEXT.format(chosen=chosen, more=more, offset=offset)), "k")
    memory = DeviceMemory()
    found = np.zeros(LANES, np.uint64)
    out = memory.upload(found)
    values = [(value).to_bytes(size, "little") for value, size in ((out, 8), (100, 8), (200, 8), (limit, 4))]
    run(kernel, Launch((1, 1, 1), (LANES, 1, 1), pack_parameters(kernel.function, values)), memory)
    memory.download(out, found)
    return found.tolist()


@pytest.mark.parametrize(("limit", "expected"), [(3, 200), (4, 100)])
def test_all_lanes_choose_one(limit: int, expected: int) -> None:
    # 3 < limit picks `one`.
    assert stored("3", limit) == [expected] * LANES


def test_lanes_choose_apart() -> None:
    assert stored("%r0", 5) == [100] * 5 + [200] * 27


@pytest.mark.parametrize(
    ("more", "offset"),
    [("add.s64 %x3, %x3, 8;", ""), ("mov.b64 %x3, 24;", ""), ("", "+8"), ("", "-8")],
    ids=["computed", "a number", "beyond", "before"],
)
def test_an_address_that_is_no_named_parameter_is_refused(more: str, offset: str) -> None:
    with pytest.raises(Unsupported, match="parameter"):
        stored("%r0", 5, more, offset)

"""Different addresses of constant memory in a request: its cache answers them one after the other."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Kernel, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Site, Space

WORDS = 64
BOTH = pytest.mark.parametrize(
    "how", [Settings(), Settings(detailed_lanes=1 << 60)], ids=["fast", "detailed"]
)
# Each lane loads the word whose number it finds in the data; a negative number leaves it out.
HEAD = f"""
.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 table[{4 * WORDS}];
.visible .entry k(.param .u64 p)
{{
.reg .pred %p<2>;
.reg .b32 %r<4>;
.reg .b64 %x<9>;
mov.u32 %r0, %tid.x;
ld.param.u64 %x0, [p];
mov.u64 %x3, table;
"""
GATHER = """mul.wide.u32 %x1, %r0, 8;
add.s64 %x1, %x0, %x1;
ld.global.s64 %x2, [%x1];
setp.ge.s64 %p0, %x2, 0;
shl.b64 %x4, %x2, 2;
add.s64 %x3, %x3, %x4;
@%p0 ld.const.u32 %r1, [%x3];
ret;
}
"""
ROW = "mul.wide.u32 %x1, %r0, 4; add.s64 %x3, %x3, %x1; ld.const.u32 %r1, [%x3]; ret;\n}\n"
ONE = "ld.const.u32 %r1, [table+8]; ret;\n}\n"


def compiled(body: str) -> Kernel:
    return compile_kernel(read_ptx(HEAD + body.replace("; ", ";\n")), "k")


@cache
def gathering() -> Kernel:
    return compiled(GATHER)


def addresses(kernel: Kernel, how: Settings, lanes: int = 32, places: list[int | None] | None = None) -> int:
    """The addresses that a warp's loads of constant memory are counted with."""
    data = np.array([-1 if place is None else place for place in places or [0] * 32], np.int64)
    memory = DeviceMemory()
    parameters = pack_parameters(kernel.function, [memory.upload(data).to_bytes(8, "little")])
    execution = run(kernel, Launch((1, 1, 1), (lanes, 1, 1), parameters), memory, how)
    (site,) = [one.number for one in kernel.warp.accesses.values() if one.space == Space.CONSTANT]
    return int(execution.sites[site][Site.DISTINCT])


@BOTH
@pytest.mark.parametrize("lanes", [1, 7, 32])
def test_lanes_side_by_side_read_as_many_addresses(how: Settings, lanes: int) -> None:
    assert addresses(compiled(ROW), how, lanes) == lanes


@BOTH
def test_all_lanes_at_one_place_read_one(how: Settings) -> None:
    assert addresses(compiled(ONE), how) == 1


@BOTH
@pytest.mark.parametrize(
    ("places", "expected"),
    [([5] * 32, 1), ([*range(0, 64, 2)], 32), ([number // 4 for number in range(32)], 8), ([None] * 32, 0)],
)
def test_gathered_addresses(how: Settings, places: list[int | None], expected: int) -> None:
    assert addresses(gathering(), how, places=places) == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, WORDS - 1)), min_size=32, max_size=32), st.booleans())
def test_any_places(places: list[int | None], closely: bool) -> None:
    how = Settings(detailed_lanes=1 << 60) if closely else Settings()
    assert addresses(gathering(), how, places=places) == len({one for one in places if one is not None})

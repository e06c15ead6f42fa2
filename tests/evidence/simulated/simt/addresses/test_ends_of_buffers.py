"""What counts as inside where a buffer ends within a word."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Defect

# One thread, one access at the offset that the second parameter tells; rooted at the first parameter, or an
# address that is computed so that nothing tells its buffer.
TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 offset)
{{
.reg .b16 %h<2>;
.reg .b32 %r<3>;
.reg .b64 %x<5>;
ld.param.u64 %x0, [p];
ld.param.u64 %x1, [offset];
{address}
{access};
ret;
}}
"""
ROOTED = "add.s64 %x2, %x0, %x1;"
ANYWHERE = "xor.b64 %x4, %x0, -1;\nsub.s64 %x2, %x1, %x4;\nsub.s64 %x2, %x2, 1;"
LOADS = {
    1: "ld.global.u8 %h0, [%x2]",
    2: "ld.global.u16 %h0, [%x2]",
    4: "ld.global.u32 %r0, [%x2]",
    8: "ld.global.u64 %x3, [%x2]",
}
SWAP = "atom.global.cas.b32 %r0, [%x2], 0, 5"
STORE = "st.global.u32 [%x2], 5"
BOTH = pytest.mark.parametrize(
    "how", [Settings(), Settings(detailed_lanes=1 << 60)], ids=["fast", "detailed"]
)
ADDRESSES = pytest.mark.parametrize("address", [ROOTED, ANYWHERE], ids=["rooted", "anywhere"])


def executed(how: Settings, address: str, access: str, buffer_bytes: int, offset: int) -> Execution:
    """The access to a buffer of so many bytes; another buffer has none of its addresses."""
    kernel = compile_kernel(read_ptx(TEXT.format(address=address, access=access)), "k")
    memory = DeviceMemory()
    begin = memory.upload(np.zeros(buffer_bytes, np.uint8))
    values = [begin.to_bytes(8, "little"), offset.to_bytes(8, "little", signed=True)]
    launch = Launch((1, 1, 1), (1, 1, 1), pack_parameters(kernel.function, values))
    return run(kernel, launch, memory, how)


@BOTH
@ADDRESSES
@pytest.mark.parametrize("access", [LOADS[4], SWAP], ids=["load", "swap"])
@pytest.mark.parametrize(("buffer_bytes", "offset"), [(2, 0), (1, 0), (6, 4), (7, 4)])
def test_a_word_of_which_the_buffer_holds_a_part_is_inside(
    how: Settings, address: str, access: str, buffer_bytes: int, offset: int
) -> None:
    execution = executed(how, address, access, buffer_bytes, offset)
    assert execution.defects == []
    assert execution.loaded_sectors + execution.stored_sectors == 1


@BOTH
@ADDRESSES
@pytest.mark.parametrize(
    ("buffer_bytes", "access", "offset"),
    [
        (2, LOADS[1], 2),  # the element behind the last one, of one byte and of two
        (2, LOADS[2], 2),
        (6, LOADS[2], 6),
        (8, LOADS[4], 8),  # the word behind a whole one
        (2, LOADS[4], 4),
        (2, LOADS[4], -4),
        (4, LOADS[8], 0),  # half of what is loaded
        (6, LOADS[8], 0),
        (2, STORE, 0),  # no compiler writes bytes beside an element
        (8, SWAP, 8),
    ],
)
def test_what_begins_behind_a_buffer_is_outside_and_so_are_long_words_and_stores_beyond_it(
    how: Settings, address: str, buffer_bytes: int, access: str, offset: int
) -> None:
    execution = executed(how, address, access, buffer_bytes, offset)
    assert [Defect(one.kind) for one in execution.defects] == [Defect.OUT_OF_BOUNDS]

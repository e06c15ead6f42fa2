"""What kernels print: C's formats, block after block, the last bytes of it, nothing outside of memory."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import cuda, float64, int64
from numba_launch import compiled

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.host.printing import Arguments, PrintedText, formatted
from advisor.evidence.simulated.simt.vector.layout import LOCAL_WINDOW, SHARED_WINDOW

ARGUMENTS_AT = 0x1000


def printed_with(text: str, content: bytes, *rest: tuple[int, bytes]) -> str:
    """What a format gives with arguments of these bytes, `rest` are other places in memory."""

    def read(address: int, size: int) -> bytes | None:
        for begin, held in ((ARGUMENTS_AT, content), *rest):
            if begin <= address and address + size <= begin + len(held):
                return held[address - begin : address - begin + size]
        return None

    return formatted(text, Arguments(ARGUMENTS_AT, read))


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("%d of %d%%", struct.pack("<ii", 3, -4), "3 of -4%"),
        # A number of 8 bytes lies at a multiple of 8.
        ("%d %lld", struct.pack("<i4xq", 1, -(1 << 40)), "1 -1099511627776"),
        ("%5.1f|%-6d|", struct.pack("<di", 2.25, 7), "  2.2|7     |"),
        ("%c%x %p", struct.pack("<iI", 65, 255) + struct.pack("<Q", 4096), "Aff 0x1000"),
        ("%s!", struct.pack("<Q", 0x9000), "hello!"),
    ],
)
def test_formats_of_c(text, content, expected):
    assert printed_with(text, content, (0x9000, b"hello\0")) == expected


@pytest.mark.parametrize(
    ("text", "content"),
    [("%d", b""), ("%d", b"\0\0"), ("%s", b""), ("%s", struct.pack("<Q", 8)), ("%f", b"\0" * 7)],
)
def test_arguments_outside_of_memory_are_not_read(text, content):
    assert printed_with(text, content) == "(outside of memory)"


def test_a_text_without_an_end_and_a_wide_field_are_cut():
    assert printed_with("%s", struct.pack("<Q", 0x9000), (0x9000, b"x" * 70)) == "x" * 70
    assert len(printed_with("%s", struct.pack("<Q", 0x9000), (0x9000, b"x" * 9000))) <= 4200
    assert len(printed_with("%99999999d", struct.pack("<i", 1))) == 4096
    assert len(printed_with("%.99999999f", struct.pack("<d", 1))) == 4098


def test_the_last_bytes_are_kept_and_the_lines_before_counted():
    printed = PrintedText(capacity=20)
    for number in range(100):
        printed.add(0, f"line {number}\n")
    assert printed.text() == "line 98\nline 99\n"
    assert printed.lines_left_out == 98


@given(st.data())
def test_what_is_kept_does_not_depend_on_who_runs_first(data):
    lines = [
        (block, f"{block}: {'x' * data.draw(st.integers(0, 9))}\n") for block in range(6) for _ in range(3)
    ]
    capacity = data.draw(st.integers(0, 200))
    waiting = {block: [one for one in lines if one[0] == block] for block in range(6)}
    mixed = PrintedText(capacity)
    while left := [block for block, held in waiting.items() if held]:
        mixed.add(*waiting[data.draw(st.sampled_from(left))].pop(0))
    whole = "".join(text for _, text in lines)
    kept = mixed.text()
    assert whole.endswith(kept) and len(kept) <= capacity
    assert mixed.lines_left_out == len(lines) - kept.count("\n")
    # The next line would not have fitted.
    if len(kept) < len(whole):
        first = whole[: -len(kept) or None].splitlines(keepends=True)[-1]
        assert len(first) + len(kept) > capacity


def says(x, y):
    i = cuda.grid(1)
    if i < x.size:
        print("element", i, x[i], y[i])


@pytest.mark.parametrize("settings", [Settings(), Settings(threads=2), Settings(detailed_lanes=1 << 60)])
def test_a_kernel_prints_block_after_block(settings):
    kernel = compiled(says, int64[::1], float64[::1])
    x = np.arange(500)
    execution = kernel.launch(10, 64, x, x / 2, settings=settings)
    assert execution.printed.splitlines() == [f"element {i} {i} {i / 2:f}" for i in range(500)]
    assert execution.lines_left_out == 0


VPRINTF = """
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf
(
.param .b64 vprintf_param_0,
.param .b64 vprintf_param_1
)
;
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
.reg .b32 %r<4>;
.reg .b64 %x<4>;
.shared .align 8 .b8 tile[16];
mov.u64 %x2, tile;
st.shared.u64 [%x2], 7;
ld.param.u64 %x0, [p0];
ld.param.u64 %x1, [p1];
{
.param .b64 param0;
st.param.b64 [param0+0], %x0;
.param .b64 param1;
st.param.b64 [param1+0], %x1;
.param .b32 retval0;
call.uni (retval0),
vprintf,
(
param0,
param1
);
ld.param.b32 %r1, [retval0+0];
}
ret;
}
"""


def vprintf(memory: DeviceMemory, text: int, arguments: int, **options: int) -> Execution:
    """A launch of one thread that prints with these addresses."""
    kernel = compile_kernel(read_ptx(VPRINTF), "k")
    values = [(one % (1 << 64)).to_bytes(8, "little") for one in (text, arguments)]
    launch = Launch((1, 1, 1), (1, 1, 1), pack_parameters(kernel.function, values), **options)
    return run(kernel, launch, memory)


WILD = [0, 8, 1 << 40, 1 << 63, -1, -8, SHARED_WINDOW + 9, SHARED_WINDOW - 1, LOCAL_WINDOW, LOCAL_WINDOW + 4]


@pytest.mark.parametrize("address", WILD)
def test_addresses_that_a_kernel_makes_up_are_not_read(address):
    memory = DeviceMemory()
    text = memory.upload(np.frombuffer(b"%lld\n\0", np.uint8))
    assert vprintf(memory, text, address).printed == "(outside of memory)\n"
    assert vprintf(memory, text, SHARED_WINDOW).printed == "7\n"
    if not 0 <= address - SHARED_WINDOW < 16:
        assert vprintf(memory, address, text).printed == "(outside of memory)"


def test_the_launch_says_how_much_is_kept():
    memory = DeviceMemory()
    text = memory.upload(np.frombuffer(b"%lld\n\0", np.uint8))
    found = vprintf(memory, text, SHARED_WINDOW, print_bytes=1)
    assert (found.printed, found.lines_left_out) == ("", 1)

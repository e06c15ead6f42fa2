"""Loads of shared memory that ptxas joins, by hand; those of a loop are what ptxas 13 makes of it."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.statistics import statistics

HEAD = """.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<40>; .reg .f64 %fd<9>; .reg .pred %p<3>;
.shared .align {align} .b8 s[4096];
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
"""
FOUR = "".join(f"ld.shared.f32 %f{number}, [{{base}}+{4 * number}]; " for number in range(4))
ROW = "shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3; "


def counted(body: str, align: int = 16) -> tuple[int, int, int, int]:
    """Requests and wavefronts of shared memory, and of those what wider loads bring along."""
    text = HEAD.format(align=align) + body.replace("; ", ";\n") + "ret;\n}\n"
    kernel = compile_kernel(read_ptx(text), "k")
    memory = DeviceMemory()
    data = memory.upload(np.zeros(64, np.float32))
    launch = Launch((1, 1, 1), (32, 1, 1), pack_parameters(kernel.function, [data.to_bytes(8, "little")]))
    found = statistics(kernel, launch, run(kernel, launch, memory), {}).accesses
    names = ("requests", "wavefronts", "joined_requests", "joined_wavefronts")
    return tuple(sum(getattr(one, name) for one in found if one.space == "shared") for name in names)  # type: ignore[return-value]


CASES = [
    ("four words at one place", FOUR.format(base="s"), 16, (4, 4, 3, 3)),
    # 16 bytes apart lanes 0, 8, 16 and 24 meet in a bank: four wavefronts, as one load of 512 bytes has.
    ("four words of each lane", ROW + FOUR.format(base="%r4"), 16, (4, 16, 3, 12)),
    ("declared for single words", ROW + FOUR.format(base="%r4"), 4, (4, 16, 0, 0)),
    ("declared for pairs", ROW + FOUR.format(base="%r4"), 8, (4, 16, 2, 8)),
    ("an index of single words", "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3; " + FOUR.format(base="%r4"), 16,
     (4, 4, 0, 0)),
    ("words that do not begin a group", "ld.shared.f32 %f1, [s+4]; ld.shared.f32 %f2, [s+8]; ", 16,
     (2, 2, 0, 0)),
    ("a pair and a single word", "ld.shared.f32 %f1, [s+8]; ld.shared.f32 %f2, [s+12]; "
     "ld.shared.f32 %f3, [s+16]; ", 16, (3, 3, 1, 1)),
    ("a pair of doubles", "ld.shared.f64 %fd1, [s+16]; ld.shared.f64 %fd2, [s+24]; ", 16, (2, 2, 1, 1)),
    ("a barrier between", "ld.shared.f32 %f1, [s]; bar.sync 0; ld.shared.f32 %f2, [s+4]; ", 16, (2, 2, 0, 0)),
    ("a store between", "ld.shared.f32 %f1, [s]; st.shared.f32 [s+64], %f1; ld.shared.f32 %f2, [s+4]; ", 16,
     (3, 3, 0, 0)),
    ("another base", "ld.shared.f32 %f1, [%r2]; add.s32 %r2, %r2, 16; ld.shared.f32 %f2, [%r2+4]; ", 16,
     (2, 2, 0, 0)),
    ("under a predicate", "setp.lt.s32 %p1, %r1, 8; @%p1 ld.shared.f32 %f1, [s]; "
     "@%p1 ld.shared.f32 %f2, [s+4]; ", 16, (2, 2, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "align", "expected"), CASES, ids=[one[0] for one in CASES])
def test_joined_loads(name: str, body: str, align: int, expected: tuple[int, int, int, int]) -> None:
    assert counted(body, align) == expected


def test_the_loop_of_a_tiled_product() -> None:
    """Steps of `sum += first[row * 32 + j] * second[j * 32 + column]`: four of the first are one load."""
    loads = "".join(
        f"ld.shared.f32 %f1, [%r4+{4 * step}]; ld.shared.f32 %f2, [%r6+{128 * step}]; " for step in range(24)
    )
    place = "shl.b32 %r3, %r1, 7; and.b32 %r3, %r3, 128; add.s32 %r4, %r2, %r3; shl.b32 %r5, %r1, 2; "
    requests, _, joined, _ = counted(place + "add.s32 %r6, %r2, %r5; " + loads)
    assert (requests, joined) == (48, 24 - 24 // 4)

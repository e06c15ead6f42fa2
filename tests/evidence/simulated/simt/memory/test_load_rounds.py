"""How often a warp waits for loads, by hand for a few blocks of PTX."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.simt.load_rounds import load_rounds
from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module

HEAD = """.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .shared .align 4 .b8 s[64];
"""

BLOCKS = [
    ("nothing", "mov.u32 %r1, 1; add.s32 %r2, %r1, 1;", 0),
    ("two that do not need each other", "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2];", 1),
    (
        "the use between them may be moved behind",
        "ld.global.f32 %f1, [%rd1]; add.f32 %f3, %f1, %f1;ld.global.f32 %f2, [%rd2];",
        1,
    ),
    (
        "an address that was loaded",
        "ld.global.u64 %rd3, [%rd1]; add.s64 %rd4, %rd3, 8;ld.global.f32 %f2, [%rd4+4];",
        2,
    ),
    (
        "a chain of three",
        "ld.global.u64 %rd3, [%rd1]; ld.global.u64 %rd4, [%rd3]; ld.global.u64 %rd5, [%rd4];",
        3,
    ),
    (
        "a store of what was loaded",
        "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1;ld.global.f32 %f2, [%rd3];",
        2,
    ),
    (
        "a store of what was there",
        "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f5;ld.global.f32 %f2, [%rd3];",
        1,
    ),
    ("a barrier", "ld.global.f32 %f1, [%rd1]; bar.sync 0; ld.global.f32 %f2, [%rd3];", 2),
    ("shared memory does not count", "ld.shared.f32 %f1, [s]; ld.param.u64 %rd1, [p];", 0),
    ("local memory does", "ld.local.f32 %f1, [%rd1];", 1),
    ("vectors", "ld.global.v2.u64 {%rd3, %rd4}, [%rd1]; ld.global.f32 %f1, [%rd4];", 2),
    (
        "an atomic gives its old value",
        "atom.global.add.u32 %r1, [%rd1], 1; cvt.u64.u32 %rd3, %r1;ld.global.f32 %f1, [%rd3];",
        2,
    ),
    (
        "a register that is given again",
        "ld.global.u64 %rd3, [%rd1]; mov.u64 %rd3, 4096;ld.global.f32 %f1, [%rd3];",
        1,
    ),
]


@pytest.mark.parametrize(("name", "body", "rounds"), BLOCKS, ids=[one[0] for one in BLOCKS])
def test_rounds(name: str, body: str, rounds: int) -> None:
    text = HEAD + body.replace(";", ";\n") + "ret;\n}\n"
    assert load_rounds(known_module(text).functions["k"].instructions) == rounds

"""The longest chain of dependent instructions, by hand for a few blocks of PTX."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.simt.machine_code.chains import longest_chain
from advisor.evidence.simulated.simt.machine_code.slots import machine_slots
from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module

HEAD = """.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<20>; .reg .f64 %fd<9>; .shared .align 4 .b8 s[64];
"""
LOAD = "ld.global.f32 %f1, [%rd1]; "
STORE = "st.global.f32 [%rd1], %f9;"

# The load, the store and the return take a slot each.
BLOCKS = [
    ("one behind the other", "add.f32 %f2, %f1, %f1; mul.f32 %f9, %f2, %f1; ", {"arithmetic": 2}),
    (
        "side by side: the longer of both",
        "add.f32 %f2, %f1, %f1; add.f32 %f3, %f1, %f1; fma.rn.f32 %f4, %f3, %f3, %f1;add.f32 %f9, %f4, %f2; ",
        {"arithmetic": 3},
    ),
    (
        "kinds",
        "ex2.approx.f32 %f2, %f1; cvt.f64.f32 %fd1, %f2; add.f64 %fd2, %fd1, %fd1;cvt.rn.f32.f64 %f9, %fd2; ",
        {"special": 3, "fp64": 1},
    ),
    (
        "what takes longer counts, not what has more steps",
        "add.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f2; ex2.approx.f32 %f4, %f1; add.f32 %f9, %f4, %f3; ",
        {"special": 1, "arithmetic": 1},
    ),
    ("shared memory", "ld.shared.f32 %f2, [s]; add.f32 %f9, %f2, %f1; ", {"shared": 1, "arithmetic": 1}),
    ("an exchange", "shfl.sync.down.b32 %f9, %f1, 1, 31, -1; ", {"shared": 1}),
    ("a division is a program", "div.rn.f32 %f9, %f1, %f1; ", {"arithmetic": 9}),
    ("what ptxas leaves out", "mov.f32 %f9, %f1; ", {"issue": 3}),
    (
        "as many as slots at least",
        "".join(f"add.f32 %f{number}, %f1, %f1; " for number in range(2, 12)),
        {"arithmetic": 1, "issue": 10 + 3 - 4},
    ),
]


@pytest.mark.parametrize(("name", "body", "chain"), BLOCKS, ids=[one[0] for one in BLOCKS])
def test_chains(name: str, body: str, chain: dict[str, int]) -> None:
    text = HEAD + (LOAD + body + STORE).replace(";", ";\n") + "ret;\n}\n"
    function = known_module(text).functions["k"]
    assert longest_chain(function.instructions, machine_slots(function)) == chain

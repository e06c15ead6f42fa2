"""Calls of device functions are replaced by their instructions."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.simt.ptx.inlining import inlined
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported

PTX = """
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) twice(.param .b32 value)
{{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value];
    add.u32 %r2, %r1, %r1;
    {inner}
    st.param.b32 [result], %r2;
    ret;
}}
.visible .entry k()
{{
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    {{
        .param .b32 given;
        st.param.b32 [given], %r1;
        .param .b32 back;
        call.uni (back), twice, (given);
        ld.param.b32 %r2, [back];
    }}
    ret;
}}
"""


def test_registers_of_the_callee_are_its_own():
    module = read_ptx(PTX.format(inner=""))
    function = inlined(module, module.functions["k"])
    assert [item.opcode for item in function.instructions].count("call") == 0
    (add,) = (item for item in function.instructions if item.opcode == "add")
    assert add.operands[0].name not in ("%r1", "%r2")
    assert function.type_of(add.operands[0].name) == "b32"


def test_recursion_is_refused():
    text = PTX.format(inner="call.uni (result), twice, (value);")
    module = read_ptx(text)
    with pytest.raises(Unsupported, match="twice calls itself"):
        inlined(module, module.functions["k"])

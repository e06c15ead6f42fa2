"""What the machine does not execute is named, with its place in the source."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported, plain_name

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .loc 1 17 5
    {}
    ret;
}}
.file 1 "/somewhere/kernels/blur.py"
"""


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("vadd.s32.u32.s32.sat %r0, %r1, %r2;", "vadd.s32.u32.s32.sat"),
        ("add.noftz.s32 %r1, %r2, %r3;", "add.noftz.s32"),
        ("bogus.u32 %r1, %r2;", "bogus.u32"),
    ],
)
def test_an_instruction_with_its_line(statement, named):
    with pytest.raises(Unsupported) as caught:
        compile_kernel(read_ptx(PTX.format(statement)), "k")
    assert str(caught.value).startswith(
        f"unsupported PTX instruction {named} at blur.py:17 (line 10 of the PTX)"
    )
    assert (caught.value.instruction, caught.value.line) == (named, 10)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("ld.param.u64 %rd1, [p+8];", "a place outside of the parameter"),
        ("ld.param.u64 %rd1, [p+4];", "a place outside of the parameter"),
        ("ld.param.u64 %rd1, [p+-8];", "a place outside of the parameter"),
        ("ld.param.v2.u32 {%r1, %r2}, [p+4];", "a place outside of the parameter"),
        ("ld.param.u64 %rd1, [%rd2];", "the address of a parameter that the text does not name"),
        ("ld.param.u64 %rd1, [q];", "the address of a parameter that the text does not name"),
    ],
)
def test_a_place_outside_of_the_parameters_is_not_read(statement, reason):
    with pytest.raises(Unsupported) as caught:
        compile_kernel(read_ptx(PTX.format(statement)), "k")
    assert reason in str(caught.value)


def test_a_part_of_a_parameter_is_read():
    compile_kernel(read_ptx(PTX.format("ld.param.u32 %r1, [p+4];")), "k")


@pytest.mark.parametrize(
    ("mangled", "plain"),
    [
        ("_ZN8__main__9factorialB2v1B38c8tJTIeE", "factorial"),
        ("_ZN3pkg3mod12kernel_firstE5ArrayIfE", "kernel_first"),
        ("_Z3addii", "add"),
        ("kernel", "kernel"),
        ("_ZN", "_ZN"),
    ],
)
def test_plain_names(mangled, plain):
    assert plain_name(mangled) == plain

"""PTX read into a program: every construct by hand, and all that the compiler makes of real kernels."""

from __future__ import annotations

import re
import struct

import pytest
from ptx_text import HEAD, body

from advisor.evidence.simulated.simt.ptx.ptx_operands import read_operand, split_operands
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Float,
    Group,
    Integer,
    Location,
    Parameter,
    Register,
    SpecialRegister,
    Symbol,
)
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, read_ptx


def only(line: str):
    (found,) = read_ptx(body(line)).functions["k"].instructions
    return found


def test_the_head_of_a_module():
    module = read_ptx(HEAD)
    assert (module.version, module.target, module.address_size) == ("8.4", "sm_80", 64)


@pytest.mark.parametrize(
    ("text", "opcode", "modifiers", "types"),
    [
        ("ret;", "ret", (), ()),
        ("add.s32 %r1, %r2, 1;", "add", (), ("s32",)),
        ("mad.wide.u32 %r1, %r2, %r3, %r4;", "mad", ("wide",), ("u32",)),
        ("cvt.rni.s32.f32 %r1, %f1;", "cvt", ("rni",), ("s32", "f32")),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", "ld", ("global", "v4"), ("f32",)),
        ("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p0;", "setp", ("lt", "and"), ("s32",)),
        ("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "shfl", ("sync", "down"), ("b32",)),
        ("cvta.to.global.u64 %rd1, %rd2;", "cvta", ("to", "global"), ("u64",)),
        ("bar.sync 0;", "bar", ("sync",), ()),
        ("fma.rn.ftz.f32 %f1, %f2, %f3, %f4;", "fma", ("rn", "ftz"), ("f32",)),
    ],
)
def test_opcodes_modifiers_and_types(text, opcode, modifiers, types):
    found = only(text)
    assert (found.opcode, found.modifiers, found.types) == (opcode, modifiers, types)
    assert found.name == text.split()[0].rstrip(";")


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("%r12", Register("%r12")), ("%SPL", Register("%SPL")), ("_", Register("_")),
        ("!%p3", Register("%p3", negated=True)), ("%tid.x", SpecialRegister("tid.x")),
        ("%laneid", SpecialRegister("laneid")), ("%lanemask_lt", SpecialRegister("lanemask_lt")),
        ("%clock64", SpecialRegister("clock64")), ("7", Integer(7)),
        ("-9223372036854775808", Integer(-(2**63))),
        ("0x1F", Integer(31)), ("017", Integer(15)), ("4294967295U", Integer(4294967295)),
        ("0f3F800000", Float(0x3F800000, 32)), ("0d3FF0000000000000", Float(0x3FF0000000000000, 64)),
        ("[%rd1]", Address(Register("%rd1"))), ("[%rd1+8]", Address(Register("%rd1"), 8)),
        ("[%rd1+-8]", Address(Register("%rd1"), -8)), ("[tile+4]", Address(Symbol("tile"), 4)),
        ("{%f1, _}", Group((Register("%f1"), Register("_")))),
        ("%r1|%p1", Group((Register("%r1"), Register("%p1")))),
        ("__local_depot0", Symbol("__local_depot0")), ("$L__BB0_2", Symbol("$L__BB0_2")),
    ],
)  # fmt: skip
def test_operands(text, operand):
    assert read_operand(text) == operand


def test_a_float_constant_keeps_its_bits():
    operand = read_operand("0f3DCCCCCD")
    assert isinstance(operand, Float)
    assert struct.unpack(">f", operand.bits.to_bytes(4, "big"))[0] == pytest.approx(0.1, rel=1e-7)


def test_commas_inside_brackets_divide_nothing():
    assert split_operands("{%f1, %f2}, [%rd1], (a, b), 3") == ["{%f1, %f2}", "[%rd1]", "(a, b)", "3"]


def test_predicates_and_labels():
    function = read_ptx(
        body("@%p1 bra $L__BB0_2;", "@!%p2 ret;", "$L__BB0_2:", "mov.u32 %r1, %tid.x;", "ret;")
    ).functions["k"]
    first, second, *_ = function.instructions
    assert (first.predicate, second.predicate) == (Register("%p1"), Register("%p2", negated=True))
    assert first.operands == (Symbol("$L__BB0_2"),)
    assert function.labels == {"$L__BB0_2": 2}


def test_registers_have_the_types_they_are_declared_with():
    registers = ".reg .pred %p<2>; .reg .f64 %fd<3>; .reg .b64 %SP, %SPL;"
    function = read_ptx(body("ret;", registers=registers)).functions["k"]
    assert [function.type_of(name) for name in ("%p1", "%fd2", "%SP", "%SPL")] == [
        "pred",
        "f64",
        "b64",
        "b64",
    ]
    assert [function.type_of(name) for name in ("%p2", "%fd3", "%r1", "%fd")] == [None] * 4


SCOPES = """
mov.u32 %r1, 1;
{
.reg .b32 a<12>;
.reg .b32 %r<3>;
mov.u32 a0, 2;
mov.u32 a11, a0;
mov.u32 %r1, a11;
}
{
.reg .b16 a<2>;
mov.u16 a0, 3;
}
mov.u32 %r2, %r1;
ret;
"""


def test_ranges_in_braces_declare_registers_of_their_own_with_or_without_a_percent_sign():
    function = read_ptx(body(SCOPES, registers=".reg .b32 %r<3>;")).functions["k"]
    outer, first, copied, inner, other, last, _ = [item.operands for item in function.instructions]
    assert copied == (Register("a11"), first[0])
    assert inner[0] != outer[0] and inner[1] == Register("a11")
    assert other[0] not in (first[0], Register("a11"))
    assert last == (Register("%r2"), outer[0])
    kinds = [function.type_of(one[0].name) for one in (outer, first, inner, other)]
    assert kinds == ["b32", "b32", "b32", "b16"]


def test_a_name_behind_the_end_of_a_range_in_braces_is_no_register_of_it():
    text = "{\n.reg .b32 a<2>;\nmov.u32 a1, a2;\n}\n"
    (item, *_) = read_ptx(body(text + "ret;")).functions["k"].instructions
    assert item.operands == (Register("a1"), Symbol("a2"))


def test_variables_have_spaces_sizes_and_contents():
    text = HEAD + (
        ".visible .shared .align 4 .b8 tile[4224];\n"
        ".extern .shared .align 16 .b8 dynamic[];\n"
        ".const .align 4 .u32 numbers[3] = {1, 2, 3};\n"
        ".global .align 1 .b8 text[4] = {37, 100};\n"
        ".global .align 8 .f64 one = 0d3FF0000000000000;\n"
    )
    found = read_ptx(text).variables
    assert (found["tile"].space, found["tile"].size, found["tile"].align) == ("shared", 4224, 4)
    assert (found["dynamic"].size, found["dynamic"].align) == (0, 16)
    assert found["numbers"].initial == struct.pack("<3I", 1, 2, 3)
    assert found["text"].initial == b"%d\0\0"
    assert found["one"].initial == struct.pack("<d", 1.0)


def test_functions_parameters_and_calls():
    text = HEAD + (
        ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 vprintf_param_0,\n"
        ".param .b64 vprintf_param_1\n)\n;\n"
        ".func (.param .align 8 .b8 func_retval0[16]) pair(.param .b32 pair_param_0)\n{\n"
        ".reg .b32 %r<3>;\nret;\n}\n"
        ".visible .entry k(.param .u64 .ptr .global .align 4 k_param_0, .param .align 4 .b8 k_param_1[12])\n"
        ".maxntid 256, 1, 1\n.minnctapersm 2\n{\n.local .align 16 .b8 __local_depot0[32];\n"
        "{ // callseq 0, 0\n.param .b32 param0;\nst.param.b32 [param0+0], 1;\n.param .b32 retval0;\n"
        "call.uni (retval0), \npair, \n(\nparam0\n);\n} // callseq 0\nret;\n}\n"
    )
    functions = read_ptx(text).functions
    assert functions["vprintf"].external
    assert functions["pair"].results == (Parameter("func_retval0", "b8", 8, 16),)
    kernel = functions["k"]
    assert kernel.entry
    assert [(p.name, p.size) for p in kernel.parameters] == [("k_param_0", 8), ("k_param_1", 12)]
    depot = kernel.variables[0]
    assert (depot.name, depot.space, depot.size) == ("__local_depot0", "local", 32)
    call = kernel.instructions[1]
    assert call.operands == (Group((Symbol("retval0"),)), Symbol("pair"), Group((Symbol("param0"),)))
    assert [item.opcode for item in kernel.instructions] == ["st", "call", "ret"]


def test_locations_know_where_they_were_inlined():
    text = body(
        ".loc 1 7 5", "mov.u32 %r1, 1;",
        ".loc 2 3 1, function_name $L__info_string0, inlined_at 1 9 5", "mov.u32 %r2, 2;",
        ".loc 3 4 1, function_name $L__info_string1, inlined_at 2 3 1", "mov.u32 %r3, 3;",
    ) + '.file 1 "app.py"\n.file 2 "lib.py"\n.file 3 "deep.py"\n'  # fmt: skip
    first, second, third = read_ptx(text).functions["k"].instructions
    assert first.location == Location("app.py", 7, 5)
    assert second.location == Location("lib.py", 3, 1, Location("app.py", 9, 5))
    assert third.location is not None
    assert third.location.outermost == Location("app.py", 9, 5)
    assert (first.text_line, second.text_line, third.text_line) == (8, 10, 12)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (body("mov.u32 %r1, %r2"), 7, "has no end|is no instruction|no operand"),
        (body("mov.u32 %r1, 0z7;"), 7, "`0z7` is no operand"),
        (HEAD + "mov.u32 %r1, 0;\n", 4, "outside a function"),
        (HEAD + ".visible .entry k()\n{\nret;\n", 7, "ends within a function"),
        (HEAD + "}\n", 4, "a brace outside a function"),
        (HEAD + ".strange thing;\n", 4, "is not understood"),
        (HEAD + ".shared .align 4 .q9 tile[4];\n", 4, "has no size in memory"),
    ],
)
def test_what_is_not_understood_is_told_with_its_line(text, line, message):
    with pytest.raises(PtxError, match=message) as error:
        read_ptx(text)
    assert abs(error.value.line - line) <= 1


def checked(text: str) -> int:
    """The number of instructions of a compiler's PTX, after comparing the program with the text itself."""
    module = read_ptx(text)
    plain = re.sub(r"//[^\n]*", "", text)
    parts = re.split(r"[;{}]|^\s*\.(?:loc|file)[^\n]*|[$\w]+:(?!:)", plain, flags=re.M)
    written = [part for part in parts if re.match(r"\s*(?:@!?%p\d+\s+)?[a-z]\w*(?:[.\s]|$)", part)]
    count = 0
    for function in module.functions.values():
        count += len(function.instructions)
        for item in function.instructions:
            for register in registers_of(item.operands):
                known = register.name == "_" or function.type_of(register.name) is not None
                assert known, (function.name, item.name, register.name)
            if item.opcode == "bra":
                (target,) = item.operands
                assert isinstance(target, Symbol)
                assert target.name in function.labels
    calls = sum(item.opcode == "call" for f in module.functions.values() for item in f.instructions)
    assert abs(count - len(written)) <= 4 * calls
    return count


def registers_of(operands):
    for operand in operands:
        if isinstance(operand, Register):
            yield operand
        elif isinstance(operand, Address) and isinstance(operand.base, Register):
            yield operand.base
        elif isinstance(operand, Group):
            yield from registers_of(operand.items)


def test_labels_within_braces_are_their_own():
    """Two braces with a label of one name, as inline assembly has it, and one outside of that name."""
    lines = [
        "{ loop: add.s32 %r1, %r1, 1; @%p1 bra loop; }",
        "{ @%p1 bra loop; add.s32 %r1, %r1, 2; { bra loop; } loop: add.s32 %r1, %r1, 3; }",
        "loop: bra loop;",
    ]
    function = read_ptx(body(*lines)).functions["k"]
    targets = [
        function.labels[item.operands[0].name] for item in function.instructions if item.opcode == "bra"
    ]
    assert targets == [0, 5, 5, 6]


def test_a_branch_out_of_braces_leads_to_the_label_outside():
    function = read_ptx(body("{ @%p1 bra out; }", "out: ret;")).functions["k"]
    assert function.labels[function.instructions[0].operands[0].name] == 1


def test_the_place_of_a_box_of_a_tensor():
    assert read_operand("[%rd1, {%r1, %r2}]") == Group(
        (Address(Register("%rd1")), Group((Register("%r1"), Register("%r2"))))
    )

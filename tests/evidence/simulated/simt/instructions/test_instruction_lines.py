"""Instructions that are written as text at once are those that llvmlite writes."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir

from advisor.evidence.simulated.simt.vector.instruction_lines import LineBuilder
from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    I1,
    I16,
    I32,
    I64,
    POINTER,
    constant,
    vector,
)

INTEGERS = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and_", "or_", "xor", "shl", "lshr", "ashr")
REALS = ("fadd", "fsub", "fmul", "fdiv")
CASTS = (
    ("trunc", I64, I32), ("zext", I32, I64), ("sext", I16, I32), ("bitcast", I32, FLOAT),
    ("fptrunc", DOUBLE, FLOAT), ("fpext", FLOAT, DOUBLE), ("fptosi", DOUBLE, I64), ("fptoui", FLOAT, I32),
    ("sitofp", I32, DOUBLE), ("uitofp", I64, FLOAT),
)  # fmt: skip
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")


def parsed(builder_class: type, kinds: list, write) -> str:
    """LLVM's own text of a function whose instructions a builder wrote, with its values numbered."""
    module = ir.Module("m")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), "f")
    builder = builder_class(function.append_basic_block("entry"))
    write(builder, *function.args)
    builder.ret_void()
    text = str(llvm.parse_assembly(str(module)))
    numbers: dict[str, str] = {}
    return re.sub(r'%"?[\w.]+"?', lambda name: numbers.setdefault(name[0], f"%{len(numbers)}"), text)


def assert_alike(kinds: list, write) -> None:
    assert parsed(LineBuilder, kinds, write) == parsed(ir.IRBuilder, kinds, write)


@pytest.mark.parametrize("shape", [lambda kind: kind, vector])
def test_each_instruction_of_two_operands(shape):
    whole, real = shape(I32), shape(FLOAT)
    assert_alike([whole, whole], lambda b, x, y: [getattr(b, name)(x, y) for name in INTEGERS])
    assert_alike([real, real], lambda b, x, y: [getattr(b, name)(x, y) for name in REALS])


@pytest.mark.parametrize("shape", [lambda kind: kind, vector])
def test_each_conversion(shape):
    for name, before, after in CASTS:
        assert_alike([shape(before)], lambda b, x, name=name, after=after: getattr(b, name)(x, shape(after)))


def test_addresses_as_integers_and_back():
    assert_alike([POINTER, I64], lambda b, p, x: (b.ptrtoint(p, I64), b.inttoptr(x, POINTER)))


@pytest.mark.parametrize("shape", [lambda kind: kind, vector])
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_each_comparison(shape, comparison):
    whole, real = shape(I64), shape(DOUBLE)
    for name in ("icmp_signed", "icmp_unsigned"):
        assert_alike([whole, whole], lambda b, x, y, name=name: getattr(b, name)(comparison, x, y))
    for name in ("fcmp_ordered", "fcmp_unordered"):
        assert_alike([real, real], lambda b, x, y, name=name: getattr(b, name)(comparison, x, y))


def test_whether_there_is_a_nan():
    assert_alike([FLOAT], lambda b, x: (b.fcmp_ordered("ord", x, x), b.fcmp_unordered("uno", x, x)))


@pytest.mark.parametrize("shape", [lambda kind: kind, vector])
def test_negation_and_choice(shape):
    whole, real, truth = shape(I32), shape(FLOAT), shape(I1)
    assert_alike([whole], lambda b, x: (b.not_(x), b.neg(x)))
    assert_alike([truth], lambda b, x: b.not_(x))
    assert_alike([real], lambda b, x: b.fneg(x))
    assert_alike([truth, whole, whole], lambda b, c, x, y: b.select(c, x, y))


def test_memory():
    def write(b, p, x):
        place = b.gep(p, [x], source_etype=I64)
        b.store(b.load(place, typ=vector(I32), align=4), p, align=64)
        b.store(b.load(p, typ=I64), place)

    assert_alike([POINTER, I64], write)


def test_elements_and_members():
    def write(b, x, y, n):
        b.insert_element(x, b.extract_element(y, n), n)
        b.shuffle_vector(x, y, ir.Constant(vector(I32), list(range(32))))

    assert_alike([vector(I16), vector(I16), I32], write)
    pair = ir.LiteralStructType([I64, I32])
    assert_alike([pair], lambda b, x: (b.extract_value(x, 0), b.extract_value(x, 1)))


def test_calls_keep_the_convention_of_the_function():
    def write(b, x):
        function = ir.Function(b.module, ir.FunctionType(I32, [I32]), "g")
        function.calling_convention = "fastcc"
        nothing = ir.Function(b.module, ir.FunctionType(ir.VoidType(), []), "h")
        b.call(function, [b.call(function, [x])])
        b.call(nothing, [])

    assert_alike([I32], write)


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_constants(number):
    assert_alike([I64], lambda b, x: b.add(x, constant(I64, number)))


@pytest.mark.parametrize(
    ("kinds", "write", "error"),
    [
        ([I32, I64], lambda b, x, y: b.add(x, y), ValueError),
        ([I32], lambda b, x: b.load(x, typ=I32), TypeError),
        ([I32], lambda b, x: b.store(x, x), TypeError),
        ([I32, I64], lambda b, x, y: b.select(constant(I1, 1), x, y), AssertionError),
        ([I32], lambda b, x: b.extract_element(x, x), TypeError),
        ([vector(I32), I64], lambda b, x, y: b.insert_element(x, y, y), TypeError),
        ([vector(I32), vector(I64)], lambda b, x, y: b.shuffle_vector(x, y, x), TypeError),
    ],
)
def test_operands_of_other_types_are_refused_as_llvmlite_refuses_them(kinds, write, error):
    for builder in (LineBuilder, ir.IRBuilder):
        with pytest.raises(error):
            parsed(builder, kinds, write)

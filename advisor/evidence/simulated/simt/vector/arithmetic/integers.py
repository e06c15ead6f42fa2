"""Integer arithmetic and bits; PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift"."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.liveness import CARRY
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.arithmetic.floats import float_arithmetic
from advisor.evidence.simulated.simt.vector.lanes import (
    I32,
    I64,
    I128,
    constant,
    element_of,
    element_type,
    integer_of,
    is_vector,
    like,
    same,
    vector,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles


def _signed(item: Instruction) -> bool:
    return item.types[-1].startswith("s")


@handles("add", "sub", "mul", "min", "max", "abs", "neg", "div", "fma", "mad")
def arithmetic(e: Emission, item: Instruction) -> None:
    """Translate arithmetic of integers and floating point numbers."""
    if item.types[0][0] == "f" or item.types[0].startswith("bf"):
        float_arithmetic(e, item)
        return
    e.write(item, _integer(e, item))


def _integer(e: Emission, item: Instruction) -> Any:
    kind = element_type(item.types[0])
    builder = e.builder
    if item.opcode in ("mul", "mad"):
        return _multiply(e, item, kind)
    values = e.reads(item, kind)
    if item.opcode in ("add", "sub"):
        if "cc" in item.modifiers:
            return _with_carry(e, item, values, None)
        if "sat" in item.modifiers:
            return builder.elementwise(f"llvm.s{item.opcode}.sat", *values)
        return getattr(builder, item.opcode)(*values)
    if item.opcode in ("min", "max"):
        return builder.elementwise(f"llvm.{'s' if _signed(item) else 'u'}{item.opcode}", *values)
    if item.opcode == "abs":
        value = values[0]
        negative = builder.icmp_signed("<", value, same(value, 0))
        return builder.select(negative, builder.neg(value), value)
    if item.opcode == "neg":
        return builder.neg(values[0])
    return divide(e, item, values)


@handles("rem")
def _remainder(e: Emission, item: Instruction) -> None:
    e.write(item, divide(e, item, e.reads(item, element_type(item.types[0]))))


def divide(e: Emission, item: Instruction, values: tuple[Any, ...]) -> Any:
    """The quotient or remainder of integers; a division by zero, which PTX leaves open, is one by 1."""
    one, other = values
    builder = e.builder
    kind = element_of(one)
    sign = "s" if _signed(item) else "u"
    if is_vector(one):
        wide = kind if kind.width >= 32 else I32
        if kind.width < 32:
            extend = builder.sext if sign == "s" else builder.zext
            one, other = extend(one, vector(I32)), extend(other, vector(I32))
        result = e.call(f"{item.opcode}_{sign}{wide.width}", vector(wide), one, other)
        return builder.trunc(result, vector(kind)) if kind.width < 32 else result
    zero, unit = constant(kind, 0), constant(kind, 1)
    unsafe = builder.icmp_signed("==", other, zero)
    if sign == "s":
        lowest = builder.icmp_signed("==", one, constant(kind, 1 << (kind.width - 1)))
        minus = builder.icmp_signed("==", other, constant(kind, -1))
        unsafe = builder.or_(unsafe, builder.and_(lowest, minus))
    other = builder.select(unsafe, unit, other)
    return getattr(builder, sign + item.opcode)(one, other)


def _multiply(e: Emission, item: Instruction, kind: Any) -> Any:
    builder = e.builder
    values = builder.alike(*(e.read(operand, kind) for operand in item.operands[1:3]))
    if "wide" in item.modifiers:
        wide = integer_of(2 * kind.width)
        extend = builder.sext if _signed(item) else builder.zext
        product = builder.mul(*(extend(value, like(value, wide)) for value in values))
    elif "hi" in item.modifiers:
        product = high_product(e, values, _signed(item))
    else:
        product = builder.mul(*values)
    if item.opcode == "mul":
        return product
    addend = e.read(item.operands[3], element_of(product))
    product, addend = builder.alike(product, addend)
    if "cc" in item.modifiers:
        return _with_carry(e, item, (product, addend), None)
    return builder.add(product, addend)


def high_product(e: Emission, values: tuple[Any, ...], signed: bool) -> Any:
    """The upper half of the product of two integers."""
    builder = e.builder
    kind = element_of(values[0])
    if kind is I64 and is_vector(values[0]):
        return e.call(f"mulhi_{'s' if signed else 'u'}64", vector(I64), *values)
    wide = I128 if kind is I64 else integer_of(2 * kind.width)
    extend = builder.sext if signed else builder.zext
    product = builder.mul(*(extend(value, like(value, wide)) for value in values))
    upper = builder.lshr(product, same(product, kind.width))
    return builder.trunc(upper, like(upper, kind))


@handles("addc", "subc", "madc")
def _carried(e: Emission, item: Instruction) -> None:
    kind = element_type(item.types[0])
    if item.opcode == "madc":
        values = e.builder.alike(*(e.read(operand, kind) for operand in item.operands[1:3]))
        product = high_product(e, values, _signed(item)) if "hi" in item.modifiers else e.builder.mul(*values)
        pair: tuple[Any, ...] = (product, e.read(item.operands[3], kind))
    else:
        pair = e.reads(item, kind)
    e.write(item, _with_carry(e, item, pair, e.register(CARRY)))


def _with_carry(e: Emission, item: Instruction, pair: tuple[Any, ...], carry: Any) -> Any:
    """The sum or difference with the carry taken in, and given out where the instruction says so."""
    builder = e.builder
    parts = builder.alike(*pair) if carry is None else builder.alike(*pair, carry)
    one, other = parts[:2]
    subtract = item.opcode in ("sub", "subc")
    result = builder.sub(one, other) if subtract else builder.add(one, other)
    out = builder.icmp_unsigned("<", one, other) if subtract else builder.icmp_unsigned("<", result, one)
    if carry is not None:
        step = builder.zext(parts[2], one.type)
        after = builder.sub(result, step) if subtract else builder.add(result, step)
        wrapped = (
            builder.icmp_unsigned("<", result, step) if subtract else builder.icmp_unsigned("<", after, step)
        )
        out, result = builder.or_(out, wrapped), after
    if "cc" in item.modifiers:
        e.values[CARRY] = out
    return result

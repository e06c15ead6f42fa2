"""Bits of integers: logic, shifts, fields, counts; PTX ISA, "Logic and Shift Instructions"."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    I64,
    constant,
    element_of,
    element_type,
    integer_of,
    is_vector,
    like,
    same,
    splat,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles


def _signed(item: Instruction) -> bool:
    return item.types[-1].startswith("s")


@handles("and", "or", "xor", "not", "cnot")
def _logic(e: Emission, item: Instruction) -> None:
    values = e.reads(item, element_type(item.types[0]))
    builder = e.builder
    if item.opcode == "not":
        e.write(item, builder.not_(values[0]))
    elif item.opcode == "cnot":
        zero = builder.icmp_unsigned("==", values[0], same(values[0], 0))
        e.write(item, builder.zext(zero, values[0].type))
    else:
        name = item.opcode if item.opcode == "xor" else item.opcode + "_"
        e.write(item, getattr(builder, name)(*values))


@handles("shl", "shr")
def _shift(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[0])
    value = e.read(item.operands[1], kind)
    amount = e.read(item.operands[2], I32)
    value, amount = builder.alike(value, amount)
    arithmetic_shift = item.opcode == "shr" and _signed(item)
    limit = kind.width - 1
    inside = builder.icmp_unsigned("<=", amount, same(amount, limit))
    narrow = builder.select(inside, amount, same(amount, limit if arithmetic_shift else 0))
    if kind.width > 32:
        narrow = builder.zext(narrow, like(narrow, kind))
    elif kind.width < 32:
        narrow = builder.trunc(narrow, like(narrow, kind))
    if arithmetic_shift:
        e.write(item, builder.ashr(value, narrow))
        return
    shifted = builder.shl(value, narrow) if item.opcode == "shl" else builder.lshr(value, narrow)
    e.write(item, builder.select(inside, shifted, same(shifted, 0)))


@handles("shf")
def _funnel(e: Emission, item: Instruction) -> None:
    builder = e.builder
    low, high, amount = e.reads(item, I32)
    if "clamp" in item.modifiers:
        over = builder.icmp_unsigned(">", amount, same(amount, 32))
        amount = builder.select(over, same(amount, 32), amount)
    else:
        amount = builder.and_(amount, same(amount, 31))
    wide = like(low, I64)
    both = builder.or_(builder.shl(builder.zext(high, wide), same_of(wide, 32)), builder.zext(low, wide))
    if "l" in item.modifiers:
        shifted = builder.lshr(builder.shl(both, builder.zext(amount, wide)), same_of(wide, 32))
    else:
        shifted = builder.lshr(both, builder.zext(amount, wide))
    e.write(item, builder.trunc(shifted, low.type))


def same_of(kind: Any, number: int) -> Any:
    """The integer constant of a type, vector or not."""
    return (
        splat(kind.element, number, kind.count) if isinstance(kind, ir.VectorType) else constant(kind, number)
    )


@handles("popc", "clz", "brev", "bfind")
def _count(e: Emission, item: Instruction) -> None:
    builder = e.builder
    value = e.read(item.operands[1], element_type(item.types[0]))
    if item.opcode == "popc":
        result = builder.elementwise("llvm.ctpop", value)
    elif item.opcode == "brev":
        e.write(item, builder.elementwise("llvm.bitreverse", value))
        return
    elif item.opcode == "clz":
        result = _leading_zeros(e, value)
    else:
        if _signed(item):
            negative = builder.icmp_signed("<", value, same(value, 0))
            value = builder.select(negative, builder.not_(value), value)
        zeros = _leading_zeros(e, value)
        empty = builder.icmp_unsigned("==", value, same(value, 0))
        found = (
            zeros
            if "shiftamt" in item.modifiers
            else builder.sub(same(zeros, element_of(value).width - 1), zeros)
        )
        result = builder.select(empty, same(found, -1), found)
    e.write(item, e.convert(result, I32))


def _leading_zeros(e: Emission, value: Any) -> Any:
    flag = ir.Constant(I1, False)
    return e.builder.intrinsic("llvm.ctlz", value.type, (value, flag), (value.type,))


@handles("bfe")
def _extract(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[0])
    value, begin, length = builder.alike(
        e.read(item.operands[1], kind), *(e.read(operand, I32) for operand in item.operands[2:])
    )
    name = f"bfe_{'s' if _signed(item) else 'u'}{kind.width}"
    result = e.call(name, vector(kind), *(builder.broadcast(part) for part in (value, begin, length)))
    e.write(item, result if is_vector(value) else builder.lane(result, ir.Constant(I32, 0)))


@handles("bfi")
def _insert(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[0])
    field, base, begin, length = builder.alike(
        *(e.read(operand, kind) for operand in item.operands[1:3]),
        *(e.convert(e.read(operand, I32), kind) for operand in item.operands[3:]),
    )
    begin, length = (builder.and_(part, same(part, 255)) for part in (begin, length))
    ones = _low_ones(e, length, kind.width)
    mask = _shift_left(e, ones, begin, kind.width)
    moved = _shift_left(e, field, begin, kind.width)
    kept = builder.and_(base, builder.not_(mask))
    e.write(item, builder.or_(kept, builder.and_(moved, mask)))


def _shift_left(e: Emission, value: Any, amount: Any, width: int) -> Any:
    builder = e.builder
    inside = builder.icmp_unsigned("<", amount, same(amount, width))
    safe = builder.select(inside, amount, same(amount, 0))
    return builder.select(inside, builder.shl(value, safe), same(value, 0))


def _low_ones(e: Emission, length: Any, width: int) -> Any:
    return e.builder.not_(_shift_left(e, same(length, -1), length, width))


@handles("sad")
def _difference(e: Emission, item: Instruction) -> None:
    builder = e.builder
    one, other, addend = e.reads(item, element_type(item.types[0]))
    compare = builder.icmp_signed if _signed(item) else builder.icmp_unsigned
    distance = builder.select(compare("<", one, other), builder.sub(other, one), builder.sub(one, other))
    e.write(item, builder.add(addend, distance))


@handles("lop3")
def _any_logic(e: Emission, item: Instruction) -> None:
    builder = e.builder
    inputs = builder.alike(*(e.read(operand, I32) for operand in item.operands[1:4]))
    table = int(getattr(item.operands[4], "value", 0))
    result = same(inputs[0], 0)
    for row in range(8):
        if table >> row & 1:
            parts = [
                inputs[place] if row >> (2 - place) & 1 else builder.not_(inputs[place]) for place in range(3)
            ]
            result = builder.or_(result, builder.and_(builder.and_(parts[0], parts[1]), parts[2]))
    e.write(item, result)


@handles("prmt")
def _permute(e: Emission, item: Instruction) -> None:
    if item.modifiers:
        raise e.unsupported(item)
    builder = e.builder
    low, high, selector = e.reads(item, I32)
    wide = like(low, I64)
    both = builder.or_(builder.shl(builder.zext(high, wide), same_of(wide, 32)), builder.zext(low, wide))
    result = same(low, 0)
    for place in range(4):
        choice = builder.and_(builder.lshr(selector, same(selector, 4 * place)), same(selector, 15))
        shift = builder.shl(builder.and_(choice, same(choice, 7)), same(choice, 3))
        byte = builder.trunc(builder.lshr(both, builder.zext(shift, wide)), low.type)
        byte = builder.and_(byte, same(byte, 255))
        sign = builder.icmp_unsigned("!=", builder.and_(byte, same(byte, 128)), same(byte, 0))
        spread = builder.select(sign, same(byte, 255), same(byte, 0))
        signed = builder.icmp_unsigned("!=", builder.and_(choice, same(choice, 8)), same(choice, 0))
        byte = builder.select(signed, spread, byte)
        result = builder.or_(result, builder.shl(byte, same(byte, 8 * place)))
    e.write(item, result)


def halves(e: Emission, value: Any) -> tuple[Any, Any]:
    """The lower and upper half of integers."""
    builder = e.builder
    kind = integer_of(width_of(element_of(value)) // 2)
    upper = builder.lshr(value, same(value, kind.width))
    return builder.trunc(value, like(value, kind)), builder.trunc(upper, like(value, kind))

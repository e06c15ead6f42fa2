"""Moves, comparisons and selections; PTX ISA, "Comparison and Selection", "Data Movement"."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction
from advisor.evidence.simulated.simt.vector.arithmetic.floats import flushed
from advisor.evidence.simulated.simt.vector.lanes import (
    FLOAT,
    HALF,
    I1,
    I64,
    element_of,
    element_type,
    integer_of,
    is_float,
    like,
    same,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import LOCAL_WINDOW, SHARED_WINDOW, Context
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
            "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip


@handles("mov")
def _move(e: Emission, item: Instruction) -> None:
    target, source = item.operands
    kind = element_type(item.types[0])
    if isinstance(target, Group):
        _unpack(e, item, target, e.read(source, kind))
    elif isinstance(source, Group):
        e.write(item, _pack(e, source, kind))
    else:
        e.write(item, e.read(source, kind))


def _pack(e: Emission, group: Group, kind: Any) -> Any:
    builder = e.builder
    part = integer_of(width_of(kind) // len(group.items))
    values = builder.alike(*(e.read(operand, part) for operand in group.items))
    whole = integer_of(width_of(kind))
    result = builder.zext(values[0], like(values[0], whole))
    for place, value in enumerate(values[1:], 1):
        wide = builder.zext(value, like(value, whole))
        result = builder.or_(result, builder.shl(wide, same(wide, place * part.width)))
    return e.convert(result, kind)


def _unpack(e: Emission, item: Instruction, group: Group, value: Any) -> None:
    builder = e.builder
    value = e.as_integer(value)
    width = width_of(element_of(value)) // len(group.items)
    for place, operand in enumerate(group.items):
        part = builder.lshr(value, same(value, place * width)) if place else value
        e.write(item, builder.trunc(part, like(part, integer_of(width))), operand)


@handles("cvta")
def _convert_address(e: Emission, item: Instruction) -> None:
    """Convert an address: shared and local ones lie in windows of the generic space."""
    window = SHARED_WINDOW if "shared" in item.modifiers else LOCAL_WINDOW if "local" in item.modifiers else 0
    value = e.read(item.operands[1], I64)
    if "param" in item.modifiers:
        value = e.builder.add(*e.builder.alike(value, e.context_word(Context.PARAMETERS)))
    if window:
        value = (
            e.builder.sub(value, same(value, window))
            if "to" in item.modifiers
            else e.builder.add(value, same(value, window))
        )
    e.write(item, value)


@handles("isspacep")
def _is_in_space(e: Emission, item: Instruction) -> None:
    builder = e.builder
    value = e.read(item.operands[1], I64)
    top = builder.lshr(value, same(value, 56))
    shared = builder.icmp_unsigned("==", top, same(top, SHARED_WINDOW >> 56))
    local = builder.icmp_unsigned("==", top, same(top, LOCAL_WINDOW >> 56))
    if "shared" in item.modifiers:
        e.write(item, shared)
    elif "local" in item.modifiers:
        e.write(item, local)
    else:
        e.write(item, builder.not_(builder.or_(shared, local)))


@handles("setp", "set")
def _compare(e: Emission, item: Instruction) -> None:
    builder = e.builder
    source = element_type(item.types[-1])
    one, other = builder.alike(*(flushed(e, item, e.read(operand, source)) for operand in item.operands[1:3]))
    result = compare(e, item, item.modifiers[0], one, other, item.types[-1])
    if len(item.operands) > 3:
        _combined(e, item, result)
        return
    if item.opcode == "set":
        _set(e, item, result)
        return
    _write_predicates(e, item, result, None)


def _combined(e: Emission, item: Instruction, result: Any) -> None:
    builder = e.builder
    extra = e.read(item.operands[3], I1)
    result, extra = builder.alike(result, extra)
    combine = {"and": builder.and_, "or": builder.or_, "xor": builder.xor}[
        next(one for one in item.modifiers if one in ("and", "or", "xor"))
    ]
    both = combine(result, extra)
    if item.opcode == "set":
        _set(e, item, both)
        return
    _write_predicates(e, item, both, combine(builder.not_(result), extra))


def _set(e: Emission, item: Instruction, result: Any) -> None:
    kind = element_type(item.types[0])
    if is_float(kind):
        ones = {16: 0x3C00, 32: 0x3F800000}[width_of(kind)]
        result = e.builder.zext(result, like(result, integer_of(width_of(kind))))
        result = e.builder.mul(result, same(result, ones))
        e.write(item, e.convert(result, kind))
        return
    e.write(item, e.builder.sext(result, like(result, kind)))


def _write_predicates(e: Emission, item: Instruction, result: Any, opposite: Any) -> None:
    target = item.operands[0]
    if not isinstance(target, Group):
        e.write(item, result)
        return
    e.write(item, result, target.items[0])
    e.write(item, e.builder.not_(result) if opposite is None else opposite, target.items[1])


def compare(e: Emission, item: Instruction, name: str, one: Any, other: Any, kind: str) -> Any:
    """The predicate of a comparison by its PTX name; `…u` holds for NaN as well."""
    builder = e.builder
    if kind[0] == "f":
        if element_of(one) is HALF:
            one, other = (builder.fpext(value, like(value, FLOAT)) for value in (one, other))
        if name == "num":
            return builder.fcmp_ordered("ord", one, other)
        if name == "nan":
            return builder.fcmp_unordered("uno", one, other)
        if name.endswith("u"):
            return builder.fcmp_unordered(_COMPARE[name[:-1]], one, other)
        return builder.fcmp_ordered(_COMPARE[name], one, other)
    if name not in _COMPARE:
        raise e.unsupported(item)
    function = builder.icmp_signed if kind[0] == "s" else builder.icmp_unsigned
    return function(_COMPARE[name], one, other)


@handles("selp")
def _select(e: Emission, item: Instruction) -> None:
    kind = element_type(item.types[0])
    one, other = (e.read(operand, kind) for operand in item.operands[1:3])
    e.write(item, e.choose(e.read(item.operands[3], I1), one, other))


@handles("slct")
def _select_by_sign(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[0])
    one, other = (e.read(operand, kind) for operand in item.operands[1:3])
    test = e.read(item.operands[3], element_type(item.types[1]))
    if item.types[1] == "f32":
        zero = e.convert(same(e.as_integer(test), 0), FLOAT)
        predicate = builder.fcmp_ordered(">=", test, zero)
    else:
        predicate = builder.icmp_signed(">=", test, same(test, 0))
    e.write(item, e.choose(predicate, one, other))

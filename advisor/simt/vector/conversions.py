"""Moves, comparisons, selections and conversions; PTX ISA, "Comparison and Selection", "Data Movement"."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.simt.ptx_program import Group, Instruction, Register
from advisor.simt.vector.emission import Emission, handles
from advisor.simt.vector.floats import finish, flushed, round_directed, saturated, to_half
from advisor.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    HALF,
    I1,
    I32,
    I64,
    constant,
    element_of,
    element_type,
    integer_of,
    is_float,
    like,
    same,
    width_of,
)
from advisor.simt.vector.layout import LOCAL_WINDOW, SHARED_WINDOW

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
            "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_ROUND_TO_INTEGER = {"rni": "llvm.roundeven", "rzi": "llvm.trunc", "rmi": "llvm.floor", "rpi": "llvm.ceil"}


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
    """Nothing; shared and local addresses lie in windows of the generic space, global ones are themselves."""
    window = SHARED_WINDOW if "shared" in item.modifiers else LOCAL_WINDOW if "local" in item.modifiers else 0
    value = e.read(item.operands[1], I64)
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


@handles("cvt")
def _convert(e: Emission, item: Instruction) -> None:
    if len(item.types) != 2 or any(name not in _CONVERTED for name in item.types):
        raise e.unsupported(item)
    into, source = (element_type(name) for name in item.types)
    value = e.read(item.operands[1], source)
    signed = item.types[1][0] == "s"
    if is_float(source):
        value = flushed(e, item, value)
        result = _from_float(e, item, value, into)
    elif is_float(into):
        result = _to_float(e, item, value, into, signed)
    else:
        result = _between_integers(e, item, value, into, signed)
    if item.types[0][0] == "s" and not is_float(into):
        result = _extended_to_register(e, item, result)
    e.write(item, result)


_CONVERTED = frozenset(
    {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "b8", "b16", "b32", "b64"}
)


def _extended_to_register(e: Emission, item: Instruction, value: Any) -> Any:
    """A signed result with its sign spread over the register that takes it."""
    target = item.operands[0]
    if isinstance(target, Register) and target.name != "_":
        kind = e.names.type_of(target.name)
        if width_of(kind) > width_of(element_of(value)):
            return e.builder.sext(value, like(value, integer_of(width_of(kind))))
    return value


def _between_integers(e: Emission, item: Instruction, value: Any, into: Any, signed: bool) -> Any:
    builder = e.builder
    have, want = width_of(element_of(value)), into.width
    if "sat" in item.modifiers:
        value = _clamped(e, value, signed, item.types[0])
    if have > want:
        return builder.trunc(value, like(value, into))
    if have < want:
        return (builder.sext if signed else builder.zext)(value, like(value, into))
    return value


def _clamped(e: Emission, value: Any, signed: bool, into: str) -> Any:
    """A value limited to what another integer type can hold."""
    builder = e.builder
    width = int(into[1:])
    have = width_of(element_of(value))
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if into[0] == "s" else (0, (1 << width) - 1)
    own_high = (1 << (have - 1)) - 1 if signed else (1 << have) - 1
    compare_with = builder.icmp_signed if signed else builder.icmp_unsigned
    if high < own_high:
        value = builder.select(compare_with(">", value, same(value, high)), same(value, high), value)
    if signed and low > -(1 << (have - 1)):
        value = builder.select(compare_with("<", value, same(value, low)), same(value, low), value)
    return value


def _to_float(e: Emission, item: Instruction, value: Any, into: Any, signed: bool) -> Any:
    builder = e.builder
    mode = next((one for one in item.modifiers if one in ("rz", "rm", "rp")), None)
    convert = builder.sitofp if signed else builder.uitofp
    width = width_of(element_of(value))
    if mode is not None:
        if into is not FLOAT or width > 32:
            raise e.unsupported(item, "a directed rounding of this type")
        exact = convert(value, like(value, DOUBLE))
        zero = e.convert(same(builder.bitcast(exact, like(exact, I64)), 0), DOUBLE)
        return round_directed(e, exact, zero, mode)
    if into is HALF:
        if width == 64:
            value = _clamped(e, value, signed, "s32") if signed else _clamped(e, value, signed, "u32")
        return to_half(e, convert(value, like(value, DOUBLE)))
    return convert(value, like(value, into))


def _from_float(e: Emission, item: Instruction, value: Any, into: Any) -> Any:
    builder = e.builder
    source = element_of(value)
    rounding = next((one for one in item.modifiers if one in _ROUND_TO_INTEGER), None)
    if not is_float(into):
        if source is HALF:
            value = builder.fpext(value, like(value, FLOAT))
        whole = builder.elementwise(_ROUND_TO_INTEGER[rounding or "rzi"], value)
        return _to_integer(e, whole, into, item.types[0][0] == "s")
    if (source is HALF and into is HALF) or rounding:
        inner = builder.fpext(value, like(value, FLOAT)) if source is HALF else value
        inner = builder.elementwise(_ROUND_TO_INTEGER[rounding], inner) if rounding else inner
        value = builder.fptrunc(inner, value.type) if source is HALF else inner
    have, want = width_of(element_of(value)), width_of(into)
    if have < want:
        value = builder.fpext(value, like(value, into))
    elif have > want:
        value = _narrowed(e, item, value, into)
    return finish(e, item, value)


def _narrowed(e: Emission, item: Instruction, value: Any, into: Any) -> Any:
    builder = e.builder
    mode = next((one for one in item.modifiers if one in ("rz", "rm", "rp")), None)
    if mode is not None:
        if into is HALF:
            raise e.unsupported(item, "a directed rounding of this type")
        zero = e.convert(same(builder.bitcast(value, like(value, I64)), 0), DOUBLE)
        return round_directed(e, value, zero, mode)
    if into is HALF and element_of(value) is DOUBLE:
        return to_half(e, value)
    return builder.fptrunc(value, like(value, into))


def _to_integer(e: Emission, value: Any, into: Any, signed: bool) -> Any:
    """A whole number as an integer, limited to its range; NaN gives 0, of 64 bits the highest bit alone."""
    builder = e.builder
    name = "llvm.fptosi.sat" if signed else "llvm.fptoui.sat"
    result = builder.intrinsic(name, like(value, into), (value,), (like(value, into), value.type))
    if into.width == 64:
        missing = builder.fcmp_unordered("uno", value, value)
        result = builder.select(missing, same(result, 1 << 63), result)
    return result


__all__ = ["I32", "compare", "constant", "ir", "saturated"]

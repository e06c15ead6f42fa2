"""Conversions between number types; PTX ISA, "cvt"."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction, Register
from advisor.evidence.simulated.simt.vector.arithmetic.brain_floats import narrowed, widened
from advisor.evidence.simulated.simt.vector.arithmetic.eight_bit_floats import (
    PAIRS,
    pair_narrowed,
    pair_widened,
)
from advisor.evidence.simulated.simt.vector.arithmetic.floats import (
    finish,
    flushed,
    half_directed,
    round_directed,
    sum_and_error,
    to_half,
)
from advisor.evidence.simulated.simt.vector.arithmetic.packed import PACKED, at_least_zero, joined_halves
from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    HALF,
    I16,
    I64,
    element_of,
    element_type,
    integer_of,
    is_float,
    like,
    same,
    width_of,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_ROUNDINGS = ("rn", "rz", "rm", "rp")
_ROUND_TO_INTEGER = {"rni": "llvm.roundeven", "rzi": "llvm.trunc", "rmi": "llvm.floor", "rpi": "llvm.ceil"}


@handles("cvt")
def _convert(e: Emission, item: Instruction) -> None:
    if (pair := _PAIRS.get(item.types[:2]) if len(item.types) == 2 else None) is not None:
        if set(item.modifiers) - {"relu"} != pair[1]:
            raise e.unsupported(item, "this rounding to this type")
        e.write(item, pair[0](e, item))
        return
    if "satfinite" in item.modifiers:
        raise e.unsupported(item, "this rounding to this type")
    if item.types[1:] == ("f32",) and item.types[0] in _OF_TENSORS:
        e.write(item, _for_tensors(e, item))
        return
    if "rna" in item.modifiers or "relu" in item.modifiers:
        raise e.unsupported(item, "this rounding to this type")
    if "bf16" in item.types:
        e.write(item, _with_brain_float(e, item))
        return
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


# Conversions of two numbers of eight bits, with the modifiers that they have.
_PAIRS: dict[tuple[str, ...], Any] = {
    (name, source): (pair_narrowed, {"rn", "satfinite"}) for name in PAIRS for source in ("f32", "f16x2")
} | {("f16x2", name): (pair_widened, {"rn"}) for name in PAIRS}
_OF_TENSORS = frozenset({"f16", "bf16", "f16x2", "bf16x2", "tf32"})


def _for_tensors(e: Emission, item: Instruction) -> Any:
    """The bits of one or two f32 as numbers that tensor cores multiply; the first of two is the high half."""
    into = item.types[0]
    values = [flushed(e, item, one) for one in e.reads(item, FLOAT)]
    if len(values) != (2 if into in PACKED else 1):
        raise e.unsupported(item, "another number of operands")
    if into == "tf32":
        return _to_tf32(e, item, values[0])
    if "rna" in item.modifiers:
        raise e.unsupported(item, "this rounding to this type")
    parts = [_to_sixteen_bits(e, item, PACKED.get(into, into), one) for one in values]
    return joined_halves(e, parts[1], parts[0]) if into in PACKED else parts[0]


def _to_sixteen_bits(e: Emission, item: Instruction, into: str, value: Any) -> Any:
    """An f32 as f16 or bf16."""
    if into == "f16":
        result = finish(e, item, _narrowed(e, item, value, HALF))
    else:
        rounding = next((one for one in item.modifiers if one in _ROUNDINGS), "rn")
        if rounding in ("rm", "rp"):
            raise e.unsupported(item, "a directed rounding of this type")
        result = narrowed(e, value, rounding)
    return at_least_zero(e, item, result, into)


def _to_tf32(e: Emission, item: Instruction, value: Any) -> Any:
    """The bits of an f32 rounded to ten bits behind the point, halves away from zero."""
    if item.modifiers != ("rna",):
        raise e.unsupported(item, "this rounding to this type")
    builder = e.builder
    bits = e.as_integer(value)
    rounded = builder.and_(builder.add(bits, same(bits, 0x1000)), same(bits, 0xFFFFE000))
    missing = builder.fcmp_unordered("uno", value, value)
    return builder.select(missing, same(bits, 0x7FFFFFFF), rounded)


def _with_brain_float(e: Emission, item: Instruction) -> Any:
    """A conversion from or to bf16, by way of f32."""
    into, source = item.types
    rounding = next((one for one in item.modifiers if one in ("rz", "rm", "rp")), "rn")
    if source == "bf16":
        value = widened(e, e.read(item.operands[1], I16))
        if into == "bf16":
            return narrowed(e, value)
        if into == "f32":
            return value
        return _from_float(e, item, value, element_type(into))
    kind = element_type(source)
    value = e.read(item.operands[1], kind)
    if not is_float(kind):
        if kind is I64:
            raise e.unsupported(item, "a 64-bit integer to this type")
        convert = e.builder.sitofp if source[0] == "s" else e.builder.uitofp
        value = convert(value, like(value, DOUBLE))
    elif kind is HALF:
        value = e.builder.fpext(value, like(value, FLOAT))
    if rounding in ("rm", "rp"):
        raise e.unsupported(item, "a directed rounding of this type")
    return narrowed(e, value, rounding)


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
        if into is not FLOAT:
            raise e.unsupported(item, "a directed rounding of this type")
        if width > 32:
            return round_directed(e, *_in_two_parts(e, value, signed), mode)
        exact = convert(value, like(value, DOUBLE))
        zero = e.convert(same(builder.bitcast(exact, like(exact, I64)), 0), DOUBLE)
        return round_directed(e, exact, zero, mode)
    if into is HALF:
        if width == 64:
            value = _clamped(e, value, signed, "s32") if signed else _clamped(e, value, signed, "u32")
        return to_half(e, convert(value, like(value, DOUBLE)))
    return convert(value, like(value, into))


def _in_two_parts(e: Emission, value: Any, signed: bool) -> tuple[Any, Any]:
    """A 64-bit integer as a double and what that lacks: the sum of its halves and the sum's error."""
    builder = e.builder
    wide = like(value, DOUBLE)
    low = builder.and_(value, same(value, 0xFFFFFFFF))
    high = builder.sub(value, low)
    upper = (builder.sitofp if signed else builder.uitofp)(high, wide)
    return sum_and_error(builder, upper, builder.uitofp(low, wide))


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
            return half_directed(e, value, mode)
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

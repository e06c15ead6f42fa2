"""Floating point arithmetic; PTX ISA, "Floating Point Instructions" and "Half Precision Floating Point"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.arithmetic.brain_floats import brain_arithmetic, narrowed, widened
from advisor.evidence.simulated.simt.vector.arithmetic.packed import PACKED, at_least_zero, by_halves
from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    HALF,
    I16,
    I32,
    I64,
    element_of,
    element_type,
    integer_of,
    like,
    same,
    width_of,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_DIRECTED = frozenset({"rz", "rm", "rp"})
# Bits of the smallest normal number and of one.
_SMALLEST = {32: 0x00800000, 64: 0x0010000000000000}
_ONE = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}


def float_arithmetic(e: Emission, item: Instruction) -> None:
    """Translate add, sub, mul, fma, mad, div, min, max, abs and neg of floating point numbers."""
    name = item.types[0]
    if name in PACKED:
        e.write(item, by_halves(e, item, lambda bits: _sixteen_bits(e, item, PACKED[name], bits)))
        return
    if name == "bf16":
        e.write(item, brain_arithmetic(e, item, e.reads(item, I16)))
        return
    if name not in ("f16", "f32", "f64"):
        raise e.unsupported(item)
    if "relu" in item.modifiers and name != "f16":
        raise e.unsupported(item, "the modifier .relu")
    if name == "f16":
        e.write(item, _sixteen_bits(e, item, name, e.reads(item, I16)))
        return
    values = [flushed(e, item, value) for value in e.reads(item, element_type(name))]
    e.write(item, finish(e, item, _calculate(e, item, values)))


def _sixteen_bits(e: Emission, item: Instruction, name: str, bits: Sequence[Any]) -> Any:
    """An f16 or bf16 as bits, made of the bits of others."""
    if name == "bf16":
        return brain_arithmetic(e, item, bits)
    values = [flushed(e, item, e.convert(one, HALF)) for one in bits]
    result = finish(e, item, _calculate(e, item, values))
    return at_least_zero(e, item, result, name)


def _calculate(e: Emission, item: Instruction, values: list[Any]) -> Any:
    kind = element_of(values[0])
    directed = _DIRECTED.intersection(item.modifiers)
    if directed and item.opcode in ("add", "sub", "mul", "fma", "mad", "div"):
        if kind is not FLOAT:
            raise e.unsupported(item, "a directed rounding of this type")
        return _rounded_to(e, item, values, next(iter(directed)))
    if kind is HALF:
        return _half(e, item, values)
    return plain_arithmetic(e, item.opcode, values, nan="NaN" in item.modifiers)


def plain_arithmetic(e: Emission, opcode: str, values: list[Any], nan: bool = False) -> Any:
    """The result of an operation of f32 or f64; `nan` says that a NaN gives a NaN in min and max."""
    builder = e.builder
    if opcode in ("add", "sub", "mul", "div"):
        return getattr(builder, "f" + opcode)(*values)
    if opcode in ("fma", "mad"):
        return builder.elementwise("llvm.fma", *values)
    if opcode == "abs":
        return builder.elementwise("llvm.fabs", values[0])
    if opcode == "neg":
        return builder.fneg(values[0])
    return _extreme(e, opcode, values[0], values[1], nan)


def _extreme(e: Emission, opcode: str, one: Any, other: Any, nan: bool) -> Any:
    """The smaller or larger of two numbers; a NaN gives the other, -0 is smaller than +0."""
    builder = e.builder
    kind = element_of(one)
    integer = like(one, integer_of(width_of(kind)))
    first, second = builder.bitcast(one, integer), builder.bitcast(other, integer)
    both = builder.or_(first, second) if opcode == "min" else builder.and_(first, second)
    equal = builder.fcmp_ordered("==", one, other)
    less = builder.fcmp_ordered("<" if opcode == "min" else ">", one, other)
    chosen = builder.select(less, one, other)
    chosen = builder.select(equal, builder.bitcast(both, one.type), chosen)
    one_nan = builder.fcmp_unordered("uno", one, one)
    other_nan = builder.fcmp_unordered("uno", other, other)
    quiet = e.convert(same(first, _quiet_nan(width_of(kind))), kind)
    if nan:
        return builder.select(builder.or_(one_nan, other_nan), quiet, chosen)
    chosen = builder.select(other_nan, one, builder.select(one_nan, other, chosen))
    return builder.select(builder.and_(one_nan, other_nan), quiet, chosen)


def _quiet_nan(width: int) -> int:
    return {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FF8000000000000}[width]


def _half(e: Emission, item: Instruction, values: list[Any]) -> Any:
    """Arithmetic of f16; sums, products and quotients in f32 round once more without harm, fma needs f64."""
    builder = e.builder
    if item.opcode in ("fma", "mad"):
        wide = like(values[0], DOUBLE)
        exact = builder.elementwise("llvm.fma", *(builder.fpext(value, wide) for value in values))
        return to_half(e, exact)
    if item.opcode == "neg":
        bits = e.as_integer(values[0])
        return e.convert(builder.xor(bits, same(bits, 0x8000)), HALF)
    wide = like(values[0], FLOAT)
    result = plain_arithmetic(
        e, item.opcode, [builder.fpext(value, wide) for value in values], "NaN" in item.modifiers
    )
    return builder.fptrunc(result, like(result, HALF))


def to_half(e: Emission, value: Any) -> Any:
    """A double rounded once to f16: first to a float of odd last bit where digits are lost, then to even."""
    builder = e.builder
    bits = builder.bitcast(value, like(value, I64))
    rest = builder.and_(bits, same(bits, (1 << 29) - 1))
    lost = builder.icmp_unsigned("!=", rest, same(rest, 0))
    kept = builder.xor(bits, rest)
    odd = builder.or_(kept, builder.select(lost, same(bits, 1 << 29), same(bits, 0)))
    single = builder.fptrunc(builder.bitcast(odd, value.type), like(value, FLOAT))
    return builder.fptrunc(single, like(value, HALF))


def _rounded_to(e: Emission, item: Instruction, values: list[Any], mode: str) -> Any:
    """A result of f32 rounded to zero, down or up: calculated in f64 with its error, then stepped."""
    builder = e.builder
    wide = [builder.fpext(value, like(value, DOUBLE)) for value in values]
    if item.opcode == "div":
        near = builder.fdiv(*wide)
        error = builder.elementwise("llvm.fma", builder.fneg(near), wide[1], wide[0])
        error = builder.fmul(error, builder.elementwise("llvm.copysign", _real(e, near, 1.0), wide[1]))
    elif item.opcode == "mul":
        near, error = builder.fmul(*wide), _real(e, wide[0], 0.0)
    else:
        if item.opcode in ("fma", "mad"):
            one, other = builder.fmul(wide[0], wide[1]), wide[2]
        else:
            one, other = wide[0], wide[1] if item.opcode == "add" else builder.fneg(wide[1])
        near, error = sum_and_error(builder, one, other)
    return round_directed(e, near, error, mode)


def sum_and_error(builder: Any, one: Any, other: Any) -> tuple[Any, Any]:
    """The sum of two doubles and what rounding took from it (Knuth, TAOCP 2, 4.2.2, theorem B)."""
    total = builder.fadd(one, other)
    back = builder.fsub(total, one)
    error = builder.fadd(builder.fsub(one, builder.fsub(total, back)), builder.fsub(other, back))
    return total, error


def _real(e: Emission, model: Any, number: float) -> Any:
    import struct

    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return e.convert(same(e.builder.bitcast(model, like(model, I64)), bits), DOUBLE)


def round_directed(e: Emission, near: Any, error: Any, mode: str) -> Any:
    """The f32 next to near + error towards zero (`rz`), down (`rm`) or up (`rp`)."""
    builder = e.builder
    single = builder.fptrunc(near, like(near, FLOAT))
    difference = builder.fsub(near, builder.fpext(single, near.type))
    zero = _real(e, near, 0.0)
    level = builder.fcmp_ordered("==", difference, zero)
    rest = builder.select(level, error, difference)
    down = builder.fcmp_ordered("<", rest, zero)
    up = builder.fcmp_ordered(">", rest, zero)
    return _stepped(e, single, down, up, mode)


def half_directed(e: Emission, value: Any, mode: str) -> Any:
    """The f16 next to a float or double towards zero (`rz`), down (`rm`) or up (`rp`)."""
    builder = e.builder
    near = to_half(e, builder.fpext(value, like(value, DOUBLE)) if element_of(value) is FLOAT else value)
    again = builder.fpext(near, value.type)
    down, up = (builder.fcmp_ordered(sign, value, again) for sign in ("<", ">"))
    return _stepped(e, near, down, up, mode)


def _stepped(e: Emission, near: Any, down: Any, up: Any, mode: str) -> Any:
    """A rounded number, or its neighbour where the exact one lies beyond it and `mode` asks for that."""
    builder = e.builder
    bits = e.as_integer(near)
    negative = builder.icmp_signed("<", bits, same(bits, 0))
    if mode == "rz":
        step_down = builder.and_(down, builder.not_(negative))
        step_up = builder.and_(up, negative)
    else:
        never = builder.and_(down, builder.not_(down))
        step_down, step_up = (down, never) if mode == "rm" else (never, up)
    return builder.bitcast(_step(e, bits, step_down, step_up), near.type)


def _step(e: Emission, bits: Any, down: Any, up: Any) -> Any:
    """The bits of the next lower or higher number where asked for."""
    builder = e.builder
    sign = 1 << (width_of(element_of(bits)) - 1)
    negative = builder.icmp_signed("<", bits, same(bits, 0))
    magnitude = builder.and_(bits, same(bits, sign - 1))
    zero = builder.icmp_unsigned("==", magnitude, same(bits, 0))
    away = builder.or_(builder.and_(down, negative), builder.and_(up, builder.not_(negative)))
    moved = builder.select(away, builder.add(bits, same(bits, 1)), builder.sub(bits, same(bits, 1)))
    from_zero = builder.select(down, same(bits, sign | 1), same(bits, 1))
    moved = builder.select(zero, from_zero, moved)
    return builder.select(builder.or_(down, up), moved, bits)


def flushed(e: Emission, item: Instruction, value: Any) -> Any:
    """A value with subnormal numbers made zero of their sign where the instruction says `.ftz`."""
    kind = element_of(value)
    if "ftz" not in item.modifiers or (kind is not FLOAT and item.opcode not in ("rcp", "rsqrt")):
        return value
    if kind not in (FLOAT, DOUBLE):
        return value
    builder = e.builder
    bits = e.as_integer(value)
    width = width_of(kind)
    magnitude = builder.and_(bits, same(bits, (1 << (width - 1)) - 1))
    small = builder.icmp_unsigned("<", magnitude, same(bits, _SMALLEST[width]))
    sign = builder.and_(bits, same(bits, 1 << (width - 1)))
    return e.convert(builder.select(small, sign, bits), kind)


def finish(e: Emission, item: Instruction, value: Any) -> Any:
    """A result flushed and clamped to 0 … 1 where the instruction says `.ftz` and `.sat`."""
    value = flushed(e, item, value)
    return saturated(e, value) if "sat" in item.modifiers else value


def saturated(e: Emission, value: Any) -> Any:
    """A value clamped to 0 … 1; NaN becomes 0."""
    builder = e.builder
    kind = element_of(value)
    bits = e.as_integer(value)
    zero, one = e.convert(same(bits, 0), kind), e.convert(same(bits, _ONE[width_of(kind)]), kind)
    value = builder.select(builder.fcmp_ordered(">", value, zero), value, zero)
    return builder.select(builder.fcmp_ordered("<", value, one), value, one)


@handles("sqrt", "rcp", "rsqrt")
def _root(e: Emission, item: Instruction) -> None:
    if _DIRECTED.intersection(item.modifiers):
        raise e.unsupported(item, "a directed rounding")
    builder = e.builder
    kind = element_type(item.types[0])
    value = flushed(e, item, e.read(item.operands[1], kind))
    one = e.convert(same(e.as_integer(value), _ONE[width_of(kind)]), kind)
    if item.opcode != "rcp":
        value = builder.elementwise("llvm.sqrt", value)
    e.write(item, finish(e, item, value if item.opcode == "sqrt" else builder.fdiv(one, value)))


@handles("ex2", "lg2", "sin", "cos", "tanh")
def _transcendental(e: Emission, item: Instruction) -> None:
    name = item.types[0]
    if name in PACKED:
        e.write(item, by_halves(e, item, lambda bits: _approximated(e, item, PACKED[name], bits[0])))
    elif name in ("f16", "bf16"):
        e.write(item, _approximated(e, item, name, e.read(item.operands[1], I16)))
    elif name == "f32":
        value = flushed(e, item, e.read(item.operands[1], FLOAT))
        e.write(item, finish(e, item, _transcendental_of(e, item.opcode, value)))
    else:
        raise e.unsupported(item)


def _approximated(e: Emission, item: Instruction, name: str, bits: Any) -> Any:
    """A function of an f16 or bf16, given as bits, rounded to the same type."""
    if name == "bf16":
        return narrowed(e, _transcendental_of(e, item.opcode, widened(e, bits)))
    value = e.convert(bits, HALF)
    result = _transcendental_of(e, item.opcode, e.builder.fpext(value, like(value, FLOAT)))
    return finish(e, item, e.builder.fptrunc(result, like(result, HALF)))


def _transcendental_of(e: Emission, opcode: str, value: Any) -> Any:
    builder = e.builder
    vector_value = builder.broadcast(value)
    result = e.call(f"{opcode}_f32", vector_value.type, vector_value)
    return result if vector_value is value else builder.lane(result, ir.Constant(I32, 0))


@handles("copysign")
def _copysign(e: Emission, item: Instruction) -> None:
    kind = element_type(item.types[0])
    sign, magnitude = e.reads(item, kind)
    e.write(item, e.builder.elementwise("llvm.copysign", magnitude, sign))


@handles("testp")
def _test(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[0])
    width = width_of(kind)
    bits = e.as_integer(e.read(item.operands[1], kind))
    magnitude = builder.and_(bits, same(bits, (1 << (width - 1)) - 1))
    infinite = same(bits, {32: 0x7F800000, 64: 0x7FF0000000000000}[width])
    smallest = same(bits, _SMALLEST[width])
    compare = builder.icmp_unsigned
    tests: dict[str, Callable[[], Any]] = {
        "finite": lambda: compare("<", magnitude, infinite),
        "infinite": lambda: compare("==", magnitude, infinite),
        "number": lambda: compare("<=", magnitude, infinite),
        "notanumber": lambda: compare(">", magnitude, infinite),
        "normal": lambda: builder.and_(compare(">=", magnitude, smallest), compare("<", magnitude, infinite)),
        "subnormal": lambda: compare("<", magnitude, smallest),
    }
    e.write(item, tests[item.modifiers[0]]())

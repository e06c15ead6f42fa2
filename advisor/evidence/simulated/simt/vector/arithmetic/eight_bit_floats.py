"""Numbers of eight bits: e4m3 and e5m2; PTX ISA, "Alternate Floating-Point Data Formats", "cvt".

An e5m2 is the high half of an f16. An e4m3 has an exponent biased by 7, no infinity and one NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.arithmetic.packed import joined_halves
from advisor.evidence.simulated.simt.vector.lanes import FLOAT, HALF, I8, I16, I32, Builder, like, same
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

_NAN = 0x7F
_FLOAT_NAN = 0x7FFFFFFF
_FLOAT_BIAS, _FLOAT_FRACTION = 127, 23


@dataclass(frozen=True)
class _Format:
    fraction: int
    bias: int
    largest: int


_FORMATS = {"e4m3": _Format(3, 7, 0x7E), "e5m2": _Format(2, 15, 0x7B)}
PAIRS = {"e4m3x2": "e4m3", "e5m2x2": "e5m2"}


def widened_from_eight(builder: Builder, name: str, bits: Any) -> Any:
    """The numbers of eight bits as f32."""
    wide = builder.zext(bits, like(bits, I16))
    if name == "e5m2":
        return builder.fpext(
            builder.bitcast(builder.shl(wide, same(wide, 8)), like(wide, HALF)), like(wide, FLOAT)
        )
    magnitude = builder.and_(wide, same(wide, _NAN))
    sign = builder.shl(builder.and_(wide, same(wide, 0x80)), same(wide, 8))
    # An f16 with the same fraction has an exponent biased by 8 more: 256 times as much.
    half = builder.bitcast(builder.or_(builder.shl(magnitude, same(wide, 7)), sign), like(wide, HALF))
    value = builder.fpext(half, like(wide, FLOAT))
    word = like(wide, I32)
    times = builder.bitcast(same(builder.zext(wide, word), 0x43800000), value.type)
    missing = builder.bitcast(same(builder.zext(wide, word), _FLOAT_NAN), value.type)
    is_missing = builder.icmp_unsigned("==", magnitude, same(wide, _NAN))
    return builder.select(is_missing, missing, builder.fmul(value, times))


def narrowed_to_eight(e: Emission, item: Instruction, name: str, value: Any) -> Any:
    """The bits, in 16, of the nearest numbers of eight bits to f32; the largest for what is too large."""
    builder, form = e.builder, _FORMATS[name]
    bits = e.as_integer(value)
    magnitude = builder.and_(bits, same(bits, 0x7FFFFFFF))
    normal = _rounded_normal(builder, form, magnitude)
    scale = same(bits, _FLOAT_BIAS + form.bias + form.fraction - 1 << _FLOAT_FRACTION)
    units = builder.fmul(builder.bitcast(magnitude, value.type), builder.bitcast(scale, value.type))
    small = builder.fptoui(builder.elementwise("llvm.roundeven", units), like(bits, I32))
    least = _FLOAT_BIAS + 1 - form.bias << _FLOAT_FRACTION
    is_small = builder.icmp_unsigned("<", magnitude, same(bits, least))
    code = builder.elementwise("llvm.umin", builder.select(is_small, small, normal), same(bits, form.largest))
    negative = builder.icmp_signed("<", bits, same(bits, 0))
    if "relu" in item.modifiers:
        code = builder.select(negative, same(bits, 0), code)
    else:
        code = builder.or_(code, builder.select(negative, same(bits, 0x80), same(bits, 0)))
    missing = builder.fcmp_unordered("uno", value, value)
    return builder.trunc(builder.select(missing, same(bits, _NAN), code), like(bits, I16))


def _rounded_normal(builder: Builder, form: _Format, magnitude: Any) -> Any:
    """The bits of a normal number, halves to the even one."""
    dropped = _FLOAT_FRACTION - form.fraction
    last = builder.and_(builder.lshr(magnitude, same(magnitude, dropped)), same(magnitude, 1))
    more = builder.add(last, same(magnitude, (1 << dropped - 1) - 1))
    kept = builder.lshr(builder.add(magnitude, more), same(magnitude, dropped))
    return builder.sub(kept, same(magnitude, _FLOAT_BIAS - form.bias << form.fraction))


def pair_narrowed(e: Emission, item: Instruction) -> Any:
    """Two numbers of eight bits from two f32, the first in the high half, or from the halves of an f16x2."""
    builder, name = e.builder, PAIRS[item.types[0]]
    if item.types[1] == "f32":
        high, low = e.reads(item, FLOAT)
    else:
        both = e.read(item.operands[1], I32)
        low, high = (builder.fpext(one, like(one, FLOAT)) for one in _halves(builder, both))
    low, high = (narrowed_to_eight(e, item, name, one) for one in (low, high))
    return builder.or_(low, builder.shl(high, same(high, 8)))


def _halves(builder: Builder, both: Any) -> list[Any]:
    parts = [both, builder.lshr(both, same(both, 16))]
    return [builder.bitcast(builder.trunc(one, like(one, I16)), like(one, HALF)) for one in parts]


def pair_widened(e: Emission, item: Instruction) -> Any:
    """An f16x2 from two numbers of eight bits."""
    builder, name = e.builder, PAIRS[item.types[1]]
    both = e.read(item.operands[1], I16)
    parts = [builder.and_(both, same(both, 0xFF)), builder.lshr(both, same(both, 8))]
    floats = [_widened(builder, name, one) for one in parts]
    if "relu" in item.modifiers:
        zero = same(e.as_integer(floats[0]), 0)
        floats = [e.choose(_is_negative(e, one), e.convert(zero, FLOAT), one) for one in floats]
    return joined_halves(e, *(_half(builder, one) for one in floats))


def _widened(builder: Builder, name: str, bits: Any) -> Any:
    return widened_from_eight(builder, name, builder.trunc(bits, like(bits, I8)))


def _is_negative(e: Emission, value: Any) -> Any:
    return e.builder.fcmp_ordered("<", value, e.convert(same(e.as_integer(value), 0), FLOAT))


def _half(builder: Builder, value: Any) -> Any:
    """The bits of an f32 as an f16, of a NaN the canonical ones."""
    bits = builder.bitcast(builder.fptrunc(value, like(value, HALF)), like(value, I16))
    missing = builder.fcmp_unordered("uno", value, value)
    return builder.select(missing, same(bits, 0x7FFF), bits)

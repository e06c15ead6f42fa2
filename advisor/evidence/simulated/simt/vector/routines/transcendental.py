"""Routines for the approximate functions of the special function unit.

They are calculated in double precision and rounded to float; PTX ISA states the errors a device may have: ex2
2 ulp, lg2 2^-22, sin and cos 2^-20.5 in -pi … pi, tanh 2^-11 relative. Results here lie well within these.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from advisor.evidence.simulated.simt.vector.instruction_lines import Written
from advisor.evidence.simulated.simt.vector.lanes import DOUBLE, FLOAT, I64, splat, vector
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

_DOUBLES = vector(DOUBLE)
_LONGS = vector(I64)


def _real(number: float) -> Any:
    (bits,) = struct.unpack("<Q", struct.pack("<d", number))
    return Written(_DOUBLES, f"splat (double 0x{bits:016X})")


def _power_of_two(r: Routine, exponent: Any) -> Any:
    """2 to a double: a power series of the part behind the point, scaled by the whole part."""
    limited = r.select(r.fcmp_ordered("<", exponent, _real(1000.0)), exponent, _real(1000.0))
    limited = r.select(r.fcmp_ordered(">", limited, _real(-1000.0)), limited, _real(-1000.0))
    whole = r.elementwise("llvm.roundeven", limited)
    part = r.fmul(r.fsub(limited, whole), _real(math.log(2.0)))
    series = _real(1.0 / math.factorial(11))
    for degree in range(10, -1, -1):
        series = r.elementwise("llvm.fma", series, part, _real(1.0 / math.factorial(degree)))
    scale = r.shl(r.add(r.fptosi(whole, _LONGS), splat(I64, 1023)), splat(I64, 52))
    result = r.fmul(series, r.bitcast(scale, _DOUBLES))
    return r.select(r.fcmp_unordered("uno", exponent, exponent), exponent, result)


@routine("ex2_f32", vector(FLOAT), vector(FLOAT))
def _ex2(r: Routine) -> None:
    r.ret(r.fptrunc(_power_of_two(r, r.fpext(r.arguments[0], _DOUBLES)), vector(FLOAT)))


@routine("lg2_f32", vector(FLOAT), vector(FLOAT))
def _lg2(r: Routine) -> None:
    """Emit the exponent plus the logarithm of the rest by the series of the area tangent."""
    value = r.fpext(r.arguments[0], _DOUBLES)
    bits = r.bitcast(value, _LONGS)
    exponent = r.sub(r.ashr(bits, splat(I64, 52)), splat(I64, 1023))
    rest = r.or_(r.and_(bits, splat(I64, (1 << 52) - 1)), splat(I64, 1023 << 52))
    rest = r.bitcast(rest, _DOUBLES)
    large = r.fcmp_ordered(">", rest, _real(math.sqrt(2.0)))
    rest = r.select(large, r.fmul(rest, _real(0.5)), rest)
    exponent = r.select(large, r.add(exponent, splat(I64, 1)), exponent)
    ratio = r.fdiv(r.fsub(rest, _real(1.0)), r.fadd(rest, _real(1.0)))
    square = r.fmul(ratio, ratio)
    series = _real(1.0 / 15.0)
    for degree in range(13, 0, -2):
        series = r.elementwise("llvm.fma", series, square, _real(1.0 / degree))
    logarithm = r.fmul(r.fmul(series, ratio), _real(2.0 / math.log(2.0)))
    result = r.fadd(r.sitofp(exponent, _DOUBLES), logarithm)
    infinite = r.fcmp_ordered("==", value, _real(math.inf))
    result = r.select(infinite, value, result)
    zero = r.fcmp_ordered("==", value, _real(0.0))
    result = r.select(zero, _real(-math.inf), result)
    missing = r.fcmp_unordered("<", value, _real(0.0))
    r.ret(r.fptrunc(r.select(missing, _real(math.nan), result), vector(FLOAT)))


@routine("tanh_f32", vector(FLOAT), vector(FLOAT))
def _tanh(r: Routine) -> None:
    value = r.fpext(r.arguments[0], _DOUBLES)
    small = r.select(r.fcmp_unordered("<", value, _real(40.0)), value, _real(40.0))
    power = _power_of_two(r, r.fmul(small, _real(2.0 / math.log(2.0))))
    result = r.fdiv(r.fsub(power, _real(1.0)), r.fadd(power, _real(1.0)))
    tiny = r.fcmp_ordered("<", r.elementwise("llvm.fabs", value), _real(1e-5))
    r.ret(r.fptrunc(r.select(tiny, value, result), vector(FLOAT)))


for _name in ("sin", "cos"):
    routine(f"{_name}_f32", vector(FLOAT), vector(FLOAT))(
        (lambda name: lambda r: r.ret(r.elementwise(f"llvm.{name}", r.arguments[0])))(_name)
    )

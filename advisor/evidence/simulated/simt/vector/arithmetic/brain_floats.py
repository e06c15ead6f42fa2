"""Numbers of type bf16, the upper half of an f32; PTX ISA, "Alternate Floating-Point Data Formats"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.arithmetic.packed import at_least_zero
from advisor.evidence.simulated.simt.vector.lanes import DOUBLE, FLOAT, I16, I32, I64, element_of, like, same
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

_NAN = 0x7FFF


def widened(e: Emission, bits: Any) -> Any:
    """The f32 with the value of bf16 bits."""
    builder = e.builder
    wide = builder.zext(bits, like(bits, I32))
    return e.convert(builder.shl(wide, same(wide, 16)), FLOAT)


def narrowed(e: Emission, value: Any, mode: str = "rn") -> Any:
    """The bf16 bits of an f32 or f64, rounded to nearest even or, with `rz`, towards zero."""
    builder = e.builder
    single = _odd_float(e, value) if element_of(value) is DOUBLE else value
    bits = e.as_integer(single)
    if mode == "rn":
        last = builder.and_(builder.lshr(bits, same(bits, 16)), same(bits, 1))
        rounded = builder.add(bits, builder.add(last, same(bits, 0x7FFF)))
    else:
        rounded = bits
    upper = builder.lshr(rounded, same(bits, 16))
    missing = builder.fcmp_unordered("uno", single, single)
    upper = builder.select(missing, same(bits, _NAN), upper)
    return builder.trunc(upper, like(upper, I16))


def _odd_float(e: Emission, value: Any) -> Any:
    """A double as f32 whose last bit is odd where digits are lost, so that it can be rounded once more."""
    builder = e.builder
    bits = builder.bitcast(value, like(value, I64))
    rest = builder.and_(bits, same(bits, (1 << 29) - 1))
    lost = builder.icmp_unsigned("!=", rest, same(rest, 0))
    kept = builder.xor(bits, rest)
    odd = builder.or_(kept, builder.select(lost, same(bits, 1 << 29), same(bits, 0)))
    return builder.fptrunc(builder.bitcast(odd, value.type), like(value, FLOAT))


def brain_arithmetic(e: Emission, item: Instruction, bits: Sequence[Any]) -> Any:
    """The bf16 bits of a sum, product, fma, minimum, maximum, absolute value or negation of others."""
    from advisor.evidence.simulated.simt.vector.arithmetic.floats import plain_arithmetic

    builder = e.builder
    values = [widened(e, value) for value in bits]
    if item.opcode == "fma":
        wide = [builder.fpext(value, like(value, DOUBLE)) for value in values]
        result = narrowed(e, builder.elementwise("llvm.fma", *wide))
        return at_least_zero(e, item, result, "bf16")
    return narrowed(e, plain_arithmetic(e, item.opcode, values, "NaN" in item.modifiers))

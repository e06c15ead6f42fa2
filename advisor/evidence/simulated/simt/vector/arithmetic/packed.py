"""Two numbers of 16 bits in a register; PTX ISA, ".f16x2" and ".bf16x2"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.vector.lanes import I16, I32, like, same
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

# The types of two numbers, each with that of one.
PACKED = {"f16x2": "f16", "bf16x2": "bf16"}
_INFINITE = {"f16": 0x7C00, "bf16": 0x7F80}
_QUIET_NAN = 0x7FFF


def by_halves(e: Emission, item: Instruction, calculate: Callable[[list[Any]], Any]) -> Any:
    """What `calculate` makes of the low halves of all operands as 16 bits each, and of the high ones."""
    builder = e.builder
    values = e.reads(item, I32)
    results = []
    for shift in (0, 16):
        parts = [builder.lshr(value, same(value, shift)) if shift else value for value in values]
        results.append(calculate([builder.trunc(part, like(part, I16)) for part in parts]))
    return joined_halves(e, *results)


def joined_halves(e: Emission, low: Any, high: Any) -> Any:
    """The register with two numbers of 16 bits."""
    builder = e.builder
    low, high = builder.alike(e.as_integer(low), e.as_integer(high))
    wide = [builder.zext(one, like(one, I32)) for one in (low, high)]
    return builder.or_(wide[0], builder.shl(wide[1], same(wide[1], 16)))


def at_least_zero(e: Emission, item: Instruction, value: Any, kind: str) -> Any:
    """The bits of an f16 or bf16 with negative numbers made 0, where the instruction says `.relu`.

    A NaN becomes the canonical one. Without `.relu` the value stays as it is.
    """
    if "relu" not in item.modifiers:
        return value
    builder = e.builder
    bits = e.as_integer(value)
    magnitude = builder.and_(bits, same(bits, 0x7FFF))
    missing = builder.icmp_unsigned(">", magnitude, same(bits, _INFINITE[kind]))
    negative = builder.icmp_signed("<", bits, same(bits, 0))
    number = builder.select(negative, same(bits, 0), bits)
    return builder.select(missing, same(bits, _QUIET_NAN), number)

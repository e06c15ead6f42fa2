"""Notes where an index that is calculated with 32 bits differs from the same calculation with 64.

Within a block each 32-bit result of sums, products and shifts is known as an expression of the values that it
came from. Where such a result becomes a 64-bit index, the expression is evaluated exactly beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.index_widening import shifts_back, shifts_up, widenings
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Instruction, Integer, Operand, Register
from advisor.evidence.simulated.simt.vector.lanes import I32, I64, constant, is_vector, like
from advisor.evidence.simulated.simt.vector.translation.emission import Emission

# Makes the 64-bit value of an expression.
_Exact = Callable[[], Any]
_NARROW = frozenset({"s32", "u32", "b32"})


class IndexOverflow:
    """Follows the instructions of a function and adds the checks; `begin_block` forgets what it knows."""

    def __init__(self, function: Function) -> None:
        self._widenings = widenings(function)
        self._exact: dict[str, _Exact] = {}
        self._shifted: dict[str, _Exact] = {}

    def begin_block(self) -> None:
        """Forget what registers hold, which is known within a block only."""
        self._exact, self._shifted = {}, {}

    def check(self, e: Emission, number: int, item: Instruction) -> None:
        """Add the check of an instruction that widens an index. To be called before it."""
        if number not in self._widenings:
            return
        if shifts_back(item):
            source = item.operands[1]
            exact = self._shifted.get(source.name) if isinstance(source, Register) else None
            if exact is not None:
                value = exact()
                narrow = e.builder.trunc(value, like(value, I32))
                _compare(e, item, value, e.builder.sext(narrow, value.type))
            return
        count = 2 if item.opcode in ("mul", "mad") else 1
        for operand in item.operands[1 : 1 + count]:
            exact = self._exact.get(operand.name) if isinstance(operand, Register) else None
            if exact is not None:
                value = e.read(operand, I32)
                _compare(e, item, exact(), e.builder.sext(value, like(value, I64)))

    def follow(self, e: Emission, item: Instruction) -> None:
        """Learn what an instruction's result is. To be called before it is translated."""
        if not self._widenings or not item.operands or not isinstance(item.operands[0], Register):
            return
        name = item.operands[0].name
        exact = self._expression(e, item) if item.predicate is None else None
        shifted = self._shift(e, item) if item.predicate is None else None
        for known, value in ((self._exact, exact), (self._shifted, shifted)):
            known.pop(name, None)
            if value is not None:
                known[name] = value

    def _expression(self, e: Emission, item: Instruction) -> _Exact | None:
        builder = e.builder
        if item.opcode == "cvt" and item.types in (("u32", "u64"), ("s32", "s64"), ("u32", "s64")):
            value = e.read(item.operands[1], I64)
            return None if item.modifiers else lambda: value
        if not item.types or item.types[0] not in _NARROW or not set(item.modifiers) <= {"lo"}:
            return None
        if item.opcode == "mov" and isinstance(item.operands[1], Register):
            return self._exact.get(item.operands[1].name)
        if item.opcode in ("add", "sub", "mul", "mad"):
            parts = [self._leaf(e, operand) for operand in item.operands[1:]]
            first = "mul" if item.opcode == "mad" else item.opcode

            def calculated() -> Any:
                result = getattr(builder, first)(*builder.alike(parts[0](), parts[1]()))
                return builder.add(*builder.alike(result, parts[2]())) if len(parts) == 3 else result

            return calculated
        if item.opcode == "shl" and isinstance(item.operands[2], Integer) and item.operands[2].value < 31:
            part, places = self._leaf(e, item.operands[1]), item.operands[2].value

            def moved() -> Any:
                value = part()
                return builder.shl(value, _same(value, places))

            return moved
        return None

    def _leaf(self, e: Emission, operand: Operand) -> _Exact:
        known = self._exact.get(operand.name) if isinstance(operand, Register) else None
        if known is not None:
            return known
        value = e.read(operand, I32)
        return lambda: e.builder.sext(value, like(value, I64))

    def _shift(self, e: Emission, item: Instruction) -> _Exact | None:
        """What a register holds in its upper half, before that was cut off."""
        if shifts_up(item):
            value = e.read(item.operands[1], I64)
            return lambda: value
        if item.opcode == "add" and item.types == ("s64",) and isinstance(item.operands[2], Integer):
            source, more = item.operands[1], item.operands[2].value
            known = self._shifted.get(source.name) if isinstance(source, Register) else None
            if known is not None and more % (1 << 32) == 0:

                def further() -> Any:
                    value = known()
                    return e.builder.add(value, _same(value, more >> 32))

                return further
        return None


def _same(value: Any, number: int) -> Any:
    return constant(I64, number) if not is_vector(value) else ir.Constant(value.type, [number] * 32)


def _compare(e: Emission, item: Instruction, exact: Any, narrow: Any) -> None:
    builder = e.builder
    different = builder.icmp_signed("!=", *builder.alike(exact, narrow))
    active = e.active(item)
    if is_vector(different):
        lanes = builder.and_(builder.bits(different), active)
    else:
        lanes = builder.select(different, active, constant(I32, 0))
    with builder.if_then(builder.icmp_unsigned("!=", lanes, constant(I32, 0)), likely=False):
        e.call("note_overflow", ir.VoidType(), e.context, lanes, constant(I32, item.text_line))

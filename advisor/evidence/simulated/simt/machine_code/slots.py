"""The machine instructions that each PTX instruction of a function becomes, by what stands around it.

`knowledge/machine/instructions.toml` has what an instruction costs by itself. 64-bit integers cost one for
each half that is needed (halves.py), and ptxas joins some instructions with others (joined.py). How far this
lies from real machine code: docs/decisions/0035, benchmarks/published/machine_instructions.py.
"""

from __future__ import annotations

from advisor.evidence.simulated.simt.instruction_costs import cost_of
from advisor.evidence.simulated.simt.machine_code.halves import (
    HALF,
    HIGH,
    LOW,
    asks_sign,
    constant_halves,
    is_long,
    used_halves,
    wanted_halves,
    zero_halves,
    zero_of,
)
from advisor.evidence.simulated.simt.machine_code.joined import joined
from advisor.evidence.simulated.simt.machine_code.uses import uses
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Instruction, Integer, SpecialRegister

_ONES = (1 << HALF) - 1
_BY_HALVES = frozenset({"add", "sub", "and", "or", "xor", "not", "neg", "shl", "shr", "selp"})
_LOGIC = frozenset({"and", "or", "xor"})


def machine_slots(function: Function) -> tuple[int, ...]:
    """The issue slots of each instruction of a function."""
    known = uses(function)
    used, zero = used_halves(known), zero_halves(known)
    without = joined(known, used)
    return tuple(
        0 if number in without else _slots(item, wanted_halves(item, used), zero)
        for number, item in enumerate(known.instructions)
    )


def _slots(item: Instruction, wanted: int, zero: dict[str, int]) -> int:
    if item.opcode == "mov" and isinstance(item.operands[1], SpecialRegister):
        return 1
    if item.opcode == "cvt" and item.types == ("s64", "s32"):
        return 1 if wanted & HIGH else 0
    if not is_long(item):
        return cost_of(item).slots
    if item.opcode in _BY_HALVES:
        return sum(_half(item, half, zero) for half in (LOW, HIGH) if wanted & half)
    if item.opcode == "setp":
        return 1 if asks_sign(item) or _is_narrow(item, zero) else 2
    if item.opcode in ("mul", "mad") and "lo" in item.modifiers and not wanted & HIGH:
        return 1
    return cost_of(item).slots


def _is_narrow(item: Instruction, zero: dict[str, int]) -> bool:
    """Whether a comparison is one of numbers whose high halves are zero."""
    return all(zero_of(one, zero) & HIGH for one in item.operands[1:3])


def _half(item: Instruction, half: int, zero: dict[str, int]) -> int:
    """The instructions for one half of a 64-bit result: none for a constant or a copy."""
    sources = [zero_of(one, zero) for one in item.operands[1:]]
    if item.opcode in _LOGIC:
        return 0 if any(one & half for one in sources) or _is_all_ones(item, half) else 1
    if item.opcode == "add":
        copied = any(one & LOW for one in sources)
        return 0 if copied and (half == LOW or any(one & HIGH for one in sources)) else 1
    if item.opcode == "selp":
        return _choice(item, half)
    step = item.operands[2] if len(item.operands) > 2 else None
    if item.opcode in ("shl", "shr") and isinstance(step, Integer) and step.value >= HALF:
        return _moved_half(item, step.value, half)
    return 1


def _is_all_ones(item: Instruction, half: int) -> bool:
    """Whether an operand is a constant with all bits of a half set."""
    place = 0 if half == LOW else 1
    return any(
        isinstance(one, Integer) and constant_halves(one.value)[place] == _ONES for one in item.operands[1:]
    )


def _choice(item: Instruction, half: int) -> int:
    """A half of a choice: none where both constants have the same, or where it is the low half again."""
    constants = [constant_halves(one.value) for one in item.operands[1:3] if isinstance(one, Integer)]
    if len(constants) < 2:
        return 1
    place = 0 if half == LOW else 1
    same = constants[0][place] == constants[1][place]
    repeated = half == HIGH and all(low == high for low, high in constants)
    return 0 if same or repeated else 1


def _moved_half(item: Instruction, step: int, half: int) -> int:
    """A half of a shift by 32 bits or more, which moves one half into the other."""
    if item.opcode == "shr" and half == HIGH:
        return 1 if item.types[0] == "s64" else 0
    moved = HIGH if item.opcode == "shl" else LOW
    return 1 if half == moved and step > HALF else 0

"""Who defines and who uses the registers of a function."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Instruction,
    Integer,
    Operand,
    Register,
    Symbol,
)

_ACCESSES = frozenset({"ld", "st", "atom", "red", "ldu", "ldmatrix", "stmatrix", "cp"})


@dataclass(frozen=True)
class Uses:
    """By register the numbers of the instructions that define it, and of those that read it."""

    instructions: tuple[Instruction, ...]
    definitions: dict[str, tuple[int, ...]]
    readers: dict[str, tuple[int, ...]]

    def only_definition(self, operand: Operand) -> int | None:
        """The number of the one instruction that gives a register its value, None where there are others."""
        if not isinstance(operand, Register):
            return None
        found = self.definitions.get(operand.name, ())
        return found[0] if len(found) == 1 else None

    def definition_for_one(self, operand: Operand) -> int | None:
        """The same, where the register is read once in the whole function."""
        if not isinstance(operand, Register) or len(self.readers.get(operand.name, ())) != 1:
            return None
        return self.only_definition(operand)

    def is_constant(self, operand: Operand) -> bool:
        """Whether an operand is a number, or the place of a variable."""
        at = self.only_definition(operand)
        if at is None:
            return isinstance(operand, Integer)
        item = self.instructions[at]
        return item.opcode == "mov" and isinstance(item.operands[1], Integer | Symbol)


def uses(function: Function) -> Uses:
    """The definitions and readers of a function's registers."""
    definitions: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for number, item in enumerate(function.instructions):
        for name in results(item):
            definitions.setdefault(name, []).append(number)
        for name in reads(item):
            readers.setdefault(name, []).append(number)
    return Uses(
        tuple(function.instructions),
        {name: tuple(found) for name, found in definitions.items()},
        {name: tuple(found) for name, found in readers.items()},
    )


def accesses(item: Instruction) -> bool:
    """Whether an instruction reads or writes memory."""
    return item.opcode in _ACCESSES


def bases(item: Instruction) -> set[str]:
    """The registers that hold the addresses of an access."""
    return {
        one.base.name for one in item.operands if isinstance(one, Address) and isinstance(one.base, Register)
    }

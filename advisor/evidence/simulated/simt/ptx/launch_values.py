"""Registers that hold one value for all threads of a launch: made of constants and parameters alone."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Float,
    Function,
    Group,
    Instruction,
    Integer,
    Operand,
    Register,
    SpecialRegister,
)

_OF_THREADS = frozenset(
    {
        "shfl",
        "vote",
        "match",
        "redux",
        "elect",
        "activemask",
        "call",
        "extern",
        "atom",
        "bar",
        "mma",
        "wgmma",
        "mbarrier",
    }
)
_LOADS = frozenset({"ld", "ldu", "ldmatrix"})


@dataclass(frozen=True)
class LaunchValues:
    """Which operands have one value in a launch."""

    registers: frozenset[str]

    def are(self, operand: Operand) -> bool:
        """Whether an operand, or each part of one, has one value in a launch."""
        if isinstance(operand, Group):
            return all(self.are(part) for part in operand.items)
        if isinstance(operand, Register):
            return operand.name in self.registers
        return isinstance(operand, Integer | Float)


def values_of_the_launch(function: Function) -> LaunchValues:
    """The registers that are given once, by an instruction that reads nothing that differs."""
    given: dict[str, int] = {}
    for item in function.instructions:
        for name in results(item):
            given[name] = given.get(name, 0) + 1
    known: set[str] = set()
    before = -1
    while len(known) != before:
        before = len(known)
        for item in function.instructions:
            if _is_one_value(item) and all(name in known for name in reads(item)):
                known.update(name for name in results(item) if given[name] == 1)
    return LaunchValues(frozenset(known))


def _is_one_value(item: Instruction) -> bool:
    if item.opcode in _OF_THREADS or (item.opcode in _LOADS and "param" not in item.modifiers):
        return False
    return not any(isinstance(operand, SpecialRegister) for operand in item.operands)

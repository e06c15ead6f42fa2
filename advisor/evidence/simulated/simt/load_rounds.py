"""How often a warp waits for memory: loads that do not need each other's results wait together.

Within a block of instructions compilers move loads before the first use of what they give, but neither over a
store, which may change what they read, nor over a barrier.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Group,
    Instruction,
    Integer,
    Operand,
    Register,
)

_LOADS = frozenset({"ld", "ldu", "atom", "tex", "tld4"})
_STORES = frozenset({"st", "red", "stmatrix"})
_FENCES = frozenset({"bar", "barrier", "membar", "fence", "call"})
_FAST = frozenset({"shared", "param", "const"})


def load_rounds(instructions: Sequence[Instruction]) -> int:
    """The number of times that a warp waits for global or local memory in a block of instructions."""
    rounds: dict[str, int] = {}
    earliest = latest = copied = 0
    for item in instructions:
        ready = max((rounds.get(name, 0) for name in _registers(item.operands)), default=0)
        if item.opcode in _FENCES:
            earliest = latest
        elif item.opcode == "cp" and "bulk" in item.modifiers:
            # What waits for these is the phase of a barrier.
            continue
        elif item.opcode == "cp":
            if "global" in item.modifiers:
                copied = max(copied, max(ready, earliest) + 1)
            elif _waits_for_all(item):
                latest = max(latest, copied)
                earliest = latest
        elif item.opcode in _STORES:
            earliest = max(earliest, ready)
        elif item.operands:
            slow = item.opcode in _LOADS and not _FAST & set(item.modifiers)
            # What an instruction gives does not depend on what its register held before.
            given = list(_registers(item.operands[:1]))
            ready = max((rounds.get(name, 0) for name in _registers(item.operands[1:])), default=0)
            after = max(ready, earliest) + 1 if slow else ready
            latest = max(latest, after)
            for name in given:
                rounds[name] = after
    return latest


def _waits_for_all(item: Instruction) -> bool:
    """Whether copies that have just begun must have ended; others had the time of what lies between."""
    return "wait_all" in item.modifiers or (
        "wait_group" in item.modifiers and item.operands[:1] == (Integer(0),)
    )


def _registers(operands: Sequence[Operand]) -> list[str]:
    found = []
    for operand in operands:
        if isinstance(operand, Register):
            found.append(operand.name)
        elif isinstance(operand, Address) and isinstance(operand.base, Register):
            found.append(operand.base.name)
        elif isinstance(operand, Group):
            found += _registers(operand.items)
    return found

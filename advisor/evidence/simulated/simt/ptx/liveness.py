"""Which registers are still read behind each block of a function, and what each instruction writes and reads.

The carry flag counts as the register `CARRY` here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import Block, reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Instruction

CARRY = "%carry"
_WITH_CARRY = frozenset({"addc", "subc", "madc"})


@dataclass(frozen=True)
class Liveness:
    """For each block the registers that are still read behind its begin, and behind its end."""

    at_begin: tuple[frozenset[str], ...]
    at_end: tuple[frozenset[str], ...]

    @property
    def crossing(self) -> frozenset[str]:
        """The registers that carry a value from one block to another."""
        return frozenset().union(*self.at_begin) if self.at_begin else frozenset()


def written(item: Instruction) -> Iterator[str]:
    """The registers that an instruction writes."""
    yield from results(item)
    if "cc" in item.modifiers:
        yield CARRY


def read(item: Instruction) -> Iterator[str]:
    """The registers that an instruction reads; one that is written under a predicate is read as well."""
    yield from reads(item)
    if item.opcode in _WITH_CARRY:
        yield CARRY
    if item.predicate is not None:
        yield from results(item)


def liveness(function: Function, blocks: tuple[Block, ...]) -> Liveness:
    """The live registers of a function at the begin and the end of each of its blocks."""
    firsts, kills = [], []
    for block in blocks:
        first: set[str] = set()
        kill: set[str] = set()
        for item in function.instructions[block.first : block.last]:
            first.update(name for name in read(item) if name not in kill)
            kill.update(written(item))
        firsts.append(frozenset(first))
        kills.append(frozenset(kill))
    begin = list(firsts)
    end: list[frozenset[str]] = [frozenset()] * len(blocks)
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            after = frozenset().union(*(begin[target] for target in block.successors))
            if after != end[block.number]:
                end[block.number] = after
                begin[block.number] = firsts[block.number] | (after - kills[block.number])
                changed = True
    return Liveness(tuple(begin), tuple(end))

"""Which registers hold one value for all lanes of a warp, and which writes must spare the lanes that wait.

A branch whose predicate differs between lanes divides them: while some run, the others wait in blocks further
down. A register that lanes there still read must keep its value for them (`masked`), and so cannot be held
once for the warp. The blocks where the divided lanes may wait are found by labels that spread from both sides
of the branch until they meet, as in R. Karrenberg and S. Hack, "Whole-Function Vectorization", CGO 2011,
section 3.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import Block
from advisor.evidence.simulated.simt.ptx.liveness import Liveness, read, written
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Operand,
    SpecialRegister,
)

_LANE_REGISTERS = frozenset({"tid", "tid.x", "tid.y", "tid.z", "laneid"})
_PER_LANE = frozenset({"atom", "shfl", "call", "match"})


@dataclass(frozen=True)
class Uniformity:
    """`uniform` registers have one value for a warp; `masked` holds (block, register) of writes for some
    lanes.

    `ordered` is False where lanes may run out of order (a barrier that not all lanes reach together, a loop
    that waits for another thread); nothing is uniform across blocks and every write is masked there.
    """

    uniform: frozenset[str]
    masked: frozenset[tuple[int, str]]
    divided: frozenset[int]
    ordered: bool


def uniformity(function: Function, blocks: tuple[Block, ...], live: Liveness) -> Uniformity:
    """The uniform registers of a function, and the blocks that end in a branch which may divide a warp."""
    search = _Search(function, blocks, live)
    ordered = not _waits_in_a_loop(function, blocks)
    search.run(ordered)
    if ordered and search.barrier_divided:
        ordered = False
        search = _Search(function, blocks, live)
        search.run(ordered)
    every = {name for item in function.instructions for name in written(item)}
    return Uniformity(
        frozenset(every - search.divergent), frozenset(search.masked), frozenset(search.divided), ordered
    )


class _Search:
    def __init__(self, function: Function, blocks: tuple[Block, ...], live: Liveness) -> None:
        self.function = function
        self.blocks = blocks
        self.live = live
        self.divergent: set[str] = set()
        self.masked: set[tuple[int, str]] = set()
        self.divided: set[int] = set()
        self.barrier_divided = False
        self.writes = [
            frozenset(name for item in self._of(block) for name in written(item)) for block in blocks
        ]

    def run(self, ordered: bool) -> None:
        """Find the divergent registers until no more are found."""
        if not ordered:
            crossing = self.live.crossing
            self.divergent |= crossing
            self.masked |= {(block.number, name) for block in self.blocks for name in crossing}
        size = -1
        while size != len(self.divergent) + len(self.divided):
            size = len(self.divergent) + len(self.divided)
            for block in self.blocks:
                for item in self._of(block):
                    if _is_source(item) or any(name in self.divergent for name in read(item)):
                        self.divergent.update(written(item))
            for block in self.blocks:
                if block.number not in self.divided and self._divides(block):
                    self.divided.add(block.number)
                    self._spare_waiting_lanes(block)

    def _of(self, block: Block) -> list[Instruction]:
        return self.function.instructions[block.first : block.last]

    def _divides(self, block: Block) -> bool:
        if len(block.successors) == 2:
            predicate = self.function.instructions[block.last - 1].predicate
            return predicate is not None and predicate.name in self.divergent
        last = self.function.instructions[block.last - 1] if block.last > block.first else None
        return (
            last is not None
            and last.predicate is not None
            and last.opcode in ("ret", "exit", "trap")
            and last.predicate.name in self.divergent
        )

    def _spare_waiting_lanes(self, block: Block) -> None:
        labels, joins = _labels(block, self.blocks)
        for number, label in labels.items():
            if number not in joins and self.blocks[number].at_barrier:
                self.barrier_divided = True
            if not self.writes[number]:
                continue
            waiting: set[str] = set()
            for other, label_there in labels.items():
                if other > number and (label_there != label or other in joins):
                    waiting |= self.live.at_begin[other]
            spared = self.writes[number] & waiting
            self.divergent |= spared
            self.masked |= {(number, name) for name in spared}


def _labels(branch: Block, blocks: tuple[Block, ...]) -> tuple[dict[int, int], set[int]]:
    """For each block between a branch and where its lanes meet the side it is on; and the joins."""
    labels = {target: target for target in branch.successors}
    joins: set[int] = set()
    pending = sorted(labels)
    while pending:
        number = heapq.heappop(pending)
        if not pending and number in joins:
            break
        for target in blocks[number].successors:
            label = labels[number]
            if target not in labels:
                labels[target] = label
            elif labels[target] in (label, target) and (labels[target] == label or target in joins):
                continue
            else:
                labels[target] = target
                joins.add(target)
            if target not in pending:
                heapq.heappush(pending, target)
    return labels, joins


def _is_source(item: Instruction) -> bool:
    if item.opcode in _PER_LANE and "all" not in item.modifiers:
        return True
    if item.opcode == "ld" and ("local" in item.modifiers or not _states_space(item)):
        return True
    return any(_has_lane_register(operand) for operand in item.operands[1:])


def _states_space(item: Instruction) -> bool:
    return any(space in item.modifiers for space in ("global", "shared", "const", "param"))


def _has_lane_register(operand: Operand) -> bool:
    if isinstance(operand, SpecialRegister):
        return operand.name in _LANE_REGISTERS or operand.name.startswith("lanemask")
    if isinstance(operand, Group):
        return any(_has_lane_register(item) for item in operand.items)
    return isinstance(operand, Address) and _has_lane_register(operand.base)


def _waits_in_a_loop(function: Function, blocks: tuple[Block, ...]) -> bool:
    """Whether a block in a loop asks for what another thread writes: such a loop may wait for that thread."""
    for block in blocks:
        asks = any(
            (item.opcode == "atom" and ("cas" in item.modifiers or "exch" in item.modifiers))
            or (item.opcode == "ld" and ("volatile" in item.modifiers or "acquire" in item.modifiers))
            for item in function.instructions[block.first : block.last]
        )
        if asks and _in_loop(block, blocks):
            return True
    return False


def _in_loop(block: Block, blocks: tuple[Block, ...]) -> bool:
    seen: set[int] = set()
    stack = list(block.successors)
    while stack:
        number = stack.pop()
        if number == block.number:
            return True
        if number not in seen:
            seen.add(number)
            stack.extend(blocks[number].successors)
    return False

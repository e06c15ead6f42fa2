"""Which registers hold one value for all lanes of a warp, and which writes must spare the lanes that wait.

A branch whose predicate differs between lanes divides them: while some run, the others wait in blocks further
down. A register that lanes there still read must keep its value for them (`masked`), and so cannot be held
once for the warp. The blocks where the divided lanes may wait are found by labels that spread from both sides
of the branch until they meet, as in R. Karrenberg and S. Hack, "Whole-Function Vectorization", CGO 2011,
section 3.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.control_flow import Block
from advisor.evidence.simulated.simt.ptx.liveness import Liveness, read, written
from advisor.evidence.simulated.simt.ptx.loops import cycle_numbers
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Operand,
    SpecialRegister,
)

_LANE_REGISTERS = frozenset({"tid", "tid.x", "tid.y", "tid.z", "laneid"})
_ARRIVALS = frozenset({"arrive", "arrive_drop"})
_PER_LANE = frozenset({"atom", "shfl", "call", "match", "redux", "mma", "wgmma", "ldmatrix", "elect"})


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
    """Spreads divergence from the registers that differ between lanes to all that hangs on them."""

    def __init__(self, function: Function, blocks: tuple[Block, ...], live: Liveness) -> None:
        self.function = function
        self.blocks = blocks
        self.live = live
        self.divergent: set[str] = set()
        self.masked: set[tuple[int, str]] = set()
        self.divided: set[int] = set()
        self.barrier_divided = False
        self.pending: list[str] = []
        self.sources: list[str] = []
        # What a register's divergence makes divergent, and the blocks that it divides.
        self.given: dict[str, set[str]] = {}
        self.branches: dict[str, list[Block]] = {}
        self.writes = [self._read_block(block) for block in blocks]
        self.before_barriers = _before_barriers(blocks)
        self.awaiting = {
            block.number
            for block in blocks
            if any(_awaits(item) for item in function.instructions[block.first : block.last])
        }

    def run(self, ordered: bool) -> None:
        """Find the divergent registers until no more are found."""
        if not ordered:
            crossing = self.live.crossing
            self._diverge(crossing)
            self.masked |= {(block.number, name) for block in self.blocks for name in crossing}
        self._diverge(self.sources)
        while self.pending:
            name = self.pending.pop()
            self._diverge(self.given.get(name, ()))
            for block in self.branches.get(name, ()):
                self.divided.add(block.number)
                self._spare_waiting_lanes(block)

    def _read_block(self, block: Block) -> frozenset[str]:
        """The registers that a block writes; notes what they hang on."""
        writes: set[str] = set()
        for item in self.function.instructions[block.first : block.last]:
            results = tuple(written(item))
            writes.update(results)
            if _is_source(item):
                self.sources.extend(results)
            for name in read(item):
                self.given.setdefault(name, set()).update(results)
        predicate = self._decides(block)
        if predicate is not None:
            self.branches.setdefault(predicate, []).append(block)
        return frozenset(writes)

    def _decides(self, block: Block) -> str | None:
        """The predicate that may send the lanes of a block on different ways."""
        if block.last == block.first:
            return None
        last = self.function.instructions[block.last - 1]
        if last.predicate is None:
            return None
        ends = len(block.successors) == 2 or last.opcode in ("ret", "exit", "trap")
        return last.predicate.name if ends else None

    def _diverge(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self.divergent]
        self.divergent.update(new)
        self.pending.extend(new)

    def _spare_waiting_lanes(self, block: Block) -> None:
        others = [one for one in block.successors if not self._only_ends(one)]
        if len(block.successors) == 2 and len(others) < 2:
            # Lanes on one way end at once: none of them waits for the others.
            self.barrier_divided |= any(self.before_barriers[one] for one in others)
            return
        labels, joins = _labels(block, self.blocks)
        waiting = _Waiting()
        for number in sorted(labels, reverse=True):
            label = None if number in joins else labels[number]
            if label is not None and (self.blocks[number].at_barrier or number in self.awaiting):
                self.barrier_divided = True
            spared = {name for name in self.writes[number] if waiting.elsewhere(name, labels[number])}
            self._diverge(spared)
            self.masked |= {(number, name) for name in spared}
            waiting.add(self.live.at_begin[number], label)

    def _only_ends(self, number: int) -> bool:
        """Whether lanes end in a block without reading or writing a register."""
        block = self.blocks[number]
        touched = self.live.at_begin[number] or self.writes[number]
        return not block.successors and not block.at_barrier and not touched


class _Waiting:
    """How many blocks, and how many with each label, have lanes that still read a register."""

    def __init__(self) -> None:
        self.all: Counter[str] = Counter()
        self.labelled: Counter[tuple[int, str]] = Counter()

    def add(self, names: Iterable[str], label: int | None) -> None:
        """Add the registers read behind the begin of a block."""
        self.all.update(names)
        if label is not None:
            self.labelled.update((label, name) for name in names)

    def elsewhere(self, name: str, label: int) -> bool:
        """Whether a block without this label has lanes that still read a register."""
        return self.all[name] > self.labelled[label, name]


def _before_barriers(blocks: tuple[Block, ...]) -> list[bool]:
    """For each block whether it ends in a barrier or one that does can be reached from it."""
    cycles = cycle_numbers({block.number: block.successors for block in blocks})
    found: set[int] = set()
    for block in sorted(blocks, key=lambda one: cycles[one.number]):
        if block.at_barrier or any(cycles[target] in found for target in block.successors):
            found.add(cycles[block.number])
    return [cycles[block.number] in found for block in blocks]


def _labels(branch: Block, blocks: tuple[Block, ...]) -> tuple[dict[int, int], set[int]]:
    """For each block between a branch and where its lanes meet the side it is on; and the joins."""
    labels = {target: target for target in branch.successors}
    joins: set[int] = set()
    pending = sorted(labels)
    listed = set(pending)
    while pending:
        number = heapq.heappop(pending)
        listed.discard(number)
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
            if target not in listed:
                listed.add(target)
                heapq.heappush(pending, target)
    return labels, joins


def _awaits(item: Instruction) -> bool:
    return item.opcode == "mbarrier" and ("try_wait" in item.modifiers or "test_wait" in item.modifiers)


def _is_source(item: Instruction) -> bool:
    if item.opcode in _PER_LANE and "all" not in item.modifiers:
        return True
    if item.opcode == "mbarrier" and _ARRIVALS & set(item.modifiers):
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
    cycles = cycle_numbers({block.number: block.successors for block in blocks})
    members = Counter(cycles.values())
    return any(
        (members[cycles[block.number]] > 1 or block.number in block.successors)
        and any(_asks(item) for item in function.instructions[block.first : block.last])
        for block in blocks
    )


def _asks(item: Instruction) -> bool:
    if item.opcode == "atom":
        return "cas" in item.modifiers or "exch" in item.modifiers
    return item.opcode == "ld" and ("volatile" in item.modifiers or "acquire" in item.modifiers)

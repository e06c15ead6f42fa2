"""Basic blocks of a PTX function, in an order in which diverged lanes meet again.

Blocks are numbered in reverse post-order with the exits of a loop behind its body: when of all lanes those at
the lowest block run first, lanes that left a branch or a loop early wait where the others come by. A loop
with several ways back to its head gets an empty block behind its body in which they meet, or lanes that take
a short way would run ahead by whole iterations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.loops import cycle_numbers
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Integer,
    Operand,
    Register,
    Symbol,
)

_ENDS = frozenset({"bra", "ret", "exit", "trap", "brx"})
_BARRIERS = frozenset({"bar", "barrier"})
_WARP_WIDE = frozenset({"shfl", "vote", "match", "redux", "elect"})
_ALL_LANES: frozenset[Operand] = frozenset({Integer(-1), Integer(0xFFFFFFFF)})
# Instructions without a result in their first operand.
_NO_RESULT = frozenset({
    "st", "red", "bra", "brx", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "call", "prefetch",
    "nanosleep", "brkpt", "pmevent", "discard", "griddepcontrol", "stmatrix", "cp", "setmaxnreg", "tensormap",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions `first` to `last`, exclusive; `successors` are numbers of blocks.

    Of two successors the first lies behind the block, the second is where it branches to. `at_barrier` says
    that the block ends in a barrier. An empty block is the meeting place of the ways back to a loop's head.
    """

    number: int
    first: int
    last: int
    successors: tuple[int, ...]
    at_barrier: bool = False


@dataclass(frozen=True)
class ControlFlow:
    """The reachable blocks of a function in order, and the registers that cross from one block to another."""

    blocks: tuple[Block, ...]
    crossing: frozenset[str]


def control_flow(function: Function, meetings: bool = False) -> ControlFlow:
    """The control flow of a function with a body; raises ValueError for a branch to an unknown label.

    With `meetings` a block begins where all lanes of a warp wait for each other.
    """
    starts = _starts(function, meetings)
    ends = dict(zip(starts, [*starts[1:], len(function.instructions)], strict=True))
    targets = {start: _successors(function, end) for start, end in ends.items()}
    order = _join_ways_back(targets, _order(targets))
    numbers = {start: number for number, start in enumerate(order)}
    blocks = tuple(
        Block(
            number,
            max(start, 0),
            ends.get(start, 0),
            tuple(numbers[target] for target in targets[start]),
            start >= 0 and function.instructions[ends[start] - 1].opcode in _BARRIERS,
        )
        for number, start in enumerate(order)
    )
    return ControlFlow(blocks, _crossing(function, blocks))


def meetings_of(function: Function) -> frozenset[int]:
    """The numbers of instructions at which all lanes of a warp that have not ended wait for each other.

    The mask says that, as a constant or in a register that never holds another value.
    """
    values: dict[str, set[Operand]] = {}
    for item in function.instructions:
        for target in item.operands[:1] if item.opcode not in _NO_RESULT else ():
            for one in target.items if isinstance(target, Group) else (target,):
                if isinstance(one, Register):
                    value = item.operands[-1] if item.opcode == "mov" else target
                    values.setdefault(one.name, set()).add(value)
    whole = {Register(name) for name, known in values.items() if known <= _ALL_LANES}
    return frozenset(
        number
        for number, item in enumerate(function.instructions)
        if (item.opcode in _WARP_WIDE or (item.opcode == "bar" and "warp" in item.modifiers))
        and "sync" in item.modifiers
        and (item.operands[-1] in _ALL_LANES or item.operands[-1] in whole)
    )


def _starts(function: Function, meetings: bool) -> list[int]:
    count = len(function.instructions)
    found = {0, *(at for at in function.labels.values() if at < count)}
    for at, item in enumerate(function.instructions):
        if (item.opcode in _ENDS or item.opcode in _BARRIERS) and at + 1 < count:
            found.add(at + 1)
    found |= {at for at, item in enumerate(function.instructions) if awaits_phase(item)}
    return sorted(found | (meetings_of(function) if meetings else set()))


def awaits_phase(item: Instruction) -> bool:
    """Whether a warp may wait here for the phase of a barrier in shared memory: a block begins so."""
    return item.opcode == "mbarrier" and "try_wait" in item.modifiers and item.predicate is None


def _successors(function: Function, end: int) -> tuple[int, ...]:
    """Where control may go from the end of a block: behind it first, then where it branches to."""
    last = function.instructions[end - 1]
    found: list[int] = []
    falls = last.opcode not in _ENDS or last.predicate is not None
    if falls and end < len(function.instructions):
        found.append(end)
    if last.opcode == "bra":
        (target,) = last.operands
        if not isinstance(target, Symbol) or target.name not in function.labels:
            raise ValueError(f"PTX line {last.text_line}: the branch leads to no label of the function")
        at = function.labels[target.name]
        if at < len(function.instructions) and at not in found:
            found.append(at)
    return tuple(found)


def _order(targets: dict[int, tuple[int, ...]]) -> list[int]:
    """Starts of the reachable blocks in reverse post-order; of two ways that which loops back comes first."""
    if not targets:
        return []
    entry = min(targets)
    cycles = cycle_numbers(targets)
    done: list[int] = []
    seen = {entry}
    stack = [(entry, iter(_last_first(entry, targets, cycles)))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(_last_first(target, targets, cycles))))
                break
        else:
            done.append(node)
            stack.pop()
    return done[::-1]


def _last_first(node: int, targets: dict[int, tuple[int, ...]], cycles: dict[int, int]) -> list[int]:
    # What is walked first comes last in the order: ways out of the node's loop before ways that stay in it.
    return sorted(targets[node], key=lambda target: (cycles[node] == cycles[target], -target))


def _join_ways_back(targets: dict[int, tuple[int, ...]], order: list[int]) -> list[int]:
    """The order with a meeting place, a negative start, behind each loop that has several ways back.

    A meeting place lies directly behind the last block of its loop, so before those put there earlier.
    """
    places: dict[int, tuple[int, ...]] = {start: (number,) for number, start in enumerate(order)}
    before: dict[int, list[int]] = {}
    for start in order:
        for target in targets[start]:
            before.setdefault(target, []).append(start)
    for head in order:
        ends = [start for start in before.get(head, ()) if places[start] >= places[head]]
        if len(ends) < 2:
            continue
        meeting = -1 - head
        places[meeting] = (*max(places[start] for start in _loop_body(head, ends, before)), -len(places))
        targets[meeting] = (head,)
        before[meeting] = ends
        before[head] = [*(start for start in before[head] if start not in ends), meeting]
        for start in ends:
            targets[start] = tuple(meeting if target == head else target for target in targets[start])
    return sorted(places, key=lambda start: places[start])


def _loop_body(head: int, ends: list[int], before: dict[int, list[int]]) -> set[int]:
    body = {head, *ends}
    stack = [end for end in ends if end != head]
    while stack:
        for start in before.get(stack.pop(), ()):
            if start not in body:
                body.add(start)
                stack.append(start)
    return body


def results(item: Instruction) -> Iterator[str]:
    """The names of the registers that an instruction writes, the sink `_` left out."""
    if item.opcode in _NO_RESULT or not item.operands:
        return
    first = item.operands[0]
    for operand in first.items if isinstance(first, Group) else (first,):
        if isinstance(operand, Register) and operand.name != "_":
            yield operand.name


def reads(item: Instruction) -> Iterator[str]:
    """The names of the registers that an instruction reads, its predicate and addresses among them."""
    if item.predicate is not None:
        yield item.predicate.name
    # A product of a group of warps is added to what the registers of its result hold.
    sources = item.operands if item.opcode in _NO_RESULT or item.opcode == "wgmma" else item.operands[1:]
    for operand in sources:
        yield from _registers(operand)
    if item.opcode not in _NO_RESULT and item.operands and isinstance(item.operands[0], Address):
        yield from _registers(item.operands[0])


def _registers(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Register):
        if operand.name != "_":
            yield operand.name
    elif isinstance(operand, Address):
        yield from _registers(operand.base)
    elif isinstance(operand, Group):
        for item in operand.items:
            yield from _registers(item)


def _crossing(function: Function, blocks: tuple[Block, ...]) -> frozenset[str]:
    """Registers that some block reads before it writes them, or writes in part of its lanes only."""
    crossing: set[str] = set()
    for block in blocks:
        written: set[str] = set()
        for item in function.instructions[block.first : block.last]:
            crossing.update(name for name in reads(item) if name not in written)
            for name in results(item):
                if item.predicate is not None and name not in written:
                    crossing.add(name)
                written.add(name)
    return frozenset(crossing)

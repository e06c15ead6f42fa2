"""Follows what shuffles take from lanes that are not there to what depends on it.

Such a value is undefined. It may be calculated with and thrown away: at the end of a row, say, or in lanes
whose result nobody takes. What is noted is a branch, an address, a vote, or a store to shared or global
memory that depends on it (as in E. Stepanov and K. Serebryany, "MemorySanitizer: fast detector of
uninitialized memory use in C++", CGO 2015, but for stores, which nobody follows here).

Each register that may hold such a value has another one beside it, which tells of each lane where its value
arose: 0 where it is defined, else the line of the shuffle in the PTX text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from advisor.evidence.simulated.simt.ptx.control_flow import reads, results
from advisor.evidence.simulated.simt.ptx.ptx_program import (
    Address,
    Function,
    Group,
    Instruction,
    Operand,
    Register,
)
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    LANES,
    VOID,
    constant,
    lane_numbers,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import Context
from advisor.evidence.simulated.simt.vector.translation.emission import Emission
from advisor.evidence.simulated.simt.vector.translation.names import origin_of
from advisor.evidence.simulated.simt.vector.translation.warps import source_lane

# What these give does not follow from the registers that they read, or that is noted.
_DEFINED = frozenset(
    {"ld", "ldu", "ldmatrix", "atom", "vote", "match", "redux", "activemask", "elect", "extern", "call"}
)
_MEMORY = frozenset({"ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "cp"})


def shuffled_registers(function: Function) -> frozenset[str]:
    """The registers whose value may come from a shuffle."""
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for item in function.instructions:
            passes_on = item.opcode not in _DEFINED and not found.isdisjoint(reads(item))
            if item.opcode == "shfl" or passes_on:
                found.update(results(item))
    return frozenset(found)


class ShuffledValues:
    """Writes the code that follows them beside that of each instruction.

    `ordered` says that lanes never wait for each other but at barriers.
    """

    def __init__(self, registers: frozenset[str], ordered: bool) -> None:
        self._registers = registers
        self._ordered = ordered

    def follow(self, e: Emission, item: Instruction) -> None:
        """Note what depends on an undefined value, and learn what becomes of it. To be called before it."""
        if not self._registers:
            return
        self._note(e, self._joined(e, list(self._deciding(e, item))), e.active(item))
        if item.predicate is not None and not any(results(item)):
            self._note(e, self._origin(e, item.predicate), e.mask)
        if self._registers.isdisjoint(results(item)):
            return
        targets = _items(item.operands[0])
        for target, origin in zip(targets, self._origins(e, item, len(targets)), strict=True):
            if isinstance(target, Register) and target.name in self._registers:
                e.write(item, origin, Register(origin_of(target.name)))

    # Where something depends on a value

    def _note(self, e: Emission, origin: Any, running: Any) -> None:
        if origin is None:
            return
        builder = e.builder
        origin = builder.broadcast(origin)
        lanes = builder.and_(builder.bits(builder.icmp_unsigned("!=", origin, splat(I32, 0))), running)
        with builder.if_then(builder.icmp_unsigned("!=", lanes, constant(I32, 0)), likely=False):
            e.call("note_absent_lanes", VOID, e.context, lanes, origin)

    def _deciding(self, e: Emission, item: Instruction) -> Iterator[Any]:
        """The origins of the operands that an instruction must not depend on."""
        if item.opcode in _MEMORY:
            for operand in item.operands:
                if isinstance(operand, Address) and isinstance(operand.base, Register):
                    yield self._origin(e, operand.base)
            if item.opcode in ("st", "atom", "red", "stmatrix") and "local" not in item.modifiers:
                yield from (self._origin(e, one) for operand in _sources(item) for one in _items(operand))
        elif item.opcode in ("vote", "match", "redux"):
            yield self._origin(e, item.operands[1])

    # What becomes of values

    def _origin(self, e: Emission, operand: Operand | None) -> Any:
        """Where the value of an operand arose in each lane, None where all are defined."""
        if isinstance(operand, Register) and operand.name in self._registers:
            return e.register(origin_of(operand.name))
        return None

    def _joined(self, e: Emission, origins: Sequence[Any]) -> Any:
        """One origin of several for each lane, None where there are none."""
        builder, found = e.builder, None
        for one in origins:
            if found is None:
                found = one
            elif one is not None:
                found = builder.elementwise("llvm.umax", *builder.alike(found, one))
        return found

    def _origins(self, e: Emission, item: Instruction, count: int) -> list[Any]:
        if item.opcode == "shfl":
            defined = [constant(I32, 0)] * (count - 1)
            return [self._of_lanes(e, item), *defined]
        if item.opcode in _DEFINED:
            found = None
        elif item.opcode == "selp":
            found = self._of_selection(e, item)
        elif item.opcode in ("and", "or") and item.types == ("pred",):
            found = self._of_conjunction(e, item)
        else:
            operands = (one for operand in item.operands[1:] for one in _items(operand))
            found = self._joined(e, [self._origin(e, one) for one in operands])
        found = self._joined(e, [found, self._origin(e, item.predicate)])
        return [constant(I32, 0) if found is None else found] * count

    def _of_selection(self, e: Emission, item: Instruction) -> Any:
        one, other, predicate = item.operands[1:4]
        origins = [self._origin(e, operand) for operand in (one, other)]
        if origins == [None, None]:
            return self._origin(e, predicate)
        zero = constant(I32, 0)
        chosen = e.choose(e.read(predicate, I1), *(zero if one is None else one for one in origins))
        return self._joined(e, [chosen, self._origin(e, predicate)])

    def _of_conjunction(self, e: Emission, item: Instruction) -> Any:
        """Of `and` and `or`: an undefined side matters where the other one does not decide alone."""
        builder, zero = e.builder, constant(I32, 0)
        sides = [(e.read(operand, I1), self._origin(e, operand)) for operand in item.operands[1:3]]
        found = []
        for (_, origin), (value, others) in zip(sides, reversed(sides), strict=True):
            if origin is None:
                continue
            open_ = value if item.opcode == "and" else builder.not_(value)
            if others is not None:
                undefined = builder.icmp_unsigned("!=", *builder.alike(others, zero))
                open_ = builder.or_(*builder.alike(open_, undefined))
            found.append(e.choose(open_, origin, zero))
        return self._joined(e, found)

    def _of_lanes(self, e: Emission, item: Instruction) -> Any:
        """Of a shuffle: nothing to ask where all 32 lanes run, are in the mask, and hold defined values."""
        builder = e.builder
        step, limits = (e.read_vector(operand, I32) for operand in item.operands[2:4])
        mask = e.read_vector(item.operands[4], I32) if "sync" in item.modifiers else splat(I32, -1)
        origin, running = self._origin(e, item.operands[1]), e.active(item)
        origin = None if origin is None else builder.broadcast(origin)
        missing = builder.not_(builder.and_(builder.reduce("and", mask), running))
        some = missing if origin is None else builder.or_(missing, builder.reduce("or", origin))
        before = builder.block
        with builder.if_then(builder.icmp_unsigned("!=", some, constant(I32, 0)), likely=False):
            source, _ = source_lane(e, item, step, limits)
            there = self._are_there(e, source, mask, running)
            moved = splat(I32, 0)
            if origin is not None:
                moved = e.call("shuffle_32", vector(I32), origin, source)
            found = builder.select(there, moved, splat(I32, item.text_line))
            inside = builder.block
        result = builder.phi(vector(I32))
        result.add_incoming(splat(I32, 0), before)
        result.add_incoming(found, inside)
        others = [self._origin(e, operand) for operand in (*item.operands[2:], item.predicate)]
        return self._joined(e, [result, *others])

    def _are_there(self, e: Emission, source: Any, mask: Any, running: Any) -> Any:
        """For each lane whether the one that it asks is in its mask and runs; its own always is.

        A lane that its own mask lacks is noted as such.
        """
        builder = e.builder

        def has(lanes: Any, numbers: Any) -> Any:
            bit = builder.and_(builder.lshr(lanes, numbers), splat(I32, 1))
            return builder.icmp_unsigned("!=", bit, splat(I32, 0))

        if self._ordered:
            there = has(builder.broadcast(running), source)
        else:
            # Lanes may come to the shuffle one after the other.
            first = builder.mul(e.context_word(Context.WARP, I32), constant(I32, LANES))
            behind = builder.sub(e.context_word(Context.THREADS, I32), first)
            there = builder.icmp_signed("<", source, builder.broadcast(behind))
        own = lane_numbers()
        there = builder.or_(builder.and_(there, has(mask, source)), builder.not_(has(mask, own)))
        return builder.or_(there, builder.icmp_unsigned("==", source, own))


def _items(operand: Operand) -> Sequence[Operand]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _sources(item: Instruction) -> Sequence[Operand]:
    """The operands of a store or atomic operation that it takes values from."""
    return item.operands[1:] if item.opcode in ("st", "red", "stmatrix") else item.operands[2:]

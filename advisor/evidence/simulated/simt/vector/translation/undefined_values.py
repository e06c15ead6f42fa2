"""Follows values that are undefined from where they arise to where something depends on them.

They arise where a lane asks for the value of one that is not there, and where local memory is read that
nothing has written. They may be copied, calculated with, kept in local memory and thrown away; what is noted
is a branch, an address, a vote, or a store to shared or global memory that depends on one (as in E. Stepanov
and K. Serebryany, "MemorySanitizer: fast detector of uninitialized memory use in C++", CGO 2015, but for
stores, which nobody follows here).

Each register that may hold such a value has another one beside it, which tells of each lane where its value
arose: 0 where it is defined, else the line of the PTX text times two, plus one for local memory.
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
    I64,
    LANES,
    VOID,
    constant,
    element_type,
    lane_numbers,
    splat,
    vector,
    width_of,
)
from advisor.evidence.simulated.simt.vector.layout import LOCAL_WINDOW, WINDOW_BITS, Context, Space
from advisor.evidence.simulated.simt.vector.sites import Access
from advisor.evidence.simulated.simt.vector.translation.emission import Emission
from advisor.evidence.simulated.simt.vector.translation.names import origin_of
from advisor.evidence.simulated.simt.vector.translation.warps import own_mask_has, source_lane

# The bit of an origin that says: local memory.
_LOCAL = 1
# The bits above tell the windows of the generic address space apart.
_TOP_SHIFT = 56
_IN_LOCAL = (Space.LOCAL, Space.GENERIC)
# What these give is defined, or follows from what their own writers say.
_DEFINED = frozenset({"ld", "ldu", "atom", "vote", "match", "activemask", "elect", "extern", "call"})
_MEMORY = frozenset({"ld", "ldu", "st", "atom", "red"})


def undefined_registers(function: Function, accesses: dict[int, Access]) -> frozenset[str]:
    """The registers that may hold an undefined value of another lane or of local memory."""
    spaces = _local_spaces(function)
    loads = {at for at, one in accesses.items() if one.space in spaces and not one.writes}
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for at, item in enumerate(function.instructions):
            arises = item.opcode == "shfl" or at in loads
            if arises or (item.opcode not in _DEFINED and not found.isdisjoint(reads(item))):
                found.update(results(item))
    return frozenset(found)


def _local_spaces(function: Function) -> tuple[Space, ...]:
    """The spaces whose accesses may go to local memory."""
    return _IN_LOCAL if any(one.space == "local" for one in function.variables) else ()


class UndefinedValues:
    """Writes the code that follows them beside that of each instruction."""

    def __init__(self, function: Function, registers: frozenset[str], ordered: bool) -> None:
        self._registers = registers
        self._ordered = ordered
        self._local_spaces = _local_spaces(function)

    def follow(self, e: Emission, item: Instruction) -> None:
        """Note what depends on an undefined value, and learn what becomes of it. To be called before it."""
        if not self._registers:
            return
        self._note(e, self._joined(e, list(self._deciding(e, item))), e.active(item))
        if item.predicate is not None and not any(results(item)):
            self._note(e, self._origin(e, item.predicate), e.mask)
        if item.opcode == "st":
            self._keep_local(e, item)
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
            e.call("note_undefined", VOID, e.context, lanes, origin)

    def _deciding(self, e: Emission, item: Instruction) -> Iterator[Any]:
        """The origins of the operands that an instruction must not depend on."""
        if item.opcode in _MEMORY:
            for operand in item.operands:
                if isinstance(operand, Address) and isinstance(operand.base, Register):
                    yield self._origin(e, operand.base)
            if item.opcode in ("st", "atom", "red"):
                local = item.opcode == "st" and self._access(e).space in self._local_spaces
                for operand in _sources(item):
                    origins = [self._origin(e, one) for one in _items(operand)]
                    yield from (_of_shuffles(e, one) if local else one for one in origins)
        elif item.opcode in ("vote", "match"):
            yield self._origin(e, item.operands[1])

    def _access(self, e: Emission) -> Access:
        return e.names.accesses[e.names.current]

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
        if item.opcode in ("ld", "ldu"):
            return self._of_local(e, item, count)
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
        """Of a shuffle: lanes that ask for one outside of their mask, ended, or behind the block's last."""
        builder = e.builder
        step, limits = (e.read_vector(operand, I32) for operand in item.operands[2:4])
        source, _ = source_lane(e, item, step, limits)
        if self._ordered:
            running = builder.broadcast(e.active(item))
            bit = builder.and_(builder.lshr(running, source), splat(I32, 1))
            there = builder.icmp_unsigned("!=", bit, splat(I32, 0))
        else:
            # Lanes may come to the shuffle one after the other.
            first = builder.mul(e.context_word(Context.WARP, I32), constant(I32, LANES))
            behind = builder.sub(e.context_word(Context.THREADS, I32), first)
            there = builder.icmp_signed("<", source, builder.broadcast(behind))
        if "sync" in item.modifiers:
            # A lane that its own mask lacks is noted as such.
            outside = builder.not_(own_mask_has(e, item, lane_numbers()))
            there = builder.or_(builder.and_(there, own_mask_has(e, item, source)), outside)
        there = builder.or_(there, builder.icmp_unsigned("==", source, lane_numbers()))
        origin = self._origin(e, item.operands[1])
        moved = splat(I32, 0)
        if origin is not None:
            moved = e.call("shuffle_32", vector(I32), builder.broadcast(origin), source)
        found = builder.select(there, moved, splat(I32, item.text_line << 1))
        others = [self._origin(e, operand) for operand in (*item.operands[2:], item.predicate)]
        return self._joined(e, [found, *others])

    # Local memory

    def _of_local(self, e: Emission, item: Instruction, count: int) -> list[Any]:
        if self._access(e).space not in self._local_spaces:
            return [constant(I32, 0)] * count
        size = width_of(element_type(item.types[-1])) // 8
        offsets, lanes = self._local_places(e, item)
        followed = e.context_word(Context.LOCAL_SHADOW)
        origin = splat(I32, item.text_line << 1 | _LOCAL)
        found = []
        for number in range(count):
            bits = _where(
                e, followed, "undefined_local", e.context,
                e.builder.add(offsets, splat(I64, number * size)), lanes, constant(I64, size),
            )  # fmt: skip
            found.append(e.builder.select(e.builder.lanes_of(bits), origin, splat(I32, 0)))
        return found

    def _keep_local(self, e: Emission, item: Instruction) -> None:
        """Remember what a store to local memory writes; where the value is undefined it writes nothing."""
        if self._access(e).space not in self._local_spaces:
            return
        builder = e.builder
        size = width_of(element_type(item.types[-1])) // 8
        offsets, lanes = self._local_places(e, item)
        followed = e.context_word(Context.LOCAL_SHADOW)
        for number, operand in enumerate(_items(item.operands[1])):
            origin = self._origin(e, operand)
            undefined = constant(I32, 0)
            if origin is not None:
                undefined = builder.bits(_is_of_local(e, builder.broadcast(origin)))
            place = builder.add(offsets, splat(I64, number * size))
            _where(e, followed, "define_local", e.context, place, lanes, constant(I64, size), undefined)

    def _local_places(self, e: Emission, item: Instruction) -> tuple[Any, Any]:
        """The offsets of an access in local memory, and the bits of the lanes that go there."""
        builder = e.builder
        address = next(operand for operand in item.operands if isinstance(operand, Address))
        full = builder.add(e.read_vector(address.base, I64), splat(I64, address.offset))
        lanes = e.active(item)
        if self._access(e).space == Space.GENERIC:
            top = builder.lshr(full, splat(I64, _TOP_SHIFT))
            inside = builder.icmp_unsigned("==", top, splat(I64, LOCAL_WINDOW >> _TOP_SHIFT))
            lanes = builder.and_(lanes, builder.bits(inside))
        return builder.and_(full, splat(I64, (1 << WINDOW_BITS) - 1)), lanes


def _is_of_local(e: Emission, origin: Any) -> Any:
    bit = e.builder.and_(origin, splat(I32, _LOCAL))
    return e.builder.icmp_unsigned("!=", bit, splat(I32, 0))


def _of_shuffles(e: Emission, origin: Any) -> Any:
    """An origin where it is a shuffle; a store to local memory keeps the others in mind."""
    if origin is None:
        return None
    whole = e.builder.broadcast(origin)
    return e.builder.select(_is_of_local(e, whole), splat(I32, 0), whole)


def _where(e: Emission, followed: Any, routine: str, *arguments: Any) -> Any:
    """The bits that a routine gives where local memory is followed, else none."""
    builder = e.builder
    before = builder.block
    with builder.if_then(builder.icmp_unsigned("!=", followed, constant(I64, 0)), likely=False):
        given = e.call(routine, I32, *arguments)
        inside = builder.block
    found = builder.phi(I32)
    found.add_incoming(constant(I32, 0), before)
    found.add_incoming(given, inside)
    return found


def _items(operand: Operand) -> Sequence[Operand]:
    return operand.items if isinstance(operand, Group) else (operand,)


def _sources(item: Instruction) -> Sequence[Operand]:
    """The operands of a store or atomic operation that it takes values from."""
    return item.operands[1:] if item.opcode in ("st", "red") else item.operands[2:]

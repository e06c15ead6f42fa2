"""Routines of atomic operations: lane after lane, atomic for the host too where threads share the blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import (
    DOUBLE,
    FLOAT,
    HALF,
    I16,
    I32,
    I64,
    POINTER,
    is_float,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    SECTOR_SHIFT,
    SLICE_SHIFT,
    WORD,
    Context,
    Site,
    Space,
)
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.generic import lane_offsets, lanes_by_space, some_lanes
from advisor.evidence.simulated.simt.vector.routines.global_races import follow_elements
from advisor.evidence.simulated.simt.vector.routines.memory import (
    count_local,
    count_sectors,
    good_lanes,
    mark_used,
)
from advisor.evidence.simulated.simt.vector.routines.shared import follow
from advisor.evidence.simulated.simt.vector.routines.unwritten import look_for_unwritten

_ADDRESSES = vector(I64)
_INSTRUCTIONS = {
    "add": "add", "min_s": "min", "max_s": "max", "min_u": "umin", "max_u": "umax", "and": "and", "or": "or",
    "xor": "xor", "exch": "xchg",
}  # fmt: skip
_FLOAT_OPERATIONS = ("add", "min", "max")
# Entries of the tables of updates, by places of four bytes and by slices; beyond, places share an entry.
TABLE = 1 << 16
PLACE_SHIFT = 2


def _inspect_atomic(r: Routine, size: int) -> None:
    """Check lanes by their real addresses, in the one space of the site, and count them."""
    context, site, addresses, mask, together = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    space = r.and_(r.lshr(r.site_word(site, Site.DESCRIPTION), r.number(8)), r.number(15))
    shared = r.icmp_unsigned("==", space, r.number(Space.SHARED))
    table = r.select(shared, r.number(0), r.context_word(context, Context.UPDATES))
    most, groups = _count_places(r, site, addresses, good, size, table, together)
    with r.if_else(shared) as (then, otherwise):
        with then:
            _count_atomic_wavefronts(r, site, most)
            follow(r, context, site, addresses, good, size)
        with otherwise:
            sectors = _count_slices(r, context, site, addresses, good)
            count_sectors(r, context, site, addresses, good, groups, size, sectors)
            follow_elements(r, context, site, addresses, good, size)
            look_for_unwritten(r, context, site, addresses, good)
            mark_used(r, site, addresses, good, size)
    r.ret(good)


def _inspect_generic(r: Routine, size: int) -> None:
    """Check lanes by their generic addresses and count each in the space that it lies in."""
    context, site, addresses, mask, together = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    real = r.call(r.module.globals["generic_addresses"], [context, addresses])
    shared, local, rest = lanes_by_space(r, addresses, good)
    with some_lanes(r, shared):
        most, _ = _count_places(r, site, real, shared, size, r.number(0), together)
        _count_atomic_wavefronts(r, site, most)
        follow(r, context, site, real, shared, size)
    with some_lanes(r, local):
        count_local(r, site, lane_offsets(r, addresses), local, r.number(size))
    with some_lanes(r, rest):
        table = r.context_word(context, Context.UPDATES)
        _, groups = _count_places(r, site, real, rest, size, table, together)
        sectors = _count_slices(r, context, site, real, rest)
        count_sectors(r, context, site, real, rest, groups, size, sectors)
        follow_elements(r, context, site, real, rest, size)
        look_for_unwritten(r, context, site, real, rest)
        mark_used(r, site, real, rest, size)
    r.ret(good)


def _count_atomic_wavefronts(r: Routine, site: Any, most: Any) -> None:
    """Serve lanes at one place one after the other."""
    r.count(site, Site.WAVEFRONTS, most)
    r.count(site, Site.IDEAL_WAVEFRONTS, r.elementwise("llvm.umin", most, r.number(1)))


def _count_places(
    r: Routine, site: Any, addresses: Any, good: Any, size: int, table: Any, together: Any
) -> tuple[Any, Any]:
    """The most lanes at one place, and how many places there are; both are counted, and in the table of
    updates, if there is one, those of each place: one for lanes that are added up before.
    """
    most, groups = r.variable(r.number(0)), r.variable(r.number(0))
    added_up = r.icmp_unsigned("!=", together, r.number(0, I32))
    placed = r.add(addresses, r.broadcast(r.site_word(site, Site.PLACED)))
    shift = size.bit_length() - 1
    units = r.trunc(r.lshr(placed, splat(I64, shift)), vector(I32))
    with r.each_group(units, good) as (unit, group):
        lanes = r.zext(r.population(group), I64)
        r.store(r.elementwise("llvm.umax", r.value(most), lanes), most)
        r.store(r.add(r.value(groups), r.number(1)), groups)
        with r.if_then(r.icmp_unsigned("!=", table, r.number(0))):
            place = r.lshr(r.shl(r.zext(unit, I64), r.number(shift)), r.number(PLACE_SHIFT))
            _add_in_table(r, table, place, r.select(added_up, r.number(1), lanes))
    r.count(site, Site.DISTINCT, r.value(groups))
    r.count(site, Site.MOST_SAME, r.value(most))
    return r.value(most), r.value(groups)


def _count_slices(r: Routine, context: Any, site: Any, addresses: Any, good: Any) -> Any:
    """How many sectors there are; they are counted by the slice of L2 that holds them."""
    table, count = r.context_word(context, Context.SLICE_SECTORS), r.variable(r.number(0))
    placed = r.add(addresses, r.broadcast(r.site_word(site, Site.PLACED)))
    sectors = r.trunc(r.lshr(placed, splat(I64, SECTOR_SHIFT)), vector(I32))
    with r.each_group(sectors, good) as (sector, _):
        r.store(r.add(r.value(count), r.number(1)), count)
        place = r.zext(r.lshr(sector, r.number(SLICE_SHIFT - SECTOR_SHIFT, I32)), I64)
        _add_in_table(r, table, place, r.number(1))
    return r.value(count)


def _add_in_table(r: Routine, table: Any, place: Any, amount: Any) -> None:
    offset = r.mul(r.and_(place, r.number(TABLE - 1)), r.number(WORD))
    r.bump(r.inttoptr(r.add(table, offset), POINTER), 0, amount)


for _size in (2, 4, 8, 16):
    routine(f"inspect_atomic_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32, I32)(
        (lambda size: lambda r: _inspect_atomic(r, size))(_size)
    )
    routine(f"inspect_generic_atomic_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32, I32)(
        (lambda size: lambda r: _inspect_generic(r, size))(_size)
    )


def _lanes_in_turn(r: Routine, kind: Any, single: Callable[[Any, list[Any]], Any]) -> None:
    """Write the loop over the lanes of the last argument; `single` gives what was there before."""
    context, addresses, *values, mask = r.arguments
    del context
    places = [r.spilled(addresses), *(r.spilled(value) for value in values)]
    result = r.spilled(values[0])
    with r.each_lane(mask) as lane:
        address = r.load(r.element(places[0], I64, lane), typ=I64)
        pointer = r.inttoptr(address, POINTER)
        operands = [r.load(r.element(place, kind, lane), typ=kind) for place in places[1:]]
        r.store(single(pointer, operands), r.element(result, kind, lane))
    r.ret(r.load(result, typ=vector(kind), align=64))


def _integer(r: Routine, kind: Any, operation: str) -> None:
    """Emit an operation of integers; without other threads a plain read and write is the same and quicker."""
    alone = r.context_word(r.arguments[0], Context.ALONE)
    quick, careful = r.append_basic_block("quick"), r.append_basic_block("careful")
    r.cbranch(r.icmp_unsigned("!=", alone, r.number(0)), quick, careful)
    r.position_at_end(quick)
    _lanes_in_turn(r, kind, lambda pointer, values: _read_and_write(r, kind, operation, pointer, values[0]))
    r.position_at_end(careful)
    _lanes_in_turn(
        r, kind,
        lambda pointer, values: r.atomic_rmw(_INSTRUCTIONS[operation], pointer, values[0], "monotonic"),
    )  # fmt: skip


def _read_and_write(r: Routine, kind: Any, operation: str, pointer: Any, value: Any) -> Any:
    old = r.load(pointer, typ=kind)
    if operation == "exch":
        new = value
    elif operation[:3] in ("min", "max"):
        new = r.elementwise(f"llvm.{operation[-1]}{operation[:3]}", old, value)
    else:
        new = getattr(r, operation if operation in ("add", "xor") else operation + "_")(old, value)
    r.store(new, pointer)
    return old


def _exchanged(r: Routine, kind: Any, pointer: Any, change: Callable[[Any], Any]) -> Any:
    """What was at a place that is changed by compare and exchange until no other thread came between."""
    integer = I64 if kind in (DOUBLE, I64) else I16 if kind == I16 else I32
    seen = r.variable(r.load(pointer, typ=integer))
    done = r.variable(r.number(0, ir.IntType(1)))
    with r.repeat(lambda: r.not_(r.value(done, ir.IntType(1)))):
        old = r.value(seen, integer)
        real = r.bitcast(old, kind) if is_float(kind) else old
        new = change(real)
        new = r.bitcast(new, integer) if is_float(kind) else new
        pair = r.cmpxchg(pointer, old, new, "monotonic", "monotonic")
        r.store(r.extract_value(pair, 0), seen)
        r.store(r.extract_value(pair, 1), done)
    last = r.value(seen, integer)
    return r.bitcast(last, kind) if is_float(kind) else last


def _float(r: Routine, kind: Any, operation: str) -> None:
    def change(old: Any, value: Any) -> Any:
        if operation == "add":
            return r.fadd(old, value)
        return r.elementwise(f"llvm.{operation}num", old, value)

    alone = r.context_word(r.arguments[0], Context.ALONE)
    quick, careful = r.append_basic_block("quick"), r.append_basic_block("careful")
    r.cbranch(r.icmp_unsigned("!=", alone, r.number(0)), quick, careful)
    r.position_at_end(quick)

    def plain(pointer: Any, values: list[Any]) -> Any:
        old = r.load(pointer, typ=kind)
        r.store(change(old, values[0]), pointer)
        return old

    _lanes_in_turn(r, kind, plain)
    r.position_at_end(careful)
    _lanes_in_turn(
        r, kind, lambda pointer, values: _exchanged(r, kind, pointer, lambda old: change(old, values[0]))
    )


def _halves(r: Routine, kind: Any) -> None:
    """Emit the sum of one float16 or of two in a register (PTX ISA, "atom"); subnormal numbers stay."""
    numbers = HALF if kind == I16 else ir.VectorType(HALF, 2)

    def change(old: Any, value: Any) -> Any:
        return r.bitcast(r.fadd(r.bitcast(old, numbers), r.bitcast(value, numbers)), kind)

    _lanes_in_turn(
        r, kind, lambda pointer, values: _exchanged(r, kind, pointer, lambda old: change(old, values[0]))
    )


def _compare_and_swap(r: Routine, kind: Any) -> None:
    def swap(pointer: Any, values: list[Any]) -> Any:
        return r.extract_value(r.cmpxchg(pointer, values[0], values[1], "monotonic", "monotonic"), 0)

    _lanes_in_turn(r, kind, swap)


def _counting(r: Routine, kind: Any, operation: str) -> None:
    """Emit `inc` or `dec` (PTX ISA, "atom"): inc wraps to 0 behind its limit, dec wraps to its limit."""

    def change(old: Any, limit: Any) -> Any:
        zero, one = r.number(0, kind), r.number(1, kind)
        if operation == "inc":
            return r.select(r.icmp_unsigned(">=", old, limit), zero, r.add(old, one))
        wraps = r.or_(r.icmp_unsigned("==", old, zero), r.icmp_unsigned(">", old, limit))
        return r.select(wraps, limit, r.sub(old, one))

    _lanes_in_turn(
        r, kind, lambda pointer, values: _exchanged(r, kind, pointer, lambda old: change(old, values[0]))
    )


def _enter(name: str, kind: Any, operands: int, write: Callable[[Routine], None]) -> None:
    lanes = vector(kind)
    routine(f"atom_{name}", lanes, POINTER, _ADDRESSES, *[lanes] * operands, I32)(write)


for _kind in (I32, I64):
    for _operation in _INSTRUCTIONS:
        _sign = _operation[-1] if _operation[-2:] in ("_s", "_u") else "b"
        _enter(
            f"{_operation.split('_')[0]}_{_sign}{_kind.width}", _kind, 1,
            (lambda kind, operation: lambda r: _integer(r, kind, operation))(_kind, _operation),
        )  # fmt: skip
    _enter(f"cas_b{_kind.width}", _kind, 2, (lambda kind: lambda r: _compare_and_swap(r, kind))(_kind))
    for _operation in ("inc", "dec"):
        _enter(
            f"{_operation}_b{_kind.width}", _kind, 1,
            (lambda kind, operation: lambda r: _counting(r, kind, operation))(_kind, _operation),
        )  # fmt: skip
_enter("cas_b16", I16, 2, lambda r: _compare_and_swap(r, I16))
for _kind, _name in ((I16, "f16"), (I32, "f16x2")):
    _enter(f"add_{_name}", _kind, 1, (lambda kind: lambda r: _halves(r, kind))(_kind))
for _kind, _name in ((FLOAT, "f32"), (DOUBLE, "f64")):
    for _operation in _FLOAT_OPERATIONS:
        _enter(
            f"{_operation}_{_name}", _kind, 1,
            (lambda kind, operation: lambda r: _float(r, kind, operation))(_kind, _operation),
        )  # fmt: skip

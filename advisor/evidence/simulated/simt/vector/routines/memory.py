"""Routines of memory accesses: classing a warp's addresses, checking and counting them, moving the data."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.instruction_lines import Written
from advisor.evidence.simulated.simt.vector.lanes import (
    I8,
    I16,
    I32,
    I64,
    LANES,
    POINTER,
    VOID,
    lane_numbers,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    ATOMIC,
    LINE_SHIFT,
    SECTOR_SHIFT,
    WORD,
    WRITES,
    Context,
    Defect,
    Site,
)
from advisor.evidence.simulated.simt.vector.memory.access_ways import ONE_PLACE, SIDE_BY_SIDE
from advisor.evidence.simulated.simt.vector.routines.banks import passes
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.global_races import follow_elements
from advisor.evidence.simulated.simt.vector.routines.unwritten import look_for_unwritten

SIZES = (1, 2, 4, 8, 16, 32)
_ADDRESSES = vector(I64)
# Local memory interleaves words of four bytes, so 32 bytes hold a word of eight lanes.
_LANES_OF_SECTOR = 8
_CLASSED = ir.LiteralStructType([I64, I32])


def _classify(r: Routine, size: int) -> None:
    """Emit the address of lane 0 and the shape, 0 for neither; no shape where accesses are inspected."""
    context, addresses, mask, whole = r.arguments
    fast, apart = r.append_basic_block("fast"), r.append_basic_block("apart")
    detailed = r.context_word(context, Context.DETAILED)
    possible = r.and_(
        r.icmp_unsigned("==", detailed, r.number(0)), r.icmp_unsigned("!=", mask, r.number(0, I32))
    )
    r.cbranch(possible, fast, apart)
    r.position_at_end(fast)
    first = r.first_lane(mask)
    starts = r.sub(addresses, lane_numbers(I64, size))
    start = r.lane(starts, first)
    in_row = r.bits(r.icmp_unsigned("==", starts, r.broadcast(start)))
    low = r.lshr(mask, first)
    run = r.icmp_unsigned("==", r.and_(low, r.add(low, r.number(1, I32))), r.number(0, I32))
    full = r.icmp_signed("==", mask, r.number(-1, I32))
    allowed = r.or_(full, r.icmp_unsigned("==", whole, r.number(0, I32)))
    outside = r.and_(mask, r.not_(in_row))
    row = r.and_(r.and_(run, allowed), r.icmp_unsigned("==", outside, r.number(0, I32)))
    place = r.lane(addresses, first)
    same = r.bits(r.icmp_unsigned("==", addresses, r.broadcast(place)))
    one = r.icmp_unsigned("==", r.and_(mask, r.not_(same)), r.number(0, I32))
    shape = r.select(
        row, r.number(SIDE_BY_SIDE, I32), r.select(one, r.number(ONE_PLACE, I32), r.number(0, I32))
    )
    _ret_pair(r, r.select(row, start, place), shape)
    r.position_at_end(apart)
    _ret_pair(r, r.number(0), r.number(0, I32))


def _ret_pair(r: Routine, start: Any, shape: Any) -> None:
    pair = r.insert_value(ir.Constant(_CLASSED, ir.Undefined), start, 0)
    r.ret(r.insert_value(pair, shape, 1))


def _gather(r: Routine, kind: Any) -> None:
    addresses, mask = r.arguments
    lanes = vector(kind)
    pointers = r.inttoptr(addresses, vector(POINTER))
    align = r.number(kind.width // 8, I32)
    nothing = Written(lanes, "zeroinitializer")
    del align
    r.ret(
        r.intrinsic(
            "llvm.masked.gather", lanes, (pointers, r.lanes_of(mask), nothing), (lanes, vector(POINTER))
        )
    )


def _scatter(r: Routine, kind: Any) -> None:
    value, addresses, mask = r.arguments
    pointers = r.inttoptr(addresses, vector(POINTER))
    r.intrinsic(
        "llvm.masked.scatter", VOID, (value, pointers, r.lanes_of(mask)), (vector(kind), vector(POINTER))
    )
    r.ret_void()


for _kind in (I8, I16, I32, I64):
    _lanes = vector(_kind)
    routine(f"gather_{_kind.width}", _lanes, _ADDRESSES, I32)(
        (lambda kind: lambda r: _gather(r, kind))(_kind)
    )
    routine(f"scatter_{_kind.width}", VOID, _lanes, _ADDRESSES, I32)(
        (lambda kind: lambda r: _scatter(r, kind))(_kind)
    )


def good_lanes(r: Routine, context: Any, site: Any, addresses: Any, mask: Any, size: int) -> Any:
    """The lanes whose access is within bounds and aligned, their sectors marked; the others are noted."""
    low, high = r.site_word(site, Site.LOW), r.site_word(site, Site.HIGH)
    last = r.sub(high, r.number(size))
    above = r.icmp_unsigned(">=", addresses, r.broadcast(low))
    below = r.icmp_unsigned("<=", addresses, r.broadcast(last))
    fine = r.and_(above, below)
    if size > 1:
        rest = r.and_(addresses, splat(I64, size - 1))
        fine = r.and_(fine, r.icmp_unsigned("==", rest, splat(I64, 0)))
    # With a bound below the size the last place wraps round.
    room = r.icmp_unsigned(">=", high, r.number(size))
    good = r.select(room, r.and_(mask, r.bits(fine)), r.number(0, I32))
    result = r.variable(good)
    with r.if_else(r.icmp_unsigned("==", good, mask), likely=True) as (then, otherwise):
        with then:
            _mark_row(r, site, addresses, good)
        with otherwise:
            place = r.spilled(addresses)
            checked = r.call(r.module.globals["check_lanes"], [context, site, place, mask, r.number(size)])
            r.store(checked, result)
    return r.value(result, I32)


def _mark_row(r: Routine, site: Any, addresses: Any, good: Any) -> None:
    """Mark the sectors of lanes that all lie in the buffer of the site, where it has a map."""
    base = r.site_word(site, Site.TOUCHED)
    with r.if_then(r.icmp_unsigned("!=", base, r.number(0))):
        places = r.add(r.lshr(addresses, splat(I64, SECTOR_SHIFT)), r.broadcast(base))
        r.call(r.module.globals["scatter_8"], [splat(I8, 1), places, good])


def _inspect_global(r: Routine, size: int) -> None:
    context, site, addresses, mask = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    count_global(r, context, site, addresses, good, size)
    r.ret(good)


def _inspect_constant(r: Routine, size: int) -> None:
    """As global memory; constant memory answers for one element at a time, so its elements are counted."""
    context, site, addresses, mask = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    count_global(r, context, site, addresses, good, size)
    elements = r.trunc(r.lshr(addresses, splat(I64, size.bit_length() - 1)), vector(I32))
    r.count(site, Site.DISTINCT, distinct_numbers(r, elements, good))
    r.ret(good)


def count_global(r: Routine, context: Any, site: Any, addresses: Any, good: Any, size: int) -> None:
    """Count the sectors of good lanes and look them up in the caches."""
    count_sectors(r, context, site, addresses, good, distinct_elements(r, addresses, good, size), size)
    _note_step(r, site, addresses, good)
    follow_elements(r, context, site, addresses, good, size)
    look_for_unwritten(r, context, site, addresses, good)
    mark_used(r, site, addresses, good, size)
    _count_l1_passes(r, context, site, addresses, good, size)


def mark_used(r: Routine, site: Any, addresses: Any, good: Any, size: int) -> None:
    """Mark the bytes of good lanes, where the site has a map of them."""
    base = r.site_word(site, Site.USED)
    with r.if_then(r.icmp_unsigned("!=", base, r.number(0)), likely=False):
        kind = {1: I8, 2: I16, 4: I32}.get(size, I64)
        ones = splat(kind, int.from_bytes(b"\1" * (kind.width // 8), "little"))
        for part in range(0, size, kind.width // 8):
            places = r.add(addresses, r.broadcast(r.add(base, r.number(part))))
            r.call(r.module.globals[f"scatter_{kind.width}"], [ones, places, good])


def _count_l1_passes(r: Routine, context: Any, site: Any, addresses: Any, good: Any, size: int) -> None:
    caches = r.context_word(context, Context.CACHES)
    changes = r.and_(r.site_word(site, Site.DESCRIPTION), r.number(WRITES | ATOMIC))
    loads = r.icmp_unsigned("==", changes, r.number(0))
    with r.if_then(r.and_(loads, r.icmp_unsigned("!=", caches, r.number(0))), likely=False):
        count, _ = passes(r, addresses, good, size)
        r.count(site, Site.L1_WAVEFRONTS, count)


def _note_step(r: Routine, site: Any, addresses: Any, good: Any) -> None:
    """Keep the least and the most distance between the first two lanes."""
    both = r.icmp_unsigned("==", r.and_(good, r.number(3, I32)), r.number(3, I32))
    first, second = (r.lane(addresses, r.number(lane, I32)) for lane in (0, 1))
    step = r.sub(second, first)
    for word, way in ((Site.STEP_LOW, "llvm.smin"), (Site.STEP_HIGH, "llvm.smax")):
        known = r.site_word(site, word)
        chosen = r.select(both, r.elementwise(way, known, step), known)
        r.put(chosen, site, WORD * word)


def count_sectors(
    r: Routine,
    context: Any,
    site: Any,
    addresses: Any,
    good: Any,
    elements: Any,
    size: int,
    count: Any = None,
) -> None:
    """Add the sectors of a request, unless `count` gives them, and the least that so many elements need."""
    sectors = r.trunc(r.lshr(addresses, splat(I64, SECTOR_SHIFT)), vector(I32))
    count = distinct_numbers(r, sectors, good) if count is None else count
    lines = r.lshr(sectors, splat(I32, LINE_SHIFT - SECTOR_SHIFT))
    r.count(site, Site.LINES, distinct_numbers(r, lines, good))
    least = r.lshr(r.add(r.mul(elements, r.number(size)), r.number(31)), r.number(5))
    r.count(site, Site.SECTORS, count)
    r.count(site, Site.IDEAL, r.elementwise("llvm.umin", least, count))
    caches = r.context_word(context, Context.CACHES)
    with r.if_then(r.icmp_unsigned("!=", caches, r.number(0)), likely=False):
        r.call(r.module.globals["look_up"], [context, site, sectors, good])


def distinct_elements(r: Routine, addresses: Any, good: Any, size: int) -> Any:
    """How many elements the good lanes touch, where lanes 1, 2, 4, 8 or 16 apart may share one.

    That is exact for what lanes share by their place in a block; of others it may count one twice.
    """
    elements = r.trunc(r.lshr(addresses, splat(I64, size.bit_length() - 1)), vector(I32))
    apart = r.sub(splat(I32, -1), lane_numbers())
    known = r.select(r.lanes_of(good), elements, apart)
    again = r.number(0, I32)
    for step in (1, 2, 4, 8, 16):
        places = [lane - step if lane >= step else LANES + lane for lane in range(LANES)]
        before = r.shuffle_vector(known, apart, ir.Constant(vector(I32), places))
        again = r.or_(again, r.bits(r.icmp_unsigned("==", known, before)))
    return r.zext(r.population(r.and_(good, r.not_(again))), I64)


def distinct_numbers(r: Routine, numbers: Any, mask: Any) -> Any:
    """How many different numbers the lanes of a mask have."""
    count = r.variable(r.number(0))
    before = r.shuffle_vector(numbers, numbers, ir.Constant(vector(I32), [0, *range(LANES - 1)]))
    falls = r.and_(mask, r.bits(r.icmp_unsigned("<", numbers, before)))
    # The first lanes, without a gap, are compared each with the one before it.
    none_above = r.icmp_unsigned("==", r.and_(mask, r.add(mask, r.number(1, I32))), r.number(0, I32))
    some = r.icmp_unsigned("!=", mask, r.number(0, I32))
    steady = r.icmp_unsigned("==", falls, r.number(0, I32))
    with r.if_else(r.and_(steady, r.and_(none_above, some))) as (then, otherwise):
        with then:
            changes = r.and_(mask, r.bits(r.icmp_unsigned("!=", numbers, before)))
            r.store(r.add(r.zext(r.population(changes), I64), r.number(1)), count)
        with otherwise, r.each_group(numbers, mask):
            r.store(r.add(r.value(count), r.number(1)), count)
    return r.value(count)


for _size in SIZES:
    routine(f"classify_{_size}", _CLASSED, POINTER, _ADDRESSES, I32, I32)(
        (lambda size: lambda r: _classify(r, size))(_size)
    )
    routine(f"inspect_global_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32)(
        (lambda size: lambda r: _inspect_global(r, size))(_size)
    )
    routine(f"inspect_constant_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32)(
        (lambda size: lambda r: _inspect_constant(r, size))(_size)
    )


def _local_sectors(r: Routine, words: Any, good: Any) -> Any:
    """How many sectors words of local memory lie in: one word of eight neighbouring lanes is a sector."""
    apart = r.sub(splat(I32, -1), lane_numbers())
    known = r.select(r.lanes_of(good), words, apart)
    again = r.number(0, I32)
    for step in range(1, _LANES_OF_SECTOR):
        places = [lane - step if lane % _LANES_OF_SECTOR >= step else LANES + lane for lane in range(LANES)]
        before = r.shuffle_vector(known, apart, ir.Constant(vector(I32), places))
        again = r.or_(again, r.bits(r.icmp_unsigned("==", known, before)))
    return r.zext(r.population(r.and_(good, r.not_(again))), I64)


@routine("inspect_local", I32, POINTER, POINTER, _ADDRESSES, I32)
def _inspect_local(r: Routine) -> None:
    """Emit the good lanes of a local access by its offsets; its sectors as a device interleaves words."""
    context, site, offsets, mask = r.arguments
    size = r.and_(r.site_word(site, Site.DESCRIPTION), r.number(255))
    room = r.context_word(context, Context.LOCAL_SIZE)
    last = r.broadcast(r.sub(room, size))
    fits = r.bits(r.icmp_unsigned("<=", offsets, last))
    # With less room than the size the last place wraps round.
    inside = r.select(r.icmp_unsigned(">=", room, size), r.and_(mask, fits), r.number(0, I32))
    rest = r.and_(offsets, r.broadcast(r.sub(size, r.number(1))))
    good = r.and_(inside, r.bits(r.icmp_unsigned("==", rest, splat(I64, 0))))
    with r.if_then(r.icmp_unsigned("!=", good, mask), likely=False):
        place = r.spilled(offsets)
        for kind, lanes in (
            (Defect.OUT_OF_BOUNDS, r.and_(mask, r.not_(inside))),
            (Defect.MISALIGNED, r.and_(inside, r.not_(good))),
        ):
            r.call(r.module.globals["note_lanes"], [context, r.number(kind), site, place, lanes])
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    count_local(r, site, offsets, good, size)
    r.ret(good)


def count_local(r: Routine, site: Any, offsets: Any, good: Any, size: Any) -> None:
    """Count the sectors of good lanes by the offsets in their local memory."""
    words = r.trunc(r.lshr(offsets, splat(I64, 2)), vector(I32))
    wide = r.elementwise("llvm.umax", r.lshr(size, r.number(2)), r.number(1))
    count = r.mul(_local_sectors(r, words, good), wide)
    r.count(site, Site.SECTORS, count)
    # The words of 32 lanes at one offset are a line.
    r.count(site, Site.LINES, r.mul(distinct_numbers(r, words, good), wide))
    lanes = r.zext(r.population(good), I64)
    least = r.lshr(r.add(r.mul(lanes, r.shl(wide, r.number(2))), r.number(31)), r.number(5))
    r.count(site, Site.IDEAL, r.elementwise("llvm.umin", least, count))

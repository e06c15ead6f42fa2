"""Routines that look at accesses lane by lane once something is wrong, and note what they find."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I8,
    I32,
    I64,
    LANES,
    POINTER,
    VOID,
    lane_numbers,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    ATOMIC,
    FIXED_BOUNDS,
    LOCAL_WINDOW,
    SECTOR_SHIFT,
    SHARED_WINDOW,
    WORD,
    WRITES,
    Context,
    Defect,
    DefectWord,
    Extent,
    Site,
    Space,
    State,
)
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.driver import state_of

# So often a thread of the host notes what depends on the value of an absent lane; the table is for all kinds.
_MOST_ABSENT_LANES = 64


@routine("note_defect", VOID, POINTER, I64, POINTER, I32, I64)
def _note(r: Routine) -> None:
    """Enter a defect of one lane; further ones beyond the table's size are counted only."""
    context, kind, site, lane, address = r.arguments
    count = r.context_word(context, Context.DEFECT_COUNT)
    r.bump(context, WORD * Context.DEFECT_COUNT, r.number(1))
    with r.if_then(r.icmp_signed("<", count, r.context_word(context, Context.DEFECT_CAPACITY))):
        table = r.context_word(context, Context.DEFECTS, POINTER)
        entry = r.gep(table, [r.mul(count, r.number(DefectWord.WORDS))], source_etype=I64)
        warp = r.context_word(context, Context.WARP)
        thread = r.add(r.mul(warp, r.number(LANES)), r.zext(lane, I64))
        values = {
            DefectWord.KIND: kind,
            DefectWord.SITE: r.site_word(site, Site.NUMBER),
            DefectWord.BLOCK: r.context_word(context, Context.BLOCK_NUMBER),
            DefectWord.THREAD: thread,
            DefectWord.ADDRESS: address,
            DefectWord.OTHER: r.context_word(context, Context.OTHER_ACCESS),
        }
        for word, value in values.items():
            r.put(value, entry, WORD * word)
    r.ret_void()


@routine("note_lanes", VOID, POINTER, I64, POINTER, POINTER, I32)
def _note_lanes(r: Routine) -> None:
    context, kind, site, place, mask = r.arguments
    with r.each_lane(mask) as lane:
        address = r.load(r.element(place, I64, lane), typ=I64)
        r.call(r.module.globals["note_defect"], [context, kind, site, lane, address])
    r.ret_void()


def _bad(r: Routine, context: Any, site: Any, lane: Any, address: Any, kind: Defect) -> None:
    r.call(r.module.globals["note_defect"], [context, r.number(kind), site, lane, address])


@routine("check_lanes", I32, POINTER, POINTER, POINTER, I32, I64)
def _check(r: Routine) -> None:
    """Emit the lanes of a mask whose access is good, their sectors marked in the maps of their own buffers.

    A site without fixed bounds learns the buffer it met.
    """
    context, site, place, mask, size = r.arguments
    good = r.variable(r.number(0, I32))
    with r.each_lane(mask) as lane:
        address = r.load(r.element(place, I64, lane), typ=I64)
        aligned = r.icmp_unsigned("==", r.and_(address, r.sub(size, r.number(1))), r.number(0))
        inside = r.call(r.module.globals["is_inside"], [context, site, address, size])
        with r.if_else(inside) as (then, otherwise):
            with then, r.if_else(aligned) as (fine, crooked):
                with fine:
                    bit = r.shl(r.number(1, I32), lane)
                    r.store(r.or_(r.value(good, I32), bit), good)
                    _mark(r, site, address)
                with crooked:
                    _bad(r, context, site, lane, address, Defect.MISALIGNED)
            with otherwise:
                _bad(r, context, site, lane, address, Defect.OUT_OF_BOUNDS)
    r.ret(r.value(good, I32))


def _mark(r: Routine, site: Any, address: Any) -> None:
    """Mark a good lane's sector, where the lane lies in the buffer that the site knows now.

    Lanes of one access may lie in different buffers, each with a map of its own.
    """
    base = r.site_word(site, Site.TOUCHED)
    low, high = r.site_word(site, Site.LOW), r.site_word(site, Site.HIGH)
    known = r.and_(r.icmp_unsigned(">=", address, low), r.icmp_unsigned("<", address, high))
    with r.if_then(r.and_(known, r.icmp_unsigned("!=", base, r.number(0)))):
        sector = r.lshr(address, r.number(SECTOR_SHIFT))
        r.store(r.number(1, I8), r.inttoptr(r.add(base, sector), POINTER), align=1)


def _within(r: Routine, address: Any, size: Any, low: Any, high: Any) -> Any:
    """Whether so many bytes lie between two addresses; an access that wraps round 2^64 does not."""
    between = r.and_(r.icmp_unsigned(">=", address, low), r.icmp_unsigned("<=", address, high))
    return r.and_(between, r.icmp_unsigned(">=", r.sub(high, address), size))


def _may_be_a_part(r: Routine, address: Any, size: Any, description: Any) -> Any:
    """Whether an access may go to a word of which its buffer holds a part: aligned 32 bits, no plain store.

    Memory is handed out in granules of 256 bytes and more (CUDA C++ Programming Guide, "Device Memory
    Accesses"), so the rest of the word is there. Atomic operations on 8 and 16 bits that a device lacks are
    made of a load and of exchanges of the word around the element (LLVM, "Atomic Instructions and
    Concurrency Guide", https://llvm.org/docs/Atomics.html, AtomicExpandPass).
    """
    word = r.icmp_unsigned("==", size, r.number(4))
    aligned = r.icmp_unsigned("==", r.and_(address, r.number(3)), r.number(0))
    action = r.and_(description, r.number(WRITES | ATOMIC))
    return r.and_(r.and_(word, aligned), r.icmp_unsigned("!=", action, r.number(WRITES)))


@routine("is_inside", I1, POINTER, POINTER, I64, I64)
def _is_inside(r: Routine) -> None:
    """Emit whether an access of a lane lies within its site's bounds; where none are fixed, in a buffer.

    A generic address may also lie in the windows of the block's shared and the thread's local memory.
    """
    context, site, address, size = r.arguments
    description = r.site_word(site, Site.DESCRIPTION)
    flag = I1
    result = r.variable(_within(r, address, size, r.site_word(site, Site.LOW), r.site_word(site, Site.HIGH)))
    fixed = r.icmp_unsigned("!=", r.and_(description, r.number(FIXED_BOUNDS)), r.number(0))
    word = _may_be_a_part(r, address, size, description)
    in_doubt = r.and_(r.not_(r.value(result, flag)), r.or_(word, r.not_(fixed)))
    with r.if_then(in_doubt):
        table = r.context_word(context, Context.EXTENTS, POINTER)
        with r.loop(r.context_word(context, Context.EXTENT_COUNT)) as number:
            entry = r.gep(table, [r.mul(number, r.number(Extent.WORDS))], source_etype=I64)
            low, high = r.get(entry, WORD * Extent.LOW, I64), r.get(entry, WORD * Extent.HIGH, I64)
            begun = r.and_(r.icmp_unsigned(">=", address, low), r.icmp_unsigned("<", address, high))
            part = r.and_(word, r.and_(begun, r.icmp_unsigned(">", r.add(address, size), high)))
            ends_here = r.icmp_unsigned("==", high, r.site_word(site, Site.HIGH))
            ends_here = r.and_(ends_here, r.icmp_unsigned(">=", address, r.site_word(site, Site.LOW)))
            with r.if_then(r.and_(fixed, r.and_(part, ends_here))):
                r.store(r.number(1, flag), result)
            with r.if_then(r.and_(r.not_(fixed), r.or_(part, _within(r, address, size, low, high)))):
                r.put(low, site, WORD * Site.LOW)
                r.put(high, site, WORD * Site.HIGH)
                r.put(_map_of(r, site, entry), site, WORD * Site.TOUCHED)
                r.store(r.number(1, flag), result)
        space = r.and_(r.lshr(description, r.number(8)), r.number(15))
        generic = r.icmp_unsigned("==", space, r.number(Space.GENERIC))
        for window, word in ((SHARED_WINDOW, Context.SHARED_SIZE), (LOCAL_WINDOW, Context.LOCAL_SIZE)):
            begin = r.number(window)
            own = _within(r, address, size, begin, r.add(begin, r.context_word(context, word)))
            r.store(r.or_(r.value(result, flag), r.and_(generic, own)), result)
    r.ret(r.value(result, flag))


def _map_of(r: Routine, site: Any, entry: Any) -> Any:
    """The map that an access marks: of loaded sectors, or of stored ones."""
    description = r.site_word(site, Site.DESCRIPTION)
    stores = r.icmp_unsigned("!=", r.and_(description, r.number(WRITES)), r.number(0))
    loaded, stored = (r.get(entry, WORD * word, I64) for word in (Extent.LOADED, Extent.STORED))
    return r.select(stores, stored, loaded)


@routine("note_trap", VOID, POINTER, I32, I32)
def _note_trap(r: Routine) -> None:
    """Note the lanes that ran into a trap."""
    _note_at_line(r, Defect.TRAP)


@routine("note_overflow", VOID, POINTER, I32, I32)
def _note_overflow(r: Routine) -> None:
    """Note the lanes whose index does not fit into 32 bits."""
    _note_at_line(r, Defect.INDEX_OVERFLOW)


@routine("note_outside_mask", VOID, POINTER, I32, I32)
def _note_outside_mask(r: Routine) -> None:
    """Note the lanes that exchange values under a mask without their own bit."""
    _note_at_line(r, Defect.OUTSIDE_MASK)


@routine("note_absent_lanes", VOID, POINTER, I32, vector(I32))
def _note_absent_lanes(r: Routine) -> None:
    """Note the lanes for which something depends on the value of an absent lane, with the shuffle's line."""
    context, mask, origins = r.arguments
    place = r.spilled(origins)
    sites = r.context_word(context, Context.SITES, POINTER)
    with r.each_lane(mask) as lane:
        noted = r.context_word(context, Context.ABSENT_LANES_NOTED)
        with r.if_then(r.icmp_unsigned("<", noted, r.number(_MOST_ABSENT_LANES))):
            r.bump(context, WORD * Context.ABSENT_LANES_NOTED, r.number(1))
            line = r.zext(r.load(r.element(place, I32, lane), typ=I32), I64)
            kind = r.number(Defect.ABSENT_LANE)
            r.call(r.module.globals["note_defect"], [context, kind, sites, lane, line])
    r.ret_void()


def _note_at_line(r: Routine, kind: Defect) -> None:
    """Note lanes of a mask, with the line of the PTX text in place of an address."""
    context, mask, line = r.arguments
    sites = r.context_word(context, Context.SITES, POINTER)
    with r.each_lane(mask) as lane:
        r.call(
            r.module.globals["note_defect"],
            [context, r.number(kind), sites, lane, r.zext(line, I64)],
        )
    r.ret_void()


@routine("check_barrier", VOID, POINTER, I32)
def _check_barrier(r: Routine) -> None:
    """Note the first thread that is not at the barrier where others wait: ended, or at another one."""
    context, barrier = r.arguments
    threads = r.trunc(r.context_word(context, Context.THREADS), I32)
    missing = r.variable(r.number(0, I1))
    with r.loop(r.context_word(context, Context.WARPS)) as warp:
        counters = r.get(state_of(r, context, warp), State.COUNTERS, vector(I32))
        first = r.trunc(r.mul(warp, r.number(LANES)), I32)
        real = r.icmp_unsigned("<", r.add(lane_numbers(), r.broadcast(first)), r.broadcast(threads))
        away = r.bits(r.and_(real, r.icmp_unsigned("!=", counters, r.broadcast(barrier))))
        some = r.icmp_unsigned("!=", away, r.number(0, I32))
        with r.if_then(r.and_(some, r.not_(r.value(missing, I1))), likely=False):
            r.store(r.number(1, I1), missing)
            r.put(warp, context, WORD * Context.WARP)
            r.call(
                r.module.globals["note_defect"],
                [
                    context,
                    r.number(Defect.BARRIER),
                    r.context_word(context, Context.SITES, POINTER),
                    r.first_lane(away),
                    r.zext(barrier, I64),
                ],
            )
    r.ret_void()

"""Routines of copies from global to shared memory that are under way: a queue for each warp.

What is copied is read when the copy begins, and written when it is waited for, or when the queue is full.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I8,
    I32,
    I64,
    LANES,
    POINTER,
    VOID,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import Context, Copies, Copy, Site, State
from advisor.evidence.simulated.simt.vector.routines.banks import passes
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.memory import good_lanes
from advisor.evidence.simulated.simt.vector.sites import COPIED, ROW_BYTES

_ADDRESSES = vector(I64)
_GROUPS = vector(I32)


def _begin_copy(r: Routine, size: int) -> None:
    """Read what each lane copies, 0 behind the bytes that it is given, and enter it into the queue."""
    context, state, queue, source, target, sources, targets, mask, given = r.arguments
    good = _readable(r, size, context, source, sources, mask, given)
    room = good_lanes(r, context, target, targets, mask, size)
    r.count(target, Site.SLOW_REQUESTS, r.number(1))
    count, least = passes(r, targets, room, size)
    r.count(target, Site.WAVEFRONTS, count)
    r.count(target, Site.IDEAL_WAVEFRONTS, least)
    _make_room(r, context, state, queue)
    entry = _entry(r, queue, r.get(state, State.COPIES_END, I64))
    r.put(targets, entry, Copy.ADDRESSES)
    r.put(r.get(queue, Copies.GROUPS, _GROUPS), entry, Copy.GROUPS)
    r.put(r.zext(room, I64), entry, Copy.LANES)
    r.put(r.number(size), entry, Copy.SIZE)
    r.put(r.ptrtoint(target, I64), entry, Copy.SITE)
    data = r.at(entry, Copy.DATA)
    whole = r.number(LANES * ROW_BYTES)
    r.intrinsic("llvm.memset", VOID, (data, r.number(0, I8), whole, ir.Constant(I1, False)), (POINTER, I64))
    place, counts = r.spilled(sources), r.spilled(given)
    with r.each_lane(good) as lane:
        address = r.inttoptr(r.load(r.element(place, I64, lane), typ=I64), POINTER)
        row = r.gep(data, [_row_offset(r, lane)], source_etype=I8)
        bytes_ = r.zext(r.load(r.element(counts, I32, lane), typ=I32), I64)
        with r.if_else(r.icmp_unsigned(">=", bytes_, r.number(size)), likely=True) as (then, otherwise):
            with then:
                _move(r, address, row, size)
            with otherwise, r.loop(bytes_) as number:
                from_, into = (r.gep(one, [number], source_etype=I8) for one in (address, row))
                r.store(r.load(from_, typ=I8), into)
    r.bump(state, State.COPIES_END, r.number(1))
    r.ret_void()


def _readable(r: Routine, size: int, context: Any, site: Any, addresses: Any, mask: Any, given: Any) -> Any:
    """The lanes whose bytes of global memory are good, counted and checked; a part by its last byte."""
    full = r.and_(mask, r.bits(r.icmp_unsigned(">=", given, splat(I32, size))))
    some = r.and_(mask, r.bits(r.icmp_unsigned("!=", given, splat(I32, 0))))
    part = r.and_(some, r.not_(full))
    good = r.variable(r.number(0, I32))
    with r.if_then(r.icmp_unsigned("!=", full, r.number(0, I32)), likely=True):
        r.store(r.call(r.module.globals[f"inspect_global_{size}"], [context, site, addresses, full]), good)
    with r.if_then(r.icmp_unsigned("!=", part, r.number(0, I32)), likely=False):
        last = r.add(addresses, r.sub(r.zext(given, _ADDRESSES), splat(I64, 1)))
        found = r.call(r.module.globals["inspect_global_1"], [context, site, last, part])
        r.store(r.or_(r.value(good, I32), found), good)
    return r.value(good, I32)


def _row_offset(r: Routine, lane: Any) -> Any:
    return r.mul(r.zext(lane, I64), r.number(ROW_BYTES))


def _entry(r: Routine, queue: Any, number: Any) -> Any:
    """The entry of the copy with a number."""
    place = r.mul(r.urem(number, r.number(Copies.CAPACITY)), r.number(Copy.BYTES))
    return r.gep(r.at(queue, Copies.ENTRIES), [place], source_etype=I8)


def _make_room(r: Routine, context: Any, state: Any, queue: Any) -> None:
    """End the oldest copy where the queue is full: a copy may end at any time."""
    first = r.get(state, State.COPIES_FIRST, I64)
    length = r.sub(r.get(state, State.COPIES_END, I64), first)
    with r.if_then(r.icmp_unsigned(">=", length, r.number(Copies.CAPACITY)), likely=False):
        r.call(r.module.globals["end_copy"], [context, _entry(r, queue, first), r.number(-1, I32)])
        r.put(r.add(first, r.number(1)), state, State.COPIES_FIRST)


def _move(r: Routine, source: Any, target: Any, size: int) -> None:
    kind = ir.IntType(8 * size)
    r.store(r.load(source, typ=kind, align=1), target, align=1)


for _size in COPIED:
    routine(
        f"begin_copy_{_size}", VOID, POINTER, POINTER, POINTER, POINTER, POINTER, _ADDRESSES, _ADDRESSES, I32,
        _GROUPS,
    )((lambda size: lambda r: _begin_copy(r, size))(_size))  # fmt: skip


@routine("end_copies", VOID, POINTER, POINTER, POINTER, I32, I32)
def _end_copies(r: Routine) -> None:
    """End the copies of the lanes of a mask, but for those of so many of their latest groups."""
    context, state, queue, mask, left = r.arguments
    groups = r.get(queue, Copies.GROUPS, _GROUPS)
    end = r.get(state, State.COPIES_END, I64)
    with r.loop(end, r.get(state, State.COPIES_FIRST, I64)) as number:
        entry = _entry(r, queue, number)
        since = r.sub(groups, r.get(entry, Copy.GROUPS, _GROUPS))
        over = r.bits(r.icmp_signed(">", since, r.broadcast(left)))
        r.call(r.module.globals["end_copy"], [context, entry, r.and_(mask, over)])
    first = r.variable(r.get(state, State.COPIES_FIRST, I64))

    def ended() -> Any:
        there = r.icmp_signed("<", r.value(first), end)
        lanes = r.get(_entry(r, queue, r.value(first)), Copy.LANES, I64)
        return r.and_(there, r.icmp_unsigned("==", lanes, r.number(0)))

    with r.repeat(ended):
        r.store(r.add(r.value(first), r.number(1)), first)
    r.put(r.value(first), state, State.COPIES_FIRST)
    r.ret_void()


@routine("end_copy", VOID, POINTER, POINTER, I32)
def _end_copy(r: Routine) -> None:
    """Write what the lanes of a mask have copied, where it is not written yet; races are looked for then."""
    context, entry, mask = r.arguments
    waiting = r.trunc(r.get(entry, Copy.LANES, I64), I32)
    lanes = r.and_(waiting, mask)
    with r.if_then(r.icmp_unsigned("!=", lanes, r.number(0, I32))):
        r.put(r.zext(r.and_(waiting, r.not_(lanes)), I64), entry, Copy.LANES)
        site = r.inttoptr(r.get(entry, Copy.SITE, I64), POINTER)
        size = r.get(entry, Copy.SIZE, I64)
        place = r.at(entry, Copy.ADDRESSES)
        shadow = r.context_word(context, Context.SHADOW)
        with r.if_then(r.icmp_unsigned("!=", shadow, r.number(0)), likely=False):
            r.call(r.module.globals["follow_shared"], [context, site, place, lanes, size])
        for one in COPIED:
            with r.if_then(r.icmp_unsigned("==", size, r.number(one))), r.each_lane(lanes) as lane:
                address = r.inttoptr(r.load(r.element(place, I64, lane), typ=I64), POINTER)
                row = r.gep(r.at(entry, Copy.DATA), [_row_offset(r, lane)], source_etype=I8)
                _move(r, row, address, one)
        unsettled = r.context_word(context, Context.UNSETTLED)
        with r.if_then(r.icmp_unsigned("!=", unsettled, r.number(0)), likely=False):
            addresses = r.load(place, typ=_ADDRESSES, align=64)
            r.call(r.module.globals["settle_shared"], [context, site, addresses, size])
    r.ret_void()

"""Routines of shared memory: wavefronts by bank, words read before they were written, races between warps.

The words of shared memory are followed in the blocks that are looked at closely.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import (
    I32,
    I64,
    POINTER,
    VOID,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import ATOMIC, WORD, WRITES, Context, Defect, Site
from advisor.evidence.simulated.simt.vector.routines.banks import passes
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.memory import SIZES, good_lanes

_ADDRESSES = vector(I64)
# Words of the shadow of a unit of shared memory: who wrote last and who read, each epoch << 16 | warp + 1. A
# unit is the smallest element that the kernel accesses there, four bytes at most.
_WRITTEN, _READ, _SHADOW_WORDS = 0, 1, 2
# In place of warp + 1: several warps have read since the last barrier, so a writer is not the only one.
_SEVERAL = 0x7FFF


def _inspect_shared(r: Routine, size: int) -> None:
    context, site, addresses, mask = r.arguments
    good = good_lanes(r, context, site, addresses, mask, size)
    r.count(site, Site.SLOW_REQUESTS, r.number(1))
    count_shared(r, context, site, addresses, good, size)
    r.ret(good)


def count_shared(r: Routine, context: Any, site: Any, addresses: Any, good: Any, size: int) -> None:
    """Count the wavefronts of good lanes by their real addresses, and follow who uses what."""
    count, least = passes(r, addresses, good, size)
    r.count(site, Site.WAVEFRONTS, count)
    r.count(site, Site.IDEAL_WAVEFRONTS, least)
    follow(r, context, site, addresses, good, size)


def follow(r: Routine, context: Any, site: Any, addresses: Any, good: Any, size: int) -> None:
    """Look for races and for words that nobody wrote, in the blocks that are looked at closely."""
    shadow = r.context_word(context, Context.SHADOW)
    with r.if_then(r.icmp_unsigned("!=", shadow, r.number(0)), likely=False):
        place = r.spilled(addresses)
        r.call(r.module.globals["follow_shared"], [context, site, place, good, r.number(size)])


for _size in SIZES:
    routine(f"inspect_shared_{_size}", I32, POINTER, POINTER, _ADDRESSES, I32)(
        (lambda size: lambda r: _inspect_shared(r, size))(_size)
    )


@routine("follow_shared", VOID, POINTER, POINTER, POINTER, I32, I64)
def _follow(r: Routine) -> None:
    """Note units read before any thread wrote them, and those two warps use without a barrier."""
    context, site, place, mask, size = r.arguments
    description = r.site_word(site, Site.DESCRIPTION)
    atomic = r.icmp_unsigned("!=", r.and_(description, r.number(ATOMIC)), r.number(0))
    writes = r.icmp_unsigned("!=", r.and_(description, r.number(WRITES)), r.number(0))
    shadow = r.context_word(context, Context.SHADOW, POINTER)
    shared = r.context_word(context, Context.SHARED)
    shift = r.context_word(context, Context.SHADOW_SHIFT)
    warp = r.add(r.context_word(context, Context.WARP), r.number(1))
    epoch = r.shl(r.context_word(context, Context.EPOCH), r.number(16))
    mark = r.or_(epoch, warp)
    with r.each_lane(mask) as lane:
        address = r.load(r.element(place, I64, lane), typ=I64)
        begin = r.sub(address, shared)
        first = r.lshr(begin, shift)
        end = r.add(r.lshr(r.add(begin, r.sub(size, r.number(1))), shift), r.number(1))
        with r.loop(end, first) as word:
            entry = r.gep(shadow, [r.mul(word, r.number(_SHADOW_WORDS))], source_etype=I64)
            _follow_word(r, context, site, entry, (lane, address), (mark, epoch, writes, atomic))
    r.ret_void()


def _follow_word(
    r: Routine, context: Any, site: Any, entry: Any, at: tuple[Any, ...], now: tuple[Any, ...]
) -> None:
    mark, epoch, writes, atomic = now
    written = r.get(entry, WORD * _WRITTEN, I64)
    read = r.get(entry, WORD * _READ, I64)
    plain = r.not_(atomic)
    reading = r.or_(r.not_(writes), atomic)
    fresh = r.icmp_unsigned("==", written, r.number(0))
    _note_when(r, context, site, at, r.and_(fresh, reading), Defect.UNINITIALISED)
    # The bit above the warp tells an atomic access, which does not race with another.
    other_writer = _from_other_warp(r, written, mark, epoch)
    other_reader = _from_other_warp(r, read, mark, epoch)
    races = r.or_(other_writer, r.and_(writes, other_reader))
    atomic_before = r.icmp_unsigned("!=", r.and_(written, r.number(1 << 15)), r.number(0))
    both = r.and_(atomic, atomic_before)
    clashes = r.and_(races, r.not_(both))
    stores = r.and_(writes, plain)
    _note_when(r, context, site, at, r.and_(clashes, r.not_(stores)), Defect.RACE)
    with r.if_then(r.and_(clashes, stores), likely=False):
        _keep_contents(r, context, *at)
    signed = r.or_(mark, r.select(atomic, r.number(1 << 15), r.number(0)))
    r.put(r.select(writes, signed, written), entry, WORD * _WRITTEN)
    readers = r.select(other_reader, r.or_(epoch, r.number(_SEVERAL)), mark)
    r.put(r.select(r.and_(reading, plain), readers, read), entry, WORD * _READ)


@routine("mark_copied", VOID, POINTER, I64, I64)
def _mark_copied(r: Routine) -> None:
    """Note bytes as written by no warp: what orders the copy of a box is the phase of a barrier."""
    context, place, size = r.arguments
    shadow = r.context_word(context, Context.SHADOW, POINTER)
    shift = r.context_word(context, Context.SHADOW_SHIFT)
    begin = r.sub(place, r.context_word(context, Context.SHARED))
    mark = r.shl(r.context_word(context, Context.EPOCH), r.number(16))
    with r.loop(r.lshr(r.add(begin, size), shift), r.lshr(begin, shift)) as word:
        entry = r.gep(shadow, [r.mul(word, r.number(_SHADOW_WORDS))], source_etype=I64)
        r.put(mark, entry, WORD * _WRITTEN)
        r.put(r.number(0), entry, WORD * _READ)
    r.ret_void()


def _keep_contents(r: Routine, context: Any, lane: Any, address: Any) -> None:
    """Settle a store that clashes once it is done: the same value again harms nobody."""
    bit = r.zext(r.shl(r.number(1, I32), lane), I64)
    r.put(r.or_(r.context_word(context, Context.UNSETTLED), bit), context, WORD * Context.UNSETTLED)
    kept = _contents_of(r, context, lane)
    held = r.inttoptr(address, POINTER)
    for offset in (0, 8):
        r.put(r.get(held, offset, I64, 1), kept, offset)


def _contents_of(r: Routine, context: Any, lane: Any) -> Any:
    contents = r.context_word(context, Context.CONTENTS, POINTER)
    return r.gep(contents, [r.shl(lane, r.number(1, I32))], source_etype=I64)


@routine("settle_shared", VOID, POINTER, POINTER, _ADDRESSES, I64)
def _settle(r: Routine) -> None:
    """Note the races of stores of a size that changed what another warp had written or read."""
    context, site, addresses, size = r.arguments
    place = r.spilled(addresses)
    mask = r.trunc(r.context_word(context, Context.UNSETTLED), I32)
    r.put(r.number(0), context, WORD * Context.UNSETTLED)
    unused = r.shl(r.sub(r.number(8), r.elementwise("llvm.umin", size, r.number(8))), r.number(3))
    with r.each_lane(mask) as lane:
        address = r.load(r.element(place, I64, lane), typ=I64)
        held, kept = r.inttoptr(address, POINTER), _contents_of(r, context, lane)
        low, high = (r.xor(r.get(held, at, I64, 1), r.get(kept, at, I64)) for at in (0, 8))
        wide = r.icmp_unsigned(">", size, r.number(8))
        changed = r.or_(r.shl(low, unused), r.select(wide, high, r.number(0)))
        different = r.icmp_unsigned("!=", changed, r.number(0))
        _note_when(r, context, site, (lane, address), different, Defect.RACE)
    r.ret_void()


def _from_other_warp(r: Routine, entry: Any, mark: Any, epoch: Any) -> Any:
    """Whether an entry was made since the last barrier by another warp."""
    same_epoch = r.icmp_unsigned("==", r.lshr(entry, r.number(16)), r.lshr(epoch, r.number(16)))
    warp = r.and_(entry, r.number(0x7FFF))
    mine = r.and_(mark, r.number(0x7FFF))
    some = r.icmp_unsigned("!=", warp, r.number(0))
    return r.and_(r.and_(same_epoch, some), r.icmp_unsigned("!=", warp, mine))


def _note_when(
    r: Routine, context: Any, site: Any, at: tuple[Any, ...], condition: Any, kind: Defect
) -> None:
    with r.if_then(condition, likely=False):
        r.call(r.module.globals["note_defect"], [context, r.number(kind), site, *at])

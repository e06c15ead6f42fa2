"""Routines that follow elements of global memory: who loads, stores and changes them within a launch.

For each element the first and the last load, store and atomic operation are kept. Two accesses race when
different blocks make them, or two warps of a block without a barrier between, and one of them changes the
element: nothing but a fence orders them. A store that leaves the element as it was harms nobody, and where a
store writes one value in the whole launch (a flag) those who read it earlier or later are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I8,
    I16,
    I32,
    I64,
    LANES,
    POINTER,
    VOID,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    ATOMIC,
    COMPARES,
    FOLLOWED,
    ONE_VALUE,
    WORD,
    WRITES,
    Context,
    Defect,
    Site,
)
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

# Words of an entry: the element's number, then the first and the last mark of each kind of access.
_ELEMENT, _LOADED, _STORED, _CHANGED_ATOMICALLY, ENTRY_WORDS = 0, 1, 3, 5, 8
# A bit for each word of an entry that holds a mark.
_MARK_WORDS = 0b0111_1110
# The table: groups of neighbouring elements, as many as so many bits number. An element whose place is taken
# looks in so many further groups, and is not followed where these are taken too.
_GROUP_BITS, _TABLE_GROUP_BITS, _FURTHER_GROUPS = 4, 14, 8
ENTRIES = 1 << _GROUP_BITS + _TABLE_GROUP_BITS
# The golden ratio times 2^64, which spreads neighbouring numbers (Knuth, TAOCP 3, 6.4).
_SPREAD = 0x9E3779B97F4A7C15
# A mark: block, interval between two barriers, number of the access, flags, warp + 1.
_BLOCK_SHIFT, _INTERVAL_SHIFT, _ACCESS_SHIFT = 40, 24, 12
_LAST_INTERVAL, _LAST_ACCESS, _WARP = 0xFFFF, 0xFFF, 0xFF
# Several warps of the block since the last barrier; the element changed; one value in the whole launch.
_SEVERAL, _CHANGED, _ONE_VALUE = 1 << 8, 1 << 9, 1 << 10
# Races noted at one access; the table of defects is for all kinds.
_MOST_RACES = 8
# The largest access, in words. Contents are compared word by word.
_MOST_WORDS = 4
KEPT_BYTES = _MOST_WORDS * LANES * WORD


@dataclass(frozen=True)
class _Here:
    """The access of one lane: context, site's record, lane, address, the site's description and its mark."""

    context: Any
    site: Any
    lane: Any
    address: Any
    description: Any
    mark: Any


def follow_elements(r: Routine, context: Any, site: Any, addresses: Any, good: Any, size: int) -> None:
    """Follow the elements of good lanes, in the blocks and at the accesses where that is asked for."""
    table = r.context_word(context, Context.ELEMENTS)
    wanted = _has(r, r.site_word(site, Site.DESCRIPTION), FOLLOWED)
    with r.if_then(r.and_(r.icmp_unsigned("!=", table, r.number(0)), wanted), likely=False):
        place = r.spilled(addresses)
        r.call(r.module.globals["follow_elements"], [context, site, place, good, r.number(size)])


@routine("entry_of_element", POINTER, POINTER, I64)
def _entry_of_element(r: Routine) -> None:
    """Emit the entry of an element by its number, a new one where it has none, null where none is free."""
    context, element = r.arguments
    table = r.context_word(context, Context.ELEMENTS, POINTER)
    group = r.lshr(element, r.number(_GROUP_BITS))
    spread = r.lshr(r.mul(group, r.number(_SPREAD)), r.number(64 - _TABLE_GROUP_BITS))
    within = r.and_(element, r.number((1 << _GROUP_BITS) - 1))
    slot = r.variable(r.or_(r.shl(spread, r.number(_GROUP_BITS)), within))
    found, left = r.variable(r.number(0)), r.variable(r.number(_FURTHER_GROUPS + 1))

    def searching() -> Any:
        more = r.icmp_unsigned("!=", r.value(left), r.number(0))
        return r.and_(more, r.icmp_unsigned("==", r.value(found), r.number(0)))

    with r.repeat(searching):
        entry = r.gep(table, [r.mul(r.value(slot), r.number(ENTRY_WORDS))], source_etype=I64)
        held = r.get(entry, WORD * _ELEMENT, I64)
        free = r.icmp_unsigned("==", held, r.number(0))
        with r.if_then(r.or_(free, r.icmp_unsigned("==", held, element))):
            r.put(element, entry, WORD * _ELEMENT)
            r.store(r.ptrtoint(entry, I64), found)
        following = r.add(r.value(slot), r.number(1 << _GROUP_BITS))
        r.store(r.and_(following, r.number(ENTRIES - 1)), slot)
        r.store(r.sub(r.value(left), r.number(1)), left)
    r.ret(r.inttoptr(r.value(found), POINTER))


@routine("follow_elements", VOID, POINTER, POINTER, POINTER, I32, I64)
def _follow(r: Routine) -> None:
    """Follow loads and atomic operations; a store is followed when it is done, its contents are kept here."""
    context, site, place, mask, size = r.arguments
    description = r.site_word(site, Site.DESCRIPTION)
    atomic = _has(r, description, ATOMIC)
    stores = r.and_(_has(r, description, WRITES), r.not_(atomic))
    with r.if_else(stores) as (then, otherwise):
        with then:
            r.put(r.zext(mask, I64), context, WORD * Context.ELEMENTS_UNSETTLED)
            _keep_contents(r, context, place, mask, size)
        with otherwise:
            mark = _mark(r, context, site)
            with r.each_lane(mask) as lane:
                address = r.load(r.element(place, I64, lane), typ=I64)
                here = _Here(context, site, lane, address, description, mark)
                with _each_entry(r, here, size) as entry, r.if_else(atomic) as (one, other):
                    with one:
                        _atomic(r, here, entry)
                    with other:
                        _load(r, here, entry)
    r.ret_void()


def _mark(r: Routine, context: Any, site: Any) -> Any:
    block = r.shl(r.context_word(context, Context.BLOCK_NUMBER), r.number(_BLOCK_SHIFT))
    epoch = r.elementwise("llvm.umin", r.context_word(context, Context.EPOCH), r.number(_LAST_INTERVAL))
    number = r.elementwise("llvm.umin", r.site_word(site, Site.NUMBER), r.number(_LAST_ACCESS))
    warp = r.add(r.context_word(context, Context.WARP), r.number(1))
    place = r.or_(r.shl(epoch, r.number(_INTERVAL_SHIFT)), r.shl(number, r.number(_ACCESS_SHIFT)))
    return r.or_(block, r.or_(place, warp))


@contextmanager
def _each_entry(r: Routine, here: _Here, size: Any) -> Iterator[Any]:
    """A loop over the entries of the elements that a lane's access covers, where they are followed."""
    shift = r.context_word(here.context, Context.ELEMENT_SHIFT)
    first = r.lshr(here.address, shift)
    last = r.lshr(r.add(here.address, r.sub(size, r.number(1))), shift)
    with r.loop(r.add(last, r.number(1)), first) as number:
        entry = r.call(r.module.globals["entry_of_element"], [here.context, number])
        with r.if_then(r.icmp_unsigned("!=", r.ptrtoint(entry, I64), r.number(0))):
            yield entry


def _load(r: Routine, here: _Here, entry: Any) -> None:
    with _some_apart(r, here, entry):
        _note_loaded(r, here, entry)
    _put_marks(r, here, entry, _LOADED, here.mark)


def _note_loaded(r: Routine, here: _Here, entry: Any) -> None:
    for number in (0, 1):
        stored = r.get(entry, WORD * (_STORED + number), I64)
        differs = r.and_(_has(r, stored, _CHANGED), r.not_(_has(r, stored, _ONE_VALUE)))
        blocks, warps = _apart(r, here, stored)
        met = r.icmp_unsigned("!=", r.context_word(here.context, Context.MET_ATOMIC), r.number(0))
        kind = r.select(met, r.number(Defect.UNFENCED), r.number(Defect.RACE_OF_BLOCKS))
        _note(r, here, r.and_(blocks, differs), kind, stored)
        _note(r, here, r.and_(warps, differs), r.number(Defect.RACE_OF_WARPS), stored)
    _beside_atomics(r, here, entry, r.number(1, I1))


def _beside_atomics(r: Routine, here: _Here, entry: Any, wanted: Any) -> None:
    """Note a plain access beside atomic operations of others."""
    for number in (0, 1):
        changed = r.get(entry, WORD * (_CHANGED_ATOMICALLY + number), I64)
        blocks, warps = _apart(r, here, changed)
        _note(r, here, r.and_(blocks, wanted), r.number(Defect.ATOMIC_BESIDE_BLOCK), changed)
        _note(r, here, r.and_(warps, wanted), r.number(Defect.ATOMIC_BESIDE_WARP), changed)


def _atomic(r: Routine, here: _Here, entry: Any) -> None:
    with _some_apart(r, here, entry):
        _note_atomic(r, here, entry)
    loaded = r.get(entry, WORD * (_LOADED + 1), I64)
    with r.if_then(r.and_(_has(r, here.description, COMPARES), _own(r, here, loaded))):
        _mark_compared(r, here, loaded)
    _put_marks(r, here, entry, _CHANGED_ATOMICALLY, here.mark)


def _note_atomic(r: Routine, here: _Here, entry: Any) -> None:
    for kind in (_LOADED, _STORED):
        for number in (0, 1):
            other = r.get(entry, WORD * (kind + number), I64)
            blocks, warps = _apart(r, here, other)
            _note(r, here, blocks, r.number(Defect.ATOMIC_BESIDE_BLOCK), other)
            _note(r, here, warps, r.number(Defect.ATOMIC_BESIDE_WARP), other)
    for number in (0, 1):
        blocks, _ = _apart(r, here, r.get(entry, WORD * (_CHANGED_ATOMICALLY + number), I64))
        known = r.context_word(here.context, Context.MET_ATOMIC)
        r.put(r.or_(known, r.zext(blocks, I64)), here.context, WORD * Context.MET_ATOMIC)


def _mark_compared(r: Routine, here: _Here, loaded: Any) -> None:
    """Remember of a load that its warp then compared the element atomically: it was only a first look."""
    sites = r.context_word(here.context, Context.SITES, POINTER)
    site = r.gep(sites, [r.mul(_access(r, loaded), r.number(Site.WORDS))], source_etype=I64)
    r.put(r.number(1), site, WORD * Site.COMPARED_LATER)


def _store(r: Routine, here: _Here, entry: Any, changed: Any) -> None:
    one_value = _has(r, here.description, ONE_VALUE)
    with _some_apart(r, here, entry):
        _note_stored(r, here, entry, changed, one_value)
    flags = r.or_(
        r.select(changed, r.number(_CHANGED), r.number(0)),
        r.select(one_value, r.number(_ONE_VALUE), r.number(0)),
    )
    _put_marks(r, here, entry, _STORED, r.or_(here.mark, flags))


def _note_stored(r: Routine, here: _Here, entry: Any, changed: Any, one_value: Any) -> None:
    for number in (0, 1):
        loaded = r.get(entry, WORD * (_LOADED + number), I64)
        for kind, apart in zip(_KINDS, _apart(r, here, loaded), strict=True):
            _note(r, here, r.and_(apart, r.and_(changed, r.not_(one_value))), r.number(kind), loaded)
        stored = r.get(entry, WORD * (_STORED + number), I64)
        for kind, apart in zip(_KINDS, _apart(r, here, stored), strict=True):
            _note(r, here, r.and_(apart, changed), r.number(kind), stored)
    # Who has changed the element atomically himself knows what he overwrites.
    own = _own(r, here, r.get(entry, WORD * (_CHANGED_ATOMICALLY + 1), I64))
    _beside_atomics(r, here, entry, r.not_(own))


@contextmanager
def _some_apart(r: Routine, here: _Here, entry: Any) -> Iterator[None]:
    """Code that runs where any mark of an entry may be of another block, or of another warp just now."""
    marks = r.get(entry, 0, vector(I64, ENTRY_WORDS), WORD)
    differences = r.xor(marks, r.broadcast(here.mark, ENTRY_WORDS))
    zero = splat(I64, 0, ENTRY_WORDS)

    def same(shift: int) -> Any:
        return r.icmp_unsigned("==", r.lshr(differences, splat(I64, shift, ENTRY_WORDS)), zero)

    maker = r.and_(differences, splat(I64, _WARP | _SEVERAL, ENTRY_WORDS))
    beside = r.and_(same(_INTERVAL_SHIFT), r.icmp_unsigned("!=", maker, zero))
    foreign = r.or_(r.not_(same(_BLOCK_SHIFT)), beside)
    apart = r.bitcast(r.and_(foreign, r.icmp_unsigned("!=", marks, zero)), I8)
    some = r.icmp_unsigned("!=", r.and_(apart, r.number(_MARK_WORDS, I8)), r.number(0, I8))
    with r.if_then(some, likely=False):
        yield


_KINDS = (Defect.RACE_OF_BLOCKS, Defect.RACE_OF_WARPS)


def _apart(r: Routine, here: _Here, other: Any) -> tuple[Any, Any]:
    """Whether a mark is of another block, and of another warp of this block since the last barrier."""
    some = r.icmp_unsigned("!=", other, r.number(0))
    difference = r.xor(other, here.mark)
    same_block = r.icmp_unsigned("==", r.lshr(difference, r.number(_BLOCK_SHIFT)), r.number(0))
    blocks = r.and_(some, r.not_(same_block))
    same_interval = r.icmp_unsigned("==", r.lshr(difference, r.number(_INTERVAL_SHIFT)), r.number(0))
    epoch = r.context_word(here.context, Context.EPOCH)
    counted = r.icmp_unsigned("<", epoch, r.number(_LAST_INTERVAL))
    asked = r.icmp_unsigned("!=", r.context_word(here.context, Context.WARPS_FOLLOWED), r.number(0))
    foreign = r.or_(_has(r, difference, _WARP), _has(r, other, _SEVERAL))
    since = r.and_(r.and_(same_interval, counted), r.and_(some, asked))
    return blocks, r.and_(since, foreign)


def _own(r: Routine, here: _Here, other: Any) -> Any:
    """Whether a mark is of this warp alone."""
    difference = r.xor(other, here.mark)
    same_block = r.icmp_unsigned("==", r.lshr(difference, r.number(_BLOCK_SHIFT)), r.number(0))
    same_warp = r.icmp_unsigned("==", r.and_(difference, r.number(_WARP)), r.number(0))
    return r.and_(r.and_(same_block, same_warp), r.icmp_unsigned("!=", other, r.number(0)))


def _put_marks(r: Routine, here: _Here, entry: Any, kind: int, mark: Any) -> None:
    """Enter a mark as the last of its kind, and as the first where that is none or changed nothing."""
    first, last = (r.get(entry, WORD * (kind + number), I64) for number in (0, 1))
    _, warps = _apart(r, here, last)
    r.put(r.or_(mark, r.select(warps, r.number(_SEVERAL), r.number(0))), entry, WORD * (kind + 1))
    weak = r.icmp_unsigned("==", first, r.number(0))
    if kind == _STORED:
        counts = r.number(_CHANGED | _ONE_VALUE)
        known = r.icmp_unsigned("==", r.and_(first, counts), r.number(_CHANGED))
        weak = r.or_(weak, r.and_(r.not_(known), _has(r, mark, _CHANGED)))
    r.put(r.select(weak, mark, first), entry, WORD * kind)


def _access(r: Routine, mark: Any) -> Any:
    return r.and_(r.lshr(mark, r.number(_ACCESS_SHIFT)), r.number(_LAST_ACCESS))


def _has(r: Routine, word: Any, bits: int) -> Any:
    """Whether a word has any of some bits."""
    return r.icmp_unsigned("!=", r.and_(word, r.number(bits)), r.number(0))


def _note(r: Routine, here: _Here, condition: Any, kind: Any, other: Any) -> None:
    """Note a race with the access that a mark is of, while few were noted at this access."""
    few = r.icmp_unsigned("<", r.site_word(here.site, Site.RACES), r.number(_MOST_RACES))
    with r.if_then(r.and_(condition, few), likely=False):
        r.count(here.site, Site.RACES, r.number(1))
        r.put(r.add(_access(r, other), r.number(1)), here.context, WORD * Context.OTHER_ACCESS)
        r.call(r.module.globals["note_defect"], [here.context, kind, here.site, here.lane, here.address])
        r.put(r.number(0), here.context, WORD * Context.OTHER_ACCESS)


def _contents(r: Routine, place: Any, mask: Any, size: Any, part: int) -> Any:
    """The words so many behind the addresses of the lanes, of small elements their bytes and zeros."""
    addresses = r.load(place, typ=vector(I64), align=64)
    found = r.variable(splat(I64, 0))
    if part:
        addresses = r.add(addresses, splat(I64, WORD * part))
    else:
        for kind in (I8, I16, I32):
            with r.if_then(r.icmp_unsigned("==", size, r.number(kind.width // 8))):
                narrow = r.call(r.module.globals[f"gather_{kind.width}"], [addresses, mask])
                r.store(r.zext(narrow, vector(I64)), found)
    with r.if_then(r.icmp_unsigned(">=", size, r.number(WORD))):
        r.store(r.call(r.module.globals["gather_64"], [addresses, mask]), found)
    return r.value(found, vector(I64))


def _keep_contents(r: Routine, context: Any, place: Any, mask: Any, size: Any) -> None:
    kept = r.context_word(context, Context.ELEMENT_CONTENTS, POINTER)
    for part in range(_MOST_WORDS):
        with r.if_then(r.icmp_unsigned(">", size, r.number(WORD * part))):
            r.put(_contents(r, place, mask, size, part), kept, WORD * LANES * part)


def _changed(r: Routine, context: Any, place: Any, mask: Any, size: Any) -> Any:
    """The bits of the lanes whose element is no longer what was kept."""
    kept = r.context_word(context, Context.ELEMENT_CONTENTS, POINTER)
    found = r.variable(r.number(0, I32))
    for part in range(_MOST_WORDS):
        with r.if_then(r.icmp_unsigned(">", size, r.number(WORD * part))):
            before = r.get(kept, WORD * LANES * part, vector(I64))
            now = _contents(r, place, mask, size, part)
            changed = r.bits(r.icmp_unsigned("!=", before, now))
            r.store(r.or_(r.value(found, I32), changed), found)
    return r.value(found, I32)


@routine("settle_elements", VOID, POINTER, POINTER, vector(I64), I64)
def _settle(r: Routine) -> None:
    """Follow stores of a size that are done: what they changed of what others had loaded or stored."""
    context, site, addresses, size = r.arguments
    place = r.spilled(addresses)
    mask = r.trunc(r.context_word(context, Context.ELEMENTS_UNSETTLED), I32)
    r.put(r.number(0), context, WORD * Context.ELEMENTS_UNSETTLED)
    description = r.site_word(site, Site.DESCRIPTION)
    mark = _mark(r, context, site)
    changed = _changed(r, context, place, mask, size)
    with r.each_lane(mask) as lane:
        address = r.load(r.element(place, I64, lane), typ=I64)
        here = _Here(context, site, lane, address, description, mark)
        own = r.and_(r.lshr(changed, lane), r.number(1, I32))
        with _each_entry(r, here, size) as entry:
            _store(r, here, entry, r.icmp_unsigned("!=", own, r.number(0, I32)))
    r.ret_void()

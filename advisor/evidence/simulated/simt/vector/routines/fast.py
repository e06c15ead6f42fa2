"""Routines of fast accesses: check and count lanes that lie side by side or all at one place.

They use no vector registers and keep those of their caller, so a call costs little more than what it does.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I1, I8, I16, I32, I64, LANES, POINTER
from advisor.evidence.simulated.simt.vector.layout import LINE_SHIFT, SECTOR_SHIFT, Context, Site
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

SIZES = (1, 2, 4, 8, 16, 32)
# Five lanes side by side have neighbours of both kinds that shared memory does not serve at a time.
_FEW_LANES = 4
# Ones for the map of sectors: a whole row of 32 elements of 1, 2, 4 … bytes lies in so many, or in one more.
_MARKS = {1: (I8, 1), 2: (I16, 2), 4: (I32, 4), 8: (I64, 8)}


def _fits(r: Routine, site: Any, address: Any, low: Any, high: Any, size: int) -> Any:
    """Whether an access lies within the bounds of its site and on its alignment, without a wrap."""
    bottom, top = r.site_word(site, Site.LOW), r.site_word(site, Site.HIGH)
    fits = r.and_(r.icmp_unsigned(">=", low, bottom), r.icmp_unsigned("<=", high, top))
    fits = r.and_(fits, r.icmp_unsigned("<", low, high))
    if size > 1:
        rest = r.and_(address, r.number(size - 1))
        fits = r.and_(fits, r.icmp_unsigned("==", rest, r.number(0)))
    return fits


def _row(r: Routine, size: int, space: str) -> None:
    site, address, first, behind = r.arguments
    shared = space == "shared"
    low = r.add(address, r.mul(first, r.number(size)))
    high = r.add(address, r.mul(behind, r.number(size)))
    fits = _fits(r, site, address, low, high, size)
    parts = _parts_of_warp(r, first, behind, size)
    if shared and size > 4:
        # Few lanes on both sides of a boundary may still be served at a time, which is looked at closely.
        many = r.icmp_unsigned(">", r.sub(behind, first), r.number(_FEW_LANES))
        fits = r.and_(fits, r.or_(many, r.icmp_unsigned("==", parts, r.number(1))))
    with r.if_then(fits, likely=True):
        if shared:
            _count_wavefronts(r, site, parts)
        else:
            _count_row(r, site, low, high, size)
        if space == "constant":
            # The elements of lanes side by side are all different.
            r.count(site, Site.DISTINCT, r.sub(behind, first))
    r.ret(fits)


def _parts_of_warp(r: Routine, first: Any, behind: Any, size: int) -> Any:
    """How many of the parts of a warp that shared memory serves at a time have one of the lanes."""
    if size <= 4:
        return r.number(1)
    shift = r.number((LANES * 4 // size).bit_length() - 1)
    last = r.lshr(r.sub(behind, r.number(1)), shift)
    return r.add(r.sub(last, r.lshr(first, shift)), r.number(1))


def _count_wavefronts(r: Routine, site: Any, count: Any) -> None:
    """Count wavefronts of lanes that do not meet in a bank."""
    for word in (Site.WAVEFRONTS, Site.IDEAL_WAVEFRONTS):
        r.count(site, word, count)


def _count_row(r: Routine, site: Any, low: Any, high: Any, size: int) -> None:
    shift = r.number(SECTOR_SHIFT)
    first = r.lshr(low, shift)
    last = r.lshr(r.sub(high, r.number(1)), shift)
    sectors = r.add(r.sub(last, first), r.number(1))
    r.count(site, Site.SECTORS, sectors)
    line = r.number(LINE_SHIFT)
    lines = r.sub(r.lshr(r.sub(high, r.number(1)), line), r.lshr(low, line))
    r.count(site, Site.LINES, r.add(lines, r.number(1)))
    rounded = r.add(r.sub(high, low), r.number((1 << SECTOR_SHIFT) - 1))
    r.count(site, Site.IDEAL, r.lshr(rounded, shift))
    base = r.site_word(site, Site.TOUCHED)
    begin = r.add(base, first)
    kind, count = _MARKS[min(size, 8)]
    ones = int.from_bytes(b"\1" * count, "little")
    whole = r.icmp_unsigned(">=", sectors, r.number(size))
    with r.if_else(whole, likely=True) as (then, otherwise):
        with then:
            for place in range(0, size, count):
                r.store(r.number(ones, kind), r.inttoptr(r.add(begin, r.number(place)), POINTER), align=1)
            r.store(r.number(1, I8), r.inttoptr(r.add(base, last), POINTER), align=1)
        with otherwise, r.loop(sectors) as number:
            r.store(r.number(1, I8), r.inttoptr(r.add(begin, number), POINTER), align=1)


def _one(r: Routine, size: int, space: str, alone: bool) -> None:
    """Emit an access of all lanes to one place; one `alone`, not classed, looks at context and mask."""
    site, address, *rest = r.arguments
    shared = space == "shared"
    fits = _fits(r, site, address, address, r.add(address, r.number(size)), size)
    if alone:
        context, mask = rest
        detailed = r.context_word(context, Context.DETAILED)
        fits = r.and_(fits, r.icmp_unsigned("==", detailed, r.number(0)))
        fits = r.and_(fits, r.icmp_unsigned("!=", mask, r.number(0, I32)))
    if shared and size > 8:
        # The halves of a warp are served apart, and which of them have lanes is looked at closely.
        fits = r.number(0, I1)
    with r.if_then(fits, likely=True):
        if shared:
            _count_wavefronts(r, site, r.number(1))
        else:
            for word in (Site.SECTORS, Site.IDEAL, Site.LINES):
                r.count(site, word, r.number(1))
            place = r.add(r.site_word(site, Site.TOUCHED), r.lshr(address, r.number(SECTOR_SHIFT)))
            r.store(r.number(1, I8), r.inttoptr(place, POINTER), align=1)
        if space == "constant":
            r.count(site, Site.DISTINCT, r.number(1))
    r.ret(fits)


def _enter(size: int, space: str) -> None:
    routine(f"row_{space}_{size}", I1, POINTER, I64, I64, I64, keeps_vectors=True)(
        lambda r: _row(r, size, space)
    )
    routine(f"one_{space}_{size}", I1, POINTER, I64, keeps_vectors=True)(
        lambda r: _one(r, size, space, alone=False)
    )
    routine(f"alone_{space}_{size}", I1, POINTER, I64, POINTER, I32, keeps_vectors=True)(
        lambda r: _one(r, size, space, alone=True)
    )


for _size in SIZES:
    for _space in ("global", "shared", "constant"):
        _enter(_size, _space)

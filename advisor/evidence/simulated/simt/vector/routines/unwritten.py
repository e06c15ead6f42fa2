"""Routines that look for elements of global memory that are read though nobody has ever written them."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I8, I32, I64, splat
from advisor.evidence.simulated.simt.vector.layout import SECTOR_SHIFT, Context, Defect, Site
from advisor.evidence.simulated.simt.vector.routines.builder import Routine

# Reads noted at one access; the table of defects is for all kinds.
_MOST_READS = 8


def look_for_unwritten(r: Routine, context: Any, site: Any, addresses: Any, good: Any) -> None:
    """Note good lanes that read a sector which nothing wrote, before this launch or in it so far."""
    written = r.site_word(site, Site.WRITTEN)
    detailed = r.icmp_unsigned("!=", r.context_word(context, Context.DETAILED), r.number(0))
    with r.if_then(r.and_(detailed, r.icmp_unsigned("!=", written, r.number(0))), likely=False):
        never = r.variable(_absent(r, written, addresses, good))
        stored = r.site_word(site, Site.STORED)
        with r.if_then(r.icmp_unsigned("!=", stored, r.number(0))):
            r.store(_absent(r, stored, addresses, r.value(never, I32)), never)
        with r.if_then(r.icmp_unsigned("!=", r.value(never, I32), r.number(0, I32)), likely=False):
            place = r.spilled(addresses)
            with r.each_lane(r.value(never, I32)) as lane:
                _note(r, context, site, lane, r.load(r.element(place, I64, lane), typ=I64))


def _absent(r: Routine, base: Any, addresses: Any, mask: Any) -> Any:
    """The lanes of a mask whose sector is not marked in a map."""
    places = r.add(r.lshr(addresses, splat(I64, SECTOR_SHIFT)), r.broadcast(base))
    marks = r.call(r.module.globals["gather_8"], [places, mask])
    return r.and_(mask, r.bits(r.icmp_unsigned("==", marks, splat(I8, 0))))


def _note(r: Routine, context: Any, site: Any, lane: Any, address: Any) -> None:
    few = r.icmp_unsigned("<", r.site_word(site, Site.UNWRITTEN_READS), r.number(_MOST_READS))
    with r.if_then(few):
        r.count(site, Site.UNWRITTEN_READS, r.number(1))
        kind = r.number(Defect.UNWRITTEN)
        r.call(r.module.globals["note_defect"], [context, kind, site, lane, address])

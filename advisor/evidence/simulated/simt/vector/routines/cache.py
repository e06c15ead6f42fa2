"""Routines of the cache model: sets of lines of 128 bytes with four sectors each, least recently used out.

A model: real devices hash addresses to sets and slices in ways that are not published.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I32, I64, POINTER, VOID, splat, vector
from advisor.evidence.simulated.simt.vector.layout import ATOMIC, WORD, WRITES, Context, Site
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

# Words before the tables: sets and ways of an L1 and the L2, a clock, the bytes of one L1's table, and where
# the table of L2 begins.
L1_SETS, L1_WAYS, L2_SETS, L2_WAYS, CLOCK, L1_BYTES, L2_BEGIN, HEADER_WORDS = 0, 1, 2, 3, 4, 5, 6, 8
ENTRY_WORDS = 2


@routine("probe", I64, POINTER, I64, I64, I64, I64, POINTER)
def _probe(r: Routine) -> None:
    """Emit the count of a line's sectors that were there; afterwards all that were asked for are."""
    table, sets, ways, line, sectors, header = r.arguments
    now = r.add(r.get(header, WORD * CLOCK, I64), r.number(1))
    r.put(now, header, WORD * CLOCK)
    mixed = r.xor(line, r.lshr(line, r.number(9)))
    begin = r.mul(r.mul(r.urem(mixed, sets), ways), r.number(ENTRY_WORDS))
    tag = r.add(line, r.number(1))
    oldest, victim, hit = (r.variable(r.number(value)) for value in (-1, 0, 0))
    found = r.variable(r.number(-1))
    with r.loop(ways) as way:
        place = r.add(begin, r.mul(way, r.number(ENTRY_WORDS)))
        entry = r.gep(table, [place], source_etype=I64)
        held = r.get(entry, 0, I64)
        with r.if_then(r.icmp_unsigned("==", r.lshr(held, r.number(4)), tag)):
            r.store(place, found)
            r.store(r.and_(held, sectors), hit)
        stamp = r.get(entry, WORD, I64)
        older = r.icmp_unsigned("<", stamp, r.value(oldest))
        r.store(r.select(older, stamp, r.value(oldest)), oldest)
        r.store(r.select(older, place, r.value(victim)), victim)
    absent = r.icmp_signed("<", r.value(found), r.number(0))
    chosen = r.gep(table, [r.select(absent, r.value(victim), r.value(found))], source_etype=I64)
    held = r.select(absent, r.shl(tag, r.number(4)), r.get(chosen, 0, I64))
    r.put(r.or_(held, sectors), chosen, 0)
    r.put(now, chosen, WORD)
    r.ret(r.value(hit))


@routine("look_up", VOID, POINTER, POINTER, vector(I32), I32)
def _look_up(r: Routine) -> None:
    """Count the hits of a request: loads ask the L1 of the block's SM, and what it lacks the L2."""
    context, site, sectors, mask = r.arguments
    header = r.context_word(context, Context.CACHES, POINTER)
    description = r.site_word(site, Site.DESCRIPTION)
    past_l1 = r.icmp_unsigned("!=", r.and_(description, r.number(WRITES | ATOMIC)), r.number(0))
    processor = r.context_word(context, Context.PROCESSOR)
    first_table = r.at(header, WORD * HEADER_WORDS)
    offset = r.mul(processor, r.get(header, WORD * L1_BYTES, I64))
    l1 = r.at(first_table, offset)
    l2 = r.at(header, r.get(header, WORD * L2_BEGIN, I64))
    places = r.and_(sectors, splat(I32, 3))
    absent = (r.variable(r.number(0)), r.variable(r.number(0)))
    with r.each_group(r.lshr(sectors, splat(I32, 2)), mask) as (line, group):
        wanted = r.number(0)
        for number in range(4):
            here = r.bits(r.icmp_unsigned("==", places, splat(I32, number)))
            some = r.icmp_unsigned("!=", r.and_(here, group), r.number(0, I32))
            wanted = r.or_(wanted, r.shl(r.zext(some, I64), r.number(number)))
        _ask_both(r, site, header, (l1, l2), r.zext(line, I64), wanted, past_l1, absent)
    with r.if_then(r.not_(past_l1)):
        r.count(site, Site.LOOKED_UP, r.number(1))
        for word, sectors_absent in zip((Site.PAST_L1, Site.PAST_L2), absent, strict=True):
            some = r.icmp_unsigned("!=", r.value(sectors_absent), r.number(0))
            r.count(site, word, r.zext(some, I64))
    r.ret_void()


def _ask_both(
    r: Routine,
    site: Any,
    header: Any,
    tables: tuple[Any, Any],
    line: Any,
    wanted: Any,
    past_l1: Any,
    absent: tuple[Any, Any],
) -> None:
    """Ask L1 and L2 for a line's sectors, and add those that each lacks to `absent`."""
    probe = r.module.globals["probe"]
    missing = r.variable(wanted)
    with r.if_then(r.not_(past_l1)):
        sizes = [r.get(header, WORD * word, I64) for word in (L1_SETS, L1_WAYS)]
        hit = r.call(probe, [tables[0], *sizes, line, wanted, header])
        r.count(site, Site.L1_SECTORS, r.population(wanted))
        r.count(site, Site.L1_HITS, r.population(hit))
        r.store(r.and_(wanted, r.not_(hit)), missing)
    rest = r.value(missing)
    r.store(r.or_(r.value(absent[0]), rest), absent[0])
    with r.if_then(r.icmp_unsigned("!=", rest, r.number(0))):
        sizes = [r.get(header, WORD * word, I64) for word in (L2_SETS, L2_WAYS)]
        hit = r.call(probe, [tables[1], *sizes, line, rest, header])
        r.count(site, Site.L2_SECTORS, r.population(rest))
        r.count(site, Site.L2_HITS, r.population(hit))
        r.store(r.or_(r.value(absent[1]), r.and_(rest, r.not_(hit))), absent[1])

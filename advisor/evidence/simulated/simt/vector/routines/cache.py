"""Routines of the cache model: lines of 128 bytes with four sectors each, the least recently used one out.

Requests wait in a trace until the order is known in which the warps of a multiprocessor make them.
A cache is fully associative: the multiprocessor's own has 256 ways in Accel-Sim's tuned configurations, and
how devices distribute addresses over sets and slices is not published.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I32, I64, POINTER, VOID, splat, vector
from advisor.evidence.simulated.simt.vector.layout import (
    ATOMIC,
    LINE_SHIFT,
    SECTOR_SHIFT,
    WORD,
    WRITES,
    Context,
    Site,
    TraceEntry,
)
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

# Words before the tables: the bytes of one L1's table, where the table of L2 begins, and whether a sector of
# the request that is looked up has been absent from L1 and from L2.
L1_BYTES, L2_BEGIN, PAST_L1, PAST_L2, HEADER_WORDS = 0, 1, 2, 3, 8
# Words of one cache's table: lines, how many of them are used, the mask of hashes; hash chains; nodes.
LINES, USED, HASH_MASK, TABLE_WORDS = 0, 1, 2, 4
# Words of a node: a line and which of its sectors are there, the nodes used before and after it, and the next
# one with its hash. Node 0 holds no line: it stands before the most recently used one and behind the least.
TAG, SECTORS, NEXT, BEFORE, CHAINED, NODE_WORDS = 0, 1, 2, 3, 4, 5
# Chains of 1,024 neighbouring lines are neighbours, Fibonacci hashing puts them apart (Knuth, TAOCP 3, 6.4).
_RUN_SHIFT, _GOLDEN, _HASH_SHIFT = 10, 0x9E3779B97F4A7C15, 40
_LINE_BITS = TraceEntry.SECTORS - TraceEntry.LINE


class _Cache:
    """A cache's table as a routine reads it."""

    def __init__(self, r: Routine, table: Any) -> None:
        self.r = r
        self.table = table
        self.chains = r.at(table, WORD * TABLE_WORDS)
        chains = r.add(r.get(table, WORD * HASH_MASK, I64), r.number(1))
        self.nodes = r.gep(self.chains, [chains], source_etype=I64)

    def node(self, number: Any) -> Any:
        """Where a node lies."""
        return self.r.gep(self.nodes, [self.r.mul(number, self.r.number(NODE_WORDS))], source_etype=I64)

    def word(self, number: Any, word: int) -> Any:
        """A word of a node."""
        return self.r.get(self.node(number), WORD * word, I64)

    def put(self, value: Any, number: Any, word: int) -> None:
        """Set a word of a node."""
        self.r.put(value, self.node(number), WORD * word)

    def chain(self, line: Any) -> Any:
        """Where the number of the first node with a line's hash stands."""
        r = self.r
        run = r.lshr(line, r.number(_RUN_SHIFT))
        begin = r.lshr(r.mul(run, r.number(_GOLDEN)), r.number(_HASH_SHIFT))
        place = r.and_(r.add(begin, line), r.get(self.table, WORD * HASH_MASK, I64))
        return r.gep(self.chains, [place], source_etype=I64)

    def unlink(self, number: Any) -> None:
        """Take a node out of the order of use."""
        after, before = self.word(number, NEXT), self.word(number, BEFORE)
        self.put(after, before, NEXT)
        self.put(before, after, BEFORE)

    def push(self, number: Any) -> None:
        """Make a node the most recently used one."""
        zero = self.r.number(0)
        first = self.word(zero, NEXT)
        self.put(first, number, NEXT)
        self.put(zero, number, BEFORE)
        self.put(number, first, BEFORE)
        self.put(number, zero, NEXT)


@routine("probe", I64, POINTER, I64, I64)
def _probe(r: Routine) -> None:
    """Emit which of a line's sectors were there; afterwards all that were asked for are."""
    table, line, sectors = r.arguments
    cache = _Cache(r, table)
    found = r.variable(r.load(cache.chain(line), typ=I64))
    hit = r.variable(r.number(0))

    def another() -> Any:
        number = r.value(found)
        # Node 0 ends each chain; its line is never read.
        other = r.icmp_unsigned("!=", cache.word(number, TAG), line)
        return r.and_(r.icmp_unsigned("!=", number, r.number(0)), other)

    with r.repeat(another):
        r.store(cache.word(r.value(found), CHAINED), found)
    there = r.icmp_unsigned("!=", r.value(found), r.number(0))
    with r.if_else(there, likely=True) as (then, otherwise):
        with then:
            held = cache.word(r.value(found), SECTORS)
            r.store(r.and_(held, sectors), hit)
            cache.put(r.or_(held, sectors), r.value(found), SECTORS)
            cache.unlink(r.value(found))
        with otherwise:
            r.store(r.call(r.module.globals["free_node"], [table]), found)
            number, chain = r.value(found), cache.chain(line)
            cache.put(line, number, TAG)
            cache.put(sectors, number, SECTORS)
            cache.put(r.load(chain, typ=I64), number, CHAINED)
            r.store(number, chain)
    cache.push(r.value(found))
    r.ret(r.value(hit))


@routine("free_node", I64, POINTER)
def _free_node(r: Routine) -> None:
    """Emit the number of a node without a line: one that was never used, else the least recently used one."""
    (table,) = r.arguments
    cache = _Cache(r, table)
    used = r.get(table, WORD * USED, I64)
    result = r.variable(r.add(used, r.number(1)))
    room = r.icmp_signed("<", used, r.get(table, WORD * LINES, I64))
    with r.if_else(room) as (then, otherwise):
        with then:
            r.put(r.value(result), table, WORD * USED)
        with otherwise:
            last = cache.word(r.number(0), BEFORE)
            r.store(last, result)
            cache.unlink(last)
            place = r.variable(cache.chain(cache.word(last, TAG)))

            def another() -> Any:
                return r.icmp_unsigned("!=", r.load(r.value(place, POINTER), typ=I64), last)

            with r.repeat(another):
                node = cache.node(r.load(r.value(place, POINTER), typ=I64))
                r.store(r.at(node, WORD * CHAINED), place)
            r.store(cache.word(last, CHAINED), r.value(place, POINTER))
    r.ret(r.value(result))


@routine("look_up", VOID, POINTER, POINTER, vector(I32), I32)
def _look_up(r: Routine) -> None:
    """Put the lines of a request into the trace; where that has no room they are looked up at once.

    A warp that has put in as many as it may leaves at the next way back to a loop's head.
    """
    context, site, sectors, mask = r.arguments
    places = r.and_(sectors, splat(I32, 3))
    number = r.shl(r.site_word(site, Site.NUMBER), r.number(TraceEntry.SITE))
    first = r.variable(r.number(1 << TraceEntry.FIRST))
    trace = r.context_word(context, Context.TRACE, POINTER)
    with r.each_group(r.lshr(sectors, splat(I32, LINE_SHIFT - SECTOR_SHIFT)), mask) as (line, group):
        entry = r.or_(r.or_(r.zext(line, I64), number), r.value(first))
        r.store(r.number(0), first)
        for sector in range(4):
            here = r.bits(r.icmp_unsigned("==", places, splat(I32, sector)))
            some = r.icmp_unsigned("!=", r.and_(here, group), r.number(0, I32))
            entry = r.or_(entry, r.shl(r.zext(some, I64), r.number(TraceEntry.SECTORS + sector)))
        length = r.context_word(context, Context.TRACE_LENGTH)
        room = r.icmp_signed("<", length, r.context_word(context, Context.TRACE_CAPACITY))
        with r.if_else(room, likely=True) as (then, otherwise):
            with then:
                r.store(entry, r.gep(trace, [length], source_etype=I64))
                r.put(r.add(length, r.number(1)), context, WORD * Context.TRACE_LENGTH)
            with otherwise:
                processor = r.context_word(context, Context.PROCESSOR)
                r.call(r.module.globals["look_up_entry"], [context, entry, processor])
    added = r.sub(r.context_word(context, Context.TRACE_LENGTH), r.context_word(context, Context.TRACE_BEGIN))
    left = r.context_word(context, Context.BUDGET)
    enough = r.icmp_signed(">=", added, r.context_word(context, Context.TRACE_QUOTA))
    with r.if_then(r.and_(enough, r.icmp_signed(">", left, r.number(0))), likely=False):
        # A slice is paid when it ends, also what is left of it.
        r.bump(context, WORD * Context.LEFT, left)
        r.put(r.number(0), context, WORD * Context.BUDGET)
    r.ret_void()


@routine("replay", VOID, POINTER, POINTER, POINTER, I64)
def _replay(r: Routine) -> None:
    """Look up entries of the trace in order; `processors` has the number of each one's multiprocessor."""
    context, entries, processors, count = r.arguments
    with r.loop(count) as number:
        entry, processor = (r.load(r.element(one, I64, number), typ=I64) for one in (entries, processors))
        r.call(r.module.globals["look_up_entry"], [context, entry, processor])
    r.ret_void()


@routine("look_up_entry", VOID, POINTER, I64, I64)
def _look_up_entry(r: Routine) -> None:
    """Count the hits of a line of a request: loads ask the L1 of the block's SM, and what it lacks the L2."""
    context, entry, processor = r.arguments
    header = r.context_word(context, Context.CACHES, POINTER)
    line = r.and_(entry, r.number((1 << _LINE_BITS) - 1))
    wanted = r.and_(r.lshr(entry, r.number(TraceEntry.SECTORS)), r.number(15))
    begins = r.icmp_unsigned("!=", r.and_(entry, r.number(1 << TraceEntry.FIRST)), r.number(0))
    offset = r.mul(r.lshr(entry, r.number(TraceEntry.SITE)), r.number(WORD * Site.WORDS))
    site = r.at(r.context_word(context, Context.SITES, POINTER), offset)
    changes = r.and_(r.site_word(site, Site.DESCRIPTION), r.number(WRITES | ATOMIC))
    loads = r.icmp_unsigned("==", changes, r.number(0))
    with r.if_then(begins):
        r.count(site, Site.LOOKED_UP, r.zext(loads, I64))
        for word in (PAST_L1, PAST_L2):
            r.put(r.number(0), header, WORD * word)
    missing = r.variable(wanted)
    with r.if_then(loads):
        tables = r.at(header, WORD * HEADER_WORDS)
        l1 = r.at(tables, r.mul(processor, r.get(header, WORD * L1_BYTES, I64)))
        hit = r.call(r.module.globals["probe"], [l1, line, wanted])
        r.count(site, Site.L1_SECTORS, r.population(wanted))
        r.count(site, Site.L1_HITS, r.population(hit))
        r.store(r.and_(wanted, r.not_(hit)), missing)
    rest = r.value(missing)
    with r.if_then(r.icmp_unsigned("!=", rest, r.number(0))):
        _count_request(r, header, site, loads, PAST_L1, Site.PAST_L1)
        l2 = r.at(header, r.get(header, WORD * L2_BEGIN, I64))
        hit = r.call(r.module.globals["probe"], [l2, line, rest])
        r.count(site, Site.L2_SECTORS, r.population(rest))
        r.count(site, Site.L2_HITS, r.population(hit))
        with r.if_then(r.icmp_unsigned("!=", hit, rest)):
            _count_request(r, header, site, loads, PAST_L2, Site.PAST_L2)
    r.ret_void()


def _count_request(r: Routine, header: Any, site: Any, loads: Any, seen: int, word: Site) -> None:
    """Count a request of a load once, at the first of its lines that lacks a sector."""
    before = r.icmp_unsigned("!=", r.get(header, WORD * seen, I64), r.number(0))
    r.count(site, word, r.zext(r.and_(loads, r.not_(before)), I64))
    r.put(r.number(1), header, WORD * seen)

"""Routines of barriers in shared memory that count arrivals and bytes; PTX ISA, "mbarrier".

Such a barrier is a word: the arrivals that its phase still waits for, those that each phase waits for, the
bytes that are still to come, and the parity of the phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I1, I32, I64, LANES, POINTER, VOID, splat, vector
from advisor.evidence.simulated.simt.vector.layout import WORD, Context, State
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine
from advisor.evidence.simulated.simt.vector.routines.memory import good_lanes

BARRIER_BYTES = 8
_ARRIVALS = 0xFFFFF
_EXPECTED, _BYTES, PHASE = 20, 40, 63
# Bytes are counted with a sign, in 21 bits.
_BYTES_MASK = 0x1FFFFF
_ADDRESSES = vector(I64)


@contextmanager
def _each_barrier(r: Routine, arguments: Any) -> Iterator[tuple[Any, Any]]:
    """A loop over the lanes of a mask whose address is good: the lane and where its barrier is."""
    context, site, addresses, mask = arguments
    place = r.spilled(addresses)
    with r.each_lane(good_lanes(r, context, site, addresses, mask, BARRIER_BYTES)) as lane:
        yield lane, r.inttoptr(r.load(r.element(place, I64, lane), typ=I64), POINTER)


@routine("begin_barrier", VOID, POINTER, POINTER, _ADDRESSES, I32, vector(I32))
def _begin(r: Routine) -> None:
    """Let a barrier wait for so many arrivals in each phase; for none it is a word of zeros again."""
    *arguments, counts = r.arguments
    given = r.spilled(counts)
    with _each_barrier(r, arguments) as (lane, barrier):
        count = r.and_(r.zext(r.load(r.element(given, I32, lane), typ=I32), I64), r.number(_ARRIVALS))
        r.store(r.or_(count, r.shl(count, r.number(_EXPECTED))), barrier, align=8)
    r.ret_void()


@routine("arrive_at_barrier", _ADDRESSES, POINTER, POINTER, _ADDRESSES, I32, vector(I32), vector(I32), I1)
def _arrive(r: Routine) -> None:
    """Let lanes arrive so often, and in no later phase if that is said, and expect so many bytes; emits the
    words before.

    The bytes count before the arrival does.
    """
    *arguments, counts, bytes_, drops = r.arguments
    given, expected = r.spilled(counts), r.spilled(bytes_)
    found = r.spilled(splat(I64, 0))
    with _each_barrier(r, arguments) as (lane, barrier):
        r.store(r.load(barrier, typ=I64), r.element(found, I64, lane))
        count = r.zext(r.load(r.element(given, I32, lane), typ=I32), I64)
        more = r.sext(r.load(r.element(expected, I32, lane), typ=I32), I64)
        dropped = r.select(drops, count, r.number(0))
        r.call(r.module.globals["change_barrier"], [arguments[0], barrier, count, more, dropped])
    r.ret(r.load(found, typ=_ADDRESSES, align=64))


@routine("change_barrier", VOID, POINTER, POINTER, I64, I64, I64)
def _change(r: Routine) -> None:
    """Take arrivals from a barrier and add bytes; the phase ends where it waits for neither any more."""
    context, barrier, arrivals, bytes_, dropped = r.arguments
    word = r.load(barrier, typ=I64)
    waits = r.and_(r.sub(word, arrivals), r.number(_ARRIVALS))
    expected = r.and_(r.sub(r.lshr(word, r.number(_EXPECTED)), dropped), r.number(_ARRIVALS))
    open_ = r.and_(r.add(r.lshr(word, r.number(_BYTES)), bytes_), r.number(_BYTES_MASK))
    ended = r.icmp_unsigned("==", r.or_(waits, open_), r.number(0))
    phase = r.lshr(word, r.number(PHASE))
    phase = r.select(ended, r.xor(phase, r.number(1)), phase)
    waits = r.select(ended, expected, waits)
    # What was done before the phase ended is ordered before what is done behind it.
    with r.if_then(ended):
        r.bump(context, WORD * Context.EPOCH, r.number(1))
    parts = ((expected, _EXPECTED), (open_, _BYTES), (phase, PHASE))
    for value, place in parts:
        waits = r.or_(waits, r.shl(value, r.number(place)))
    r.store(waits, barrier, align=8)
    r.ret_void()


@routine("meet_part", VOID, POINTER, POINTER, I64, I64, I1)
def _meet_part(r: Routine) -> None:
    """Let a warp arrive at the barrier of a number, at which so many threads meet, and await its phase.

    A phase in which nobody has arrived yet takes the number of threads that is given.
    """
    context, state, number, threads, waits = r.arguments
    table = r.context_word(context, Context.PARTS, POINTER)
    barrier = r.gep(table, [number], source_etype=I64)
    word = r.load(barrier, typ=I64)
    open_, expected = (r.and_(r.lshr(word, r.number(place)), r.number(_ARRIVALS)) for place in (0, _EXPECTED))
    phase = r.lshr(word, r.number(PHASE))
    fresh = r.or_(r.shl(phase, r.number(PHASE)), r.or_(threads, r.shl(threads, r.number(_EXPECTED))))
    r.store(r.select(r.icmp_unsigned("==", open_, expected), fresh, word), barrier, align=8)
    zero = r.number(0)
    r.call(r.module.globals["change_barrier"], [context, barrier, r.number(LANES), zero, zero])
    ended = r.icmp_unsigned("!=", r.lshr(r.load(barrier, typ=I64), r.number(PHASE)), phase)
    r.bump(context, WORD * Context.BARRIERS, r.zext(ended, I64))
    with r.if_then(r.and_(waits, r.not_(ended))):
        r.put(r.ptrtoint(barrier, I64), state, State.AWAITED)
        r.put(phase, state, State.PARITY)
    r.ret_void()


@routine("phase_has_ended", I1, POINTER, I64, I64)
def _has_ended(r: Routine) -> None:
    """Emit whether the phase of a parity has ended, once the copies that its barrier waits for have."""
    context, address, parity = r.arguments
    some = r.icmp_unsigned("!=", r.context_word(context, Context.BOX_COUNT), r.number(0))
    with r.if_then(some):
        r.call(r.module.globals["copy_boxes"], [context, address])
    word = r.load(r.inttoptr(address, POINTER), typ=I64)
    phase = r.lshr(word, r.number(PHASE))
    r.ret(r.icmp_unsigned("!=", phase, r.and_(parity, r.number(1))))


@routine("ended_phases", I32, POINTER, POINTER, _ADDRESSES, I32, _ADDRESSES)
def _ended(r: Routine) -> None:
    """Emit the lanes whose phase of a parity has ended; where some have not, other warps run soon."""
    *arguments, parities = r.arguments
    context, _, _, mask = arguments
    given = r.spilled(parities)
    found = r.variable(r.number(0, I32))
    with _each_barrier(r, arguments) as (lane, barrier):
        parity = r.load(r.element(given, I64, lane), typ=I64)
        ended = r.call(r.module.globals["phase_has_ended"], [context, r.ptrtoint(barrier, I64), parity])
        bit = r.shl(r.zext(ended, I32), lane)
        r.store(r.or_(r.value(found, I32), bit), found)
    with r.if_then(r.icmp_unsigned("!=", r.value(found, I32), mask)):
        _yield(r, context)
    r.ret(r.value(found, I32))


def _yield(r: Routine, context: Any) -> None:
    """Give back what is left of the warp's slice, so that the next way back ends its turn."""
    left = r.context_word(context, Context.BUDGET)
    r.bump(context, WORD * Context.LEFT, r.elementwise("llvm.smax", left, r.number(0)))
    r.put(r.number(0), context, WORD * Context.BUDGET)


@routine("await_phase", I1, POINTER, POINTER, POINTER, _ADDRESSES, I32, _ADDRESSES)
def _await(r: Routine) -> None:
    """Emit whether the phases of all lanes have ended; the first one that has not is what the warp awaits."""
    context, state, site, addresses, mask, parities = r.arguments
    given = r.spilled(parities)
    done = r.variable(r.number(1, I1))
    with _each_barrier(r, (context, site, addresses, mask)) as (lane, barrier), r.if_then(r.value(done, I1)):
        address, parity = r.ptrtoint(barrier, I64), r.load(r.element(given, I64, lane), typ=I64)
        ended = r.call(r.module.globals["phase_has_ended"], [context, address, parity])
        with r.if_then(r.not_(ended)):
            r.store(r.number(0, I1), done)
            r.put(address, state, State.AWAITED)
            r.put(parity, state, State.PARITY)
    r.ret(r.value(done, I1))

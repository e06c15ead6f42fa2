"""Routines that run blocks: warps in turn, until all wait at a barrier or have ended."""

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
    lane_numbers,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    AT_BARRIER,
    AT_GRID_BARRIER,
    BARRIERS_OF_BLOCK,
    EXITED,
    HIGHEST,
    LOWEST,
    WORD,
    Context,
    State,
    Status,
    WarpRun,
)
from advisor.evidence.simulated.simt.vector.routines.builder import FunctionPointer, Routine, routine

_COUNTERS = vector(I32)


@routine("run_blocks", I32, POINTER, I64, I64)
def _run_blocks(r: Routine) -> None:
    """Run the blocks of a range one after the other; stops at the first that does not end."""
    context, first, end = r.arguments
    status = r.variable(r.number(0, I32))
    number = r.variable(first)

    def going() -> Any:
        fine = r.icmp_unsigned("==", r.value(status, I32), r.number(0, I32))
        more = r.icmp_signed("<", r.value(number), end)
        stop = r.icmp_unsigned("!=", r.context_word(context, Context.STOP), r.number(0))
        return r.and_(r.and_(fine, more), r.not_(stop))

    with r.repeat(going):
        block = r.value(number)
        result = r.call(r.module.globals["run_block"], [context, block, r.number(0, I32)])
        r.store(result, status)
        r.store(r.add(block, r.number(1)), number)
    stopped = r.icmp_unsigned("!=", r.context_word(context, Context.STOP), r.number(0))
    r.ret(r.select(stopped, r.number(Status.STOPPED, I32), r.value(status, I32)))


@routine("begin_block", VOID, POINTER, I64)
def _begin(r: Routine) -> None:
    """Set the block's place in the grid, clear its shared memory, put its warps at their begin."""
    context, number = r.arguments
    r.put(number, context, WORD * Context.BLOCK_NUMBER)
    columns = r.context_word(context, Context.NCTAID_X)
    rows = r.context_word(context, Context.NCTAID_Y)
    r.put(r.urem(number, columns), context, WORD * Context.CTAID_X)
    rest = r.udiv(number, columns)
    r.put(r.urem(rest, rows), context, WORD * Context.CTAID_Y)
    r.put(r.udiv(rest, rows), context, WORD * Context.CTAID_Z)
    r.put(r.urem(number, r.context_word(context, Context.PROCESSORS)), context, WORD * Context.PROCESSOR)
    r.put(r.number(0), context, WORD * Context.MET_ATOMIC)
    for word in (Context.EPOCH, Context.COUNT_SUM, Context.COUNT_ALL, Context.COUNT_ANY):
        r.put(r.number(1 if word == Context.EPOCH else 0), context, WORD * word)
    size = r.context_word(context, Context.SHARED_SIZE)
    _clear(r, r.context_word(context, Context.SHARED, POINTER), size)
    shadow = r.context_word(context, Context.SHADOW, POINTER)
    with r.if_then(r.icmp_unsigned("!=", r.ptrtoint(shadow, I64), r.number(0))):
        _clear(r, shadow, r.context_word(context, Context.SHADOW_BYTES))
    threads = r.context_word(context, Context.THREADS)
    with r.loop(r.context_word(context, Context.WARPS)) as warp:
        state = state_of(r, context, warp)
        first = r.trunc(r.mul(warp, r.number(LANES)), I32)
        lanes = r.add(lane_numbers(), r.broadcast(first))
        there = r.icmp_unsigned("<", lanes, r.broadcast(r.trunc(threads, I32)))
        r.put(r.select(there, splat(I32, 0), splat(I32, EXITED)), state, State.COUNTERS)
        r.put(r.number(0), state, State.WORK)
        # What a block has not waited for does not concern the next one.
        for place in (State.COPIES_FIRST, State.COPIES_END, State.AWAITED):
            r.put(r.number(0), state, place)
    r.put(r.number(0), context, WORD * Context.BOX_COUNT)
    parts = r.context_word(context, Context.PARTS, POINTER)
    with r.if_then(r.icmp_unsigned("!=", r.ptrtoint(parts, I64), r.number(0))):
        _clear(r, parts, r.number(WORD * BARRIERS_OF_BLOCK))
    r.ret_void()


def _clear(r: Routine, place: Any, size: Any) -> None:
    r.intrinsic(
        "llvm.memset",
        VOID,
        (place, r.number(0, I8), size, ir.Constant(I1, False)),
        (POINTER, I64),
    )


def state_of(r: Routine, context: Any, warp: Any) -> Any:
    """Where the state of a warp of the block begins."""
    base = r.context_word(context, Context.STATES, POINTER)
    offset = r.mul(warp, r.context_word(context, Context.STATE_SIZE))
    return r.gep(base, [offset], source_etype=I8)


@routine("run_block", I32, POINTER, I64, I32)
def _run_block(r: Routine) -> None:
    """Run a block from its begin (0), on from a barrier of the whole grid (1) or from a full trace (2)."""
    context, number, resume = r.arguments
    for value, name in ((0, "begin_block"), (1, "begin_again")):
        with r.if_then(r.icmp_unsigned("==", resume, r.number(value, I32))):
            r.call(r.module.globals[name], [context, number])
    status = r.variable(r.number(-1, I32))
    with r.repeat(lambda: r.icmp_signed("<", r.value(status, I32), r.number(0, I32))):
        r.put(r.number(0), context, WORD * Context.RAN)
        _run_warps(r, context, status)
        with r.if_then(
            r.icmp_unsigned("==", r.context_word(context, Context.RAN), r.number(0)), likely=False
        ):
            _next_slice_or_end(r, context, status)
        with r.if_then(r.icmp_signed("<", r.value(status, I32), r.number(0, I32))):
            r.store(r.call(r.module.globals["meet"], [context]), status)
            traced = r.icmp_unsigned("!=", r.context_word(context, Context.CACHES), r.number(0))
            going = r.icmp_signed("<", r.value(status, I32), r.number(0, I32))
            with r.if_then(r.and_(traced, going), likely=False):
                full = r.number(Status.TRACE_FULL, I32)
                r.store(r.select(_is_full(r, context), full, r.value(status, I32)), status)
    r.ret(r.value(status, I32))


def _is_full(r: Routine, context: Any) -> Any:
    """Whether the trace may have no room for what each warp may add to it."""
    warps = r.context_word(context, Context.WARPS)
    more = r.mul(warps, r.context_word(context, Context.TRACE_QUOTA))
    entries = r.add(r.context_word(context, Context.TRACE_LENGTH), more)
    runs = r.add(r.context_word(context, Context.RUN_COUNT), warps)
    return r.or_(
        r.icmp_signed(">", entries, r.context_word(context, Context.TRACE_CAPACITY)),
        r.icmp_signed(">", runs, r.context_word(context, Context.RUN_CAPACITY)),
    )


def _run_warps(r: Routine, context: Any, status: Any) -> None:
    """Run each warp that can run; takes the budget's slices and gives a status when it is used up."""
    with r.loop(r.context_word(context, Context.WARPS)) as warp:
        state = state_of(r, context, warp)
        lowest = r.reduce("umin", r.get(state, State.COUNTERS, _COUNTERS))
        open_status = r.icmp_signed("<", r.value(status, I32), r.number(0, I32))
        runs = r.and_(r.icmp_unsigned("<", lowest, r.number(AT_BARRIER, I32)), open_status)
        with r.if_then(r.and_(runs, _awaits_nothing(r, context, state, runs))):
            r.put(r.number(1), context, WORD * Context.RAN)
            r.put(warp, context, WORD * Context.WARP)
            local = r.context_word(context, Context.FIRST_THREAD)
            room = r.mul(r.context_word(context, Context.LOCAL_SIZE), r.number(LANES))
            r.put(r.add(local, r.mul(warp, room)), context, WORD * Context.LOCAL)
            before = r.call(r.module.globals["work_so_far"], [context])
            r.put(r.context_word(context, Context.TRACE_LENGTH), context, WORD * Context.TRACE_BEGIN)
            r.call(r.module.globals["call_warp"], [context, state])
            _note_run(r, context)
            r.bump(state, State.WORK, r.sub(r.call(r.module.globals["work_so_far"], [context]), before))
            spent = r.icmp_signed("<", r.context_word(context, Context.BUDGET), r.number(0))
            with r.if_then(spent, likely=False):
                _next_slice_or_end(r, context, status)


def _next_slice_or_end(r: Routine, context: Any, status: Any) -> None:
    r.call(r.module.globals["next_slice"], [context])
    left = r.context_word(context, Context.LEFT)
    stop = r.icmp_unsigned("!=", r.context_word(context, Context.STOP), r.number(0))
    ended = r.select(stop, r.number(Status.STOPPED, I32), r.number(Status.BUDGET, I32))
    over = r.or_(stop, r.icmp_signed("<=", left, r.number(0)))
    r.store(r.select(over, ended, r.value(status, I32)), status)


def _awaits_nothing(r: Routine, context: Any, state: Any, runs: Any) -> Any:
    """Whether a warp that could run waits for no phase of a barrier, or for one that has ended."""
    result = r.variable(r.number(1, I1))
    awaited = r.get(state, State.AWAITED, I64)
    with r.if_then(r.and_(runs, r.icmp_unsigned("!=", awaited, r.number(0))), likely=False):
        given = [context, awaited, r.get(state, State.PARITY, I64)]
        ended = r.call(r.module.globals["phase_has_ended"], given)
        r.store(ended, result)
        r.put(r.select(ended, r.number(0), awaited), state, State.AWAITED)
    return r.value(result, I1)


def _note_run(r: Routine, context: Any) -> None:
    """Enter what the warp has put into the trace."""
    begin = r.context_word(context, Context.TRACE_BEGIN)
    added = r.icmp_signed("<", begin, r.context_word(context, Context.TRACE_LENGTH))
    with r.if_then(added, likely=False):
        number = r.context_word(context, Context.RUN_COUNT)
        table = r.context_word(context, Context.RUNS, POINTER)
        row = r.gep(table, [r.mul(number, r.number(WarpRun.WORDS))], source_etype=I64)
        for word, value in (
            (WarpRun.BLOCK, r.context_word(context, Context.BLOCK_NUMBER)),
            (WarpRun.EPOCH, r.context_word(context, Context.EPOCH)),
            (WarpRun.WARP, r.context_word(context, Context.WARP)),
            (WarpRun.BEGIN, begin),
        ):
            r.put(value, row, WORD * word)
        r.put(r.add(number, r.number(1)), context, WORD * Context.RUN_COUNT)


@routine("work_so_far", I64, POINTER)
def _work_so_far(r: Routine) -> None:
    """Emit the instructions that warps have run, where blocks are looked at closely; else 0."""
    (context,) = r.arguments
    total = r.variable(r.number(0))
    detailed = r.icmp_unsigned("!=", r.context_word(context, Context.DETAILED), r.number(0))
    with r.if_then(detailed, likely=False):
        runs = r.context_word(context, Context.BLOCK_RUNS, POINTER)
        sizes = r.context_word(context, Context.BLOCK_SIZES, POINTER)
        with r.loop(r.context_word(context, Context.BLOCK_COUNT)) as number:
            run, size = (r.load(r.element(one, I64, number), typ=I64) for one in (runs, sizes))
            r.store(r.add(r.value(total), r.mul(run, size)), total)
    r.ret(r.value(total))


@routine("call_warp", VOID, POINTER, POINTER)
def _call_warp(r: Routine) -> None:
    context, state = r.arguments
    function = r.context_word(context, Context.WARP_FUNCTION, POINTER)
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    # The library calls what it knows to be a function; the type of an opaque pointer says nothing.
    function.type = FunctionPointer(kind)
    r.call(function, [state, context])
    r.ret_void()


@routine("next_slice", VOID, POINTER)
def _next_slice(r: Routine) -> None:
    """Take a slice from the budget and change who runs first, so that a lane others wait for comes on.

    Half of the slices are those of the lowest block, the others those of the highest one and of single lanes,
    in an order without a period that the number of warps could share.
    """
    (context,) = r.arguments
    size = r.context_word(context, Context.SLICE)
    left = r.context_word(context, Context.LEFT)
    r.put(r.sub(left, size), context, WORD * Context.LEFT)
    r.put(size, context, WORD * Context.BUDGET)
    # Knuth's MMIX generator (TAOCP 2, 3.3.4, table 1).
    before = r.context_word(context, Context.SLICES)
    drawn = r.add(r.mul(before, r.number(6364136223846793005)), r.number(1442695040888963407))
    r.put(drawn, context, WORD * Context.SLICES)
    odd = r.icmp_unsigned("!=", r.and_(r.lshr(drawn, r.number(63)), r.number(1)), r.number(0))
    lane_turn = r.icmp_unsigned("!=", r.and_(r.lshr(drawn, r.number(62)), r.number(1)), r.number(0))
    lane = r.and_(r.lshr(drawn, r.number(50)), r.number(LANES - 1))
    other = r.select(lane_turn, lane, r.number(HIGHEST))
    r.put(r.select(odd, other, r.number(LOWEST)), context, WORD * Context.PREFERRED)
    r.ret_void()


@routine("begin_again", VOID, POINTER, I64)
def _begin_again(r: Routine) -> None:
    """Let the lanes that wait for the whole grid go on."""
    context, number = r.arguments
    r.put(number, context, WORD * Context.BLOCK_NUMBER)
    columns = r.context_word(context, Context.NCTAID_X)
    rows = r.context_word(context, Context.NCTAID_Y)
    r.put(r.urem(number, columns), context, WORD * Context.CTAID_X)
    rest = r.udiv(number, columns)
    r.put(r.urem(rest, rows), context, WORD * Context.CTAID_Y)
    r.put(r.udiv(rest, rows), context, WORD * Context.CTAID_Z)
    _release(r, context, AT_GRID_BARRIER, EXITED)
    r.ret_void()


def _release(r: Routine, context: Any, low: int, high: int) -> None:
    with r.loop(r.context_word(context, Context.WARPS)) as warp:
        state = state_of(r, context, warp)
        counters = r.get(state, State.COUNTERS, _COUNTERS)
        waits = r.and_(
            r.icmp_unsigned(">=", counters, splat(I32, low)), r.icmp_unsigned("<", counters, splat(I32, high))
        )
        free = r.and_(counters, splat(I32, AT_BARRIER - 1))
        if low == AT_GRID_BARRIER:
            free = r.and_(counters, splat(I32, 0x1FFFFFFF))
        r.put(r.select(waits, free, counters), state, State.COUNTERS)


@routine("meet", I32, POINTER)
def _meet(r: Routine) -> None:
    """Emit what follows when every warp was run: preempted ones go on or pass a barrier (-1), or the end."""
    (context,) = r.arguments
    lowest = r.variable(r.number(EXITED, I32))
    with r.loop(r.context_word(context, Context.WARPS)) as warp:
        counters = r.get(state_of(r, context, warp), State.COUNTERS, _COUNTERS)
        least = r.reduce("umin", counters)
        r.store(r.elementwise("llvm.umin", least, r.value(lowest, I32)), lowest)
    least = r.value(lowest, I32)
    result = r.variable(r.number(-1, I32))
    with r.if_then(r.icmp_unsigned(">=", least, r.number(AT_BARRIER, I32))):
        at_barrier = r.icmp_unsigned("<", least, r.number(AT_GRID_BARRIER, I32))
        with r.if_else(at_barrier) as (then, otherwise):
            with then:
                r.call(r.module.globals["check_barrier"], [context, least])
                r.call(r.module.globals["pass_barrier"], [context])
            with otherwise:
                ended = r.icmp_unsigned("==", least, r.number(EXITED, I32))
                detailed = r.icmp_unsigned("!=", r.context_word(context, Context.DETAILED), r.number(0))
                with r.if_then(r.and_(ended, detailed)):
                    _weigh(r, context)
                r.store(
                    r.select(ended, r.number(Status.DONE, I32), r.number(Status.AT_GRID_BARRIER, I32)),
                    result,
                )
    r.ret(r.value(result, I32))


def _weigh(r: Routine, context: Any) -> None:
    """Add a block's work: a warp that ended early leaves its place empty until the longest ends."""
    longest, total = r.variable(r.number(0)), r.variable(r.number(0))
    warps = r.context_word(context, Context.WARPS)
    with r.loop(warps) as warp:
        work = r.get(state_of(r, context, warp), State.WORK, I64)
        r.store(r.elementwise("llvm.umax", work, r.value(longest)), longest)
        r.store(r.add(work, r.value(total)), total)
    r.bump(context, WORD * Context.WORK_SUM, r.value(total))
    r.bump(context, WORD * Context.WORK_LONGEST, r.mul(r.value(longest), warps))


@routine("pass_barrier", VOID, POINTER)
def _pass_barrier(r: Routine) -> None:
    (context,) = r.arguments
    r.bump(context, WORD * Context.BARRIERS, r.number(1))
    r.bump(context, WORD * Context.EPOCH, r.number(1))
    for count, result in (
        (Context.COUNT_SUM, Context.RESULT_SUM),
        (Context.COUNT_ALL, Context.RESULT_ALL),
        (Context.COUNT_ANY, Context.RESULT_ANY),
    ):
        r.put(r.context_word(context, count), context, WORD * result)
        r.put(r.number(0), context, WORD * count)
    _release(r, context, AT_BARRIER, AT_GRID_BARRIER)
    r.ret_void()

"""A PTX kernel as one LLVM function that runs a warp until all its lanes have ended or wait at a barrier.

Each block of the kernel is a block of the function. The lanes that run have a common block; the others wait,
each with the number of its next block in the warp's state. Of the waiting lanes those of the lowest block run
next. Registers that cross blocks are kept in the warp's state.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.launch import parameter_offsets
from advisor.evidence.simulated.simt.ptx.control_flow import (
    Block,
    ControlFlow,
    awaits_phase,
    control_flow,
    meetings_of,
)
from advisor.evidence.simulated.simt.ptx.liveness import CARRY, Liveness, liveness, written
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Instruction, Module
from advisor.evidence.simulated.simt.ptx.uniformity import Uniformity, uniformity
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.arithmetic import bits, conversions, integers, moves
from advisor.evidence.simulated.simt.vector.arithmetic.index_overflow import IndexOverflow
from advisor.evidence.simulated.simt.vector.form import check_form
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    I64,
    POINTER,
    Builder,
    constant,
    is_vector,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.layout import (
    AT_BARRIER,
    AT_GRID_BARRIER,
    EXITED,
    HIGHEST,
    WORD,
    Context,
    State,
)
from advisor.evidence.simulated.simt.vector.memory import atomics
from advisor.evidence.simulated.simt.vector.memory import loads_and_stores as memory
from advisor.evidence.simulated.simt.vector.routines.builder import ROUTINES
from advisor.evidence.simulated.simt.vector.sites import accesses, by_instruction
from advisor.evidence.simulated.simt.vector.tensor import (
    asynchronous_copies,
    group_products,
    matrices,
    memory_barriers,
    products,
    tensor_maps,
)
from advisor.evidence.simulated.simt.vector.translation import calls, warps
from advisor.evidence.simulated.simt.vector.translation.barriers import (
    begin_behind_barriers,
    count_votes,
    meet_part,
)
from advisor.evidence.simulated.simt.vector.translation.emission import HANDLERS, Emission
from advisor.evidence.simulated.simt.vector.translation.modifiers import is_of_part, refused
from advisor.evidence.simulated.simt.vector.translation.names import Names, origin_of
from advisor.evidence.simulated.simt.vector.translation.placement import place_variables
from advisor.evidence.simulated.simt.vector.translation.shuffled_values import (
    ShuffledValues,
    shuffled_registers,
)
from advisor.evidence.simulated.simt.vector.translation.warp_function import WarpFunction

HANDLER_MODULES = (
    asynchronous_copies, atomics, bits, calls, conversions, group_products, integers, matrices, memory,
    memory_barriers, moves, products, tensor_maps, warps,
)  # fmt: skip
# LLVM instructions: for code without optimisation LLVM compares the loads of a block with each other, which
# takes most of the time in blocks of thousands. Optimised code is the same with longer ones.
_LONG_BLOCK = 100


def translate(module: Module, function: Function, name: str = "warp") -> tuple[WarpFunction, str]:
    """What a caller must know of a kernel's LLVM function, and its text.

    Raises Unsupported for what is not executed.
    """
    check_form(function)
    flow = control_flow(function)
    live = liveness(function, flow.blocks)
    uniform = uniformity(function, flow.blocks, live)
    if not uniform.ordered:
        flow = control_flow(function, meetings=True)
        live = liveness(function, flow.blocks)
        uniform = uniformity(function, flow.blocks, live)
    placement = place_variables(module, function)
    shuffled = shuffled_registers(function)
    names = Names(function, placement, live, uniform, shuffled)
    found = accesses(function)
    names.accesses = by_instruction(found.values())
    names.parameter_offsets = parameter_offsets(function.parameters)[0]
    with _without_collections():
        text = _Writer(function, flow, live, uniform, names, shuffled, name).text()
    called = [routine for routine in ROUTINES if f'"{routine}"' in text]
    warp = WarpFunction(
        flow.blocks, placement, found, names.state_size, uniform.ordered,
        list(placement.variables), called,
    )  # fmt: skip
    return warp, text


@contextmanager
def _without_collections() -> Iterator[None]:
    """A context in which Python does not look for garbage: what a translation makes lives until it ends."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Writer:
    def __init__(
        self,
        function: Function,
        flow: ControlFlow,
        live: Liveness,
        uniform: Uniformity,
        names: Names,
        shuffled: frozenset[str],
        name: str,
    ) -> None:
        self.function, self.flow, self.live, self.uniform = function, flow, live, uniform
        self.names = names
        self.overflow = IndexOverflow(function)
        self.shuffled = ShuffledValues(shuffled, uniform.ordered)
        self.module = ir.Module(name)
        kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
        self.warp = ir.Function(self.module, kind, name)
        state, context = self.warp.args
        for argument in (state, context):
            argument.add_attribute("noalias")
        self.builder = Builder(self.warp.append_basic_block("entry"))
        self.emission = Emission(self.builder, names, state, context)
        self.mask = self.builder.alloca(I32)
        self.lowest_waiting = self.builder.alloca(I32)
        self.running = self.builder.alloca(I64)
        self.emission.reach_places = (self.builder.alloca(I64), self.builder.alloca(I64))
        self.dispatch = self.warp.append_basic_block("dispatch")
        self.leave = self.warp.append_basic_block("leave")
        self.parked_at = self.builder.alloca(I32)
        self.park = self.warp.append_basic_block("park")
        self.blocks = [self.warp.append_basic_block(f"block{block.number}_") for block in flow.blocks]
        self.barriers_before: dict[int, list[Block]] = {}
        for block in flow.blocks:
            if block.at_barrier and block.successors:
                self.barriers_before.setdefault(block.successors[0], []).append(block)

    def text(self) -> str:
        """The LLVM text of the function."""
        self._dispatcher()
        for block in self.flow.blocks:
            self._block(block)
        self._parking()
        self.builder.position_at_end(self.leave)
        self.builder.ret_void()
        with self.builder.goto_block(self.warp.entry_basic_block):
            self.builder.branch(self.dispatch)
        return str(self.module)

    def _counters(self) -> Any:
        return self.builder.get(self.emission.state, State.COUNTERS, vector(I32))

    def _dispatcher(self) -> None:
        """Choose the lanes that run next: those of the lowest block, or of the preferred lane's."""
        builder, e = self.builder, self.emission
        builder.position_at_end(self.dispatch)
        counters = self._counters()
        if self.uniform.ordered:
            chosen = builder.reduce("umin", counters)
        else:
            able = self._able(counters)
            chosen = self._preferred(able, builder.reduce("umin", able))
        here = builder.icmp_unsigned("==", counters, builder.broadcast(chosen))
        mask = builder.bits(here)
        builder.store(mask, self.mask)
        builder.store(builder.zext(builder.population(mask), I64), self.running)
        e.keep_reach(mask)
        others = builder.select(here, splat(I32, EXITED), counters)
        builder.store(builder.reduce("umin", others), self.lowest_waiting)
        switch = builder.switch(chosen, self.leave)
        for number, block in enumerate(self.blocks):
            switch.add_case(constant(I32, number), block)

    def _able(self, counters: Any) -> Any:
        """The lanes' blocks, without those that wait where the whole warp meets while others can run."""
        builder, waits = self.builder, splat(I32, EXITED)
        runs = builder.icmp_unsigned("<", counters, splat(I32, AT_BARRIER))
        able, meetings = counters, meetings_of(self.function)
        for block in self.flow.blocks:
            if block.last > block.first and block.first in meetings:
                here = builder.icmp_unsigned("==", counters, splat(I32, block.number))
                able = builder.select(here, waits, able)
        lowest = builder.reduce("umin", builder.select(runs, able, waits))
        others = builder.icmp_unsigned("<", lowest, constant(I32, AT_BARRIER))
        return builder.select(others, able, counters)

    def _preferred(self, counters: Any, lowest: Any) -> Any:
        """The block of the lane that the context prefers, or the highest one, where lanes can run there."""
        builder = self.builder
        lane = self.emission.context_word(Context.PREFERRED, I32)
        there = builder.lane(counters, builder.and_(lane, constant(I32, 31)))
        runs = builder.and_(
            builder.icmp_unsigned("<", there, constant(I32, AT_BARRIER)),
            builder.icmp_signed(">=", lane, constant(I32, 0)),
        )
        waits = builder.icmp_unsigned(">=", counters, splat(I32, AT_BARRIER))
        highest = builder.reduce("umax", builder.select(waits, splat(I32, 0), counters))
        some = builder.icmp_unsigned("<", lowest, constant(I32, AT_BARRIER))
        wanted = builder.icmp_signed("==", lane, constant(I32, HIGHEST))
        chosen = builder.select(runs, there, lowest)
        return builder.select(builder.and_(wanted, some), highest, chosen)

    def _block(self, block: Block) -> None:
        builder, e = self.builder, self.emission
        builder.position_at_end(self.blocks[block.number])
        e.enter_block(builder.load(self.mask, typ=I32))
        self._await_phase(block)
        self._count_block(block)
        self.overflow.begin_block()
        begin_behind_barriers(e, self.function, self.barriers_before.get(block.number, ()))
        for number in range(block.first, block.last):
            item = self.function.instructions[number]
            if (reason := refused(item)) is not None:
                raise self.emission.unsupported(item, reason)
            if item.opcode in ("bra", "ret", "exit", "bar", "barrier", "trap"):
                self.shuffled.follow(self.emission, item)
                continue
            self._instruction(number, item)
            self._limit_block()
        self._keep_registers(block)
        self._end(block)

    def _await_phase(self, block: Block) -> None:
        """Let the warp wait before a block until the phase of a barrier has ended, where all its lanes do."""
        item = self.function.instructions[block.first] if block.last > block.first else None
        if item is None or not awaits_phase(item) or not self.uniform.ordered:
            return
        builder = self.builder
        self.names.current = block.first
        ended = memory_barriers.awaited(self.emission, item)
        on, wait = builder.append_basic_block("ended"), builder.append_basic_block("await")
        builder.cbranch(ended, on, wait)
        builder.position_at_end(wait)
        self._store_counters(constant(I32, block.number), self.emission.mask)
        builder.branch(self.leave)
        builder.position_at_end(on)

    def _instruction(self, number: int, item: Instruction) -> None:
        handler = HANDLERS.get(item.opcode)
        if handler is None:
            raise self.emission.unsupported(item)
        self.names.current = number
        try:
            self.overflow.check(self.emission, number, item)
            self.overflow.follow(self.emission, item)
            self.shuffled.follow(self.emission, item)
            handler(self.emission, item)
        except Unsupported:
            raise
        except (LookupError, ValueError, TypeError, AttributeError, AssertionError) as error:
            raise self.emission.unsupported(item, f"{type(error).__name__} {error}") from error

    def _limit_block(self) -> None:
        """Go on in another LLVM block when this one is long."""
        if len(self.builder.block.instructions) >= _LONG_BLOCK:
            further = self.builder.append_basic_block("further")
            self.builder.branch(further)
            self.builder.position_at_end(further)

    def _count_block(self, block: Block) -> None:
        builder, e = self.builder, self.emission
        runs = e.context_word(Context.BLOCK_RUNS, POINTER)
        builder.bump(runs, WORD * block.number, constant(I64, 1))
        lanes = e.context_word(Context.BLOCK_LANES, POINTER)
        builder.bump(lanes, WORD * block.number, builder.load(self.running, typ=I64))

    def _keep_registers(self, block: Block) -> None:
        """Store the registers that other blocks read."""
        changed = {
            name
            for item in self.function.instructions[block.first : block.last]
            for name in written(item)
            if name in self.emission.values
        }
        for name in sorted(changed & self.live.at_end[block.number]):
            self._limit_block()
            if name == CARRY:
                raise Unsupported(self.function.instructions[block.last - 1], "the carry crosses a block")
            masked = (block.number, name) in self.uniform.masked
            self.names.store(self.emission, name, masked)
            if (origin := origin_of(name)) in self.emission.values:
                self.names.store(self.emission, origin, masked)

    def _end(self, block: Block) -> None:
        last = self.function.instructions[block.last - 1] if block.last > block.first else None
        if last is None or last.opcode not in ("bra", "ret", "exit", "bar", "barrier", "trap"):
            self._go(block, self._next(block), self.emission.mask)
        elif last.opcode in ("bar", "barrier") and is_of_part(last):
            meet_part(self.emission, last)
            if "arrive" in last.modifiers:
                self._go(block, self._next(block), self.emission.mask)
            else:
                self._store_counters(constant(I32, self._next(block)), self.emission.mask)
                self.builder.branch(self.leave)
        elif last.opcode in ("bar", "barrier") and "warp" not in last.modifiers:
            count_votes(self.emission, last)
            barrier = AT_GRID_BARRIER if "grid" in last.modifiers else AT_BARRIER
            self._park(constant(I32, barrier | self._next(block)), self.emission.mask)
        elif last.opcode in ("bar", "barrier"):
            self._go(block, self._next(block), self.emission.mask)
        elif last.opcode == "bra":
            self._branch(block, last)
        else:
            self._exit(block, last)

    def _next(self, block: Block) -> int:
        return block.successors[0] if block.successors else EXITED

    def _exit(self, block: Block, item: Instruction) -> None:
        builder, e = self.builder, self.emission
        leaving = e.active(item)
        if item.opcode == "trap":
            e.call("note_trap", ir.VoidType(), e.context, leaving, constant(I32, item.text_line))
        if item.predicate is None:
            self._park(constant(I32, EXITED), e.mask)
            return
        staying = builder.and_(e.mask, builder.not_(leaving))
        self._store_counters(constant(I32, EXITED), leaving)
        self._store_counters(constant(I32, self._next(block)), staying)
        builder.branch(self.dispatch)

    def _branch(self, block: Block, item: Instruction) -> None:
        builder, e = self.builder, self.emission
        if item.predicate is None or len(block.successors) == 1:
            self._go(block, block.successors[-1], e.mask)
            return
        behind, target = block.successors
        predicate = e.read(item.predicate, I1)
        if not is_vector(predicate):
            taken = builder.append_basic_block("taken")
            straight = builder.append_basic_block("straight")
            builder.cbranch(predicate, taken, straight)
            for place, number in ((taken, target), (straight, behind)):
                builder.position_at_end(place)
                self._go(block, number, e.mask)
            return
        jumping = builder.and_(builder.bits(predicate), e.mask)
        falling = builder.and_(builder.not_(builder.bits(predicate)), e.mask)
        zero = constant(I32, 0)
        all_fall, some = builder.append_basic_block("all_fall"), builder.append_basic_block("some")
        builder.cbranch(builder.icmp_unsigned("==", jumping, zero), all_fall, some)
        builder.position_at_end(all_fall)
        self._go(block, behind, e.mask)
        builder.position_at_end(some)
        all_jump, divide = builder.append_basic_block("all_jump"), builder.append_basic_block("divide")
        builder.cbranch(builder.icmp_unsigned("==", falling, zero), all_jump, divide)
        builder.position_at_end(all_jump)
        self._go(block, target, e.mask)
        builder.position_at_end(divide)
        self._divide(block, builder.lanes_of(jumping), behind, target)

    def _divide(self, block: Block, jumping: Any, behind: int, target: int) -> None:
        builder, e = self.builder, self.emission
        branches = e.context_word(Context.BRANCHES, POINTER)
        builder.bump(branches, WORD * block.number, constant(I64, 1))
        where = builder.select(jumping, splat(I32, target), splat(I32, behind))
        self._store_counters(where, e.mask)
        if min(behind, target) <= block.number:
            self._spend()
        builder.branch(self.dispatch)

    def _go(self, block: Block, target: int, mask: Any) -> None:
        """Go on with the same lanes, unless others wait at the target or before it."""
        builder = self.builder
        if target == EXITED:
            self._park(constant(I32, EXITED), mask)
            return
        if target <= block.number:
            self._spend_or_park(target, mask)
        if not self.uniform.divided and self.uniform.ordered:
            builder.branch(self.blocks[target])
            return
        builder.store(constant(I32, target), self.parked_at)
        waiting = builder.load(self.lowest_waiting, typ=I32)
        before = builder.icmp_unsigned(">", waiting, constant(I32, target))
        builder.cbranch(before, self.blocks[target], self.park)

    def _spend(self) -> None:
        self.builder.bump(self.emission.context, WORD * Context.BUDGET, constant(I64, -1))

    def _spend_or_park(self, target: int, mask: Any) -> None:
        """Take from the budget for a way back, and leave the function when it is used up."""
        builder = self.builder
        self._spend()
        left = self.emission.context_word(Context.BUDGET)
        out, on = builder.append_basic_block("spent"), builder.append_basic_block("on")
        builder.cbranch(builder.icmp_signed("<", left, constant(I64, 0)), out, on)
        builder.position_at_end(out)
        self._store_counters(constant(I32, target), mask)
        builder.branch(self.leave)
        builder.position_at_end(on)

    def _park(self, where: Any, mask: Any) -> None:
        self._store_counters(where, mask)
        self.builder.branch(self.dispatch)

    def _parking(self) -> None:
        """Let the lanes that ran wait for the block that was noted, at one place for all branches."""
        self.builder.position_at_end(self.park)
        self._park(self.builder.load(self.parked_at, typ=I32), self.builder.load(self.mask, typ=I32))

    def _store_counters(self, where: Any, mask: Any) -> None:
        builder = self.builder
        lanes = builder.lanes_of(mask)
        kept = builder.select(lanes, builder.broadcast(where), self._counters())
        builder.put(kept, self.emission.state, State.COUNTERS)

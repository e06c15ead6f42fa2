"""Barriers that count or combine predicates, and those of a part of the block; PTX ISA, "bar"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.control_flow import Block
from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Instruction, Integer
from advisor.evidence.simulated.simt.vector.lanes import I1, I32, I64, LANES, VOID, constant, is_vector
from advisor.evidence.simulated.simt.vector.layout import WORD, Context
from advisor.evidence.simulated.simt.vector.translation.emission import Emission


def count_votes(e: Emission, item: Instruction) -> None:
    """Add the lanes' predicates to what the block's threads said at this barrier."""
    if "red" not in item.modifiers:
        return
    builder = e.builder
    predicate = e.read(item.operands[-1], I1)
    bits: Any = (
        builder.bits(predicate)
        if is_vector(predicate)
        else builder.select(predicate, constant(I32, -1), constant(I32, 0))
    )
    votes = builder.and_(bits, e.mask)
    builder.bump(e.context, WORD * Context.COUNT_SUM, builder.zext(builder.population(votes), I64))
    missing = builder.icmp_unsigned("!=", votes, e.mask)
    builder.bump(e.context, WORD * Context.COUNT_ALL, builder.zext(missing, I64))
    some = builder.icmp_unsigned("!=", votes, constant(I32, 0))
    builder.bump(e.context, WORD * Context.COUNT_ANY, builder.zext(some, I64))


def meet_part(e: Emission, item: Instruction) -> None:
    """Let a warp arrive at a barrier of a part of the block, and wait there unless it only arrives."""
    threads = e.context_word(Context.WARPS)
    count = e.builder.mul(threads, constant(I64, LANES))
    if len(item.operands) > 1:
        given = e.read(item.operands[1], I64)
        count = e.builder.lane(given, e.reach(e.mask)[0]) if is_vector(given) else given
    number = item.operands[0]
    assert isinstance(number, Integer)
    waits = constant(I1, int("arrive" not in item.modifiers))
    e.call("meet_part", VOID, e.context, e.state, constant(I64, number.value), count, waits)


def begin_behind_barriers(e: Emission, function: Function, barriers: Iterable[Block]) -> None:
    """Take the result of the counting barrier that a block begins behind; `barriers` end in one before it."""
    for before in barriers:
        item = function.instructions[before.last - 1]
        if "red" in item.modifiers:
            e.write(item, _result(e, item))
            name = getattr(item.operands[0], "name", "_")
            if name in e.names.places:
                e.names.store(e, name, masked=False)


def _result(e: Emission, item: Instruction) -> Any:
    builder = e.builder
    if "popc" in item.modifiers:
        return builder.trunc(e.context_word(Context.RESULT_SUM), I32)
    zero = ir.Constant(I64, 0)
    if "and" in item.modifiers:
        return builder.icmp_unsigned("==", e.context_word(Context.RESULT_ALL), zero)
    return builder.icmp_unsigned("!=", e.context_word(Context.RESULT_ANY), zero)

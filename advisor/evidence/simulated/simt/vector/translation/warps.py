"""What lanes of a warp tell each other; PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync"."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Group, Instruction
from advisor.evidence.simulated.simt.vector.lanes import (
    I1,
    I32,
    VOID,
    constant,
    element_type,
    is_vector,
    lane_numbers,
    splat,
    vector,
)
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles


@handles("shfl")
def _shuffle(e: Emission, item: Instruction) -> None:
    target = item.operands[0]
    result, valid = target.items if isinstance(target, Group) else (target, None)
    value, step, limits = (e.read_vector(operand, I32) for operand in item.operands[1:4])
    source, good = source_lane(e, item, step, limits)
    _check_mask(e, item)
    moved = e.call("shuffle_32", vector(I32), value, source)
    e.write(item, moved, result)
    if valid is not None:
        e.write(item, good, valid)


def _check_mask(e: Emission, item: Instruction) -> None:
    """Note lanes that are not in the mask which they give; PTX ISA: the behaviour is undefined then."""
    if "sync" not in item.modifiers:
        return
    builder = e.builder
    outside = builder.not_(_own_mask_has(e, item, lane_numbers()))
    lanes = builder.and_(builder.bits(outside), e.active(item))
    with builder.if_then(builder.icmp_unsigned("!=", lanes, constant(I32, 0)), likely=False):
        e.call("note_outside_mask", VOID, e.context, lanes, constant(I32, item.text_line))


def _own_mask_has(e: Emission, item: Instruction, lanes: Any) -> Any:
    """For each lane whether its mask has another lane."""
    builder = e.builder
    mask = e.read_vector(item.operands[-1], I32)
    bit = builder.and_(builder.lshr(mask, lanes), splat(I32, 1))
    return builder.icmp_unsigned("!=", bit, splat(I32, 0))


def source_lane(e: Emission, item: Instruction, step: Any, limits: Any) -> tuple[Any, Any]:
    """For each lane the lane it reads from, its own where that lies outside of its segment."""
    builder = e.builder
    lane = lane_numbers()
    highest = builder.and_(limits, splat(I32, 31))
    segment = builder.and_(builder.lshr(limits, splat(I32, 8)), splat(I32, 31))
    outside = builder.not_(segment)
    most = builder.or_(builder.and_(lane, segment), builder.and_(highest, outside))
    if "up" in item.modifiers:
        source = builder.sub(lane, builder.and_(step, splat(I32, 31)))
        good = builder.icmp_signed(">=", source, most)
    else:
        if "down" in item.modifiers:
            source = builder.add(lane, builder.and_(step, splat(I32, 31)))
        elif "bfly" in item.modifiers:
            source = builder.xor(lane, builder.and_(step, splat(I32, 31)))
        else:
            least = builder.and_(lane, segment)
            source = builder.or_(least, builder.and_(builder.and_(step, splat(I32, 31)), outside))
        good = builder.icmp_signed("<=", source, most)
    return builder.and_(builder.select(good, source, lane), splat(I32, 31)), good


@handles("vote")
def _vote(e: Emission, item: Instruction) -> None:
    builder = e.builder
    running = e.active(item)
    _check_mask(e, item)
    predicate = e.read(item.operands[1], I1)
    bits = (
        builder.bits(predicate)
        if is_vector(predicate)
        else builder.select(predicate, constant(I32, -1), constant(I32, 0))
    )
    votes = builder.and_(bits, running)
    if "ballot" in item.modifiers:
        e.write(item, votes)
        return
    none = builder.icmp_unsigned("==", votes, constant(I32, 0))
    every = builder.icmp_unsigned("==", votes, running)
    result = {"any": builder.not_(none), "all": every}.get(item.modifiers[-1])
    e.write(item, builder.or_(none, every) if result is None else result)


@handles("match")
def _match(e: Emission, item: Instruction) -> None:
    builder = e.builder
    kind = element_type(item.types[-1])
    value = e.read_vector(item.operands[1], kind)
    _check_mask(e, item)
    running = e.active(item)
    if "any" in item.modifiers:
        e.write(item, e.call(f"match_any_{kind.width}", vector(I32), value, running))
        return
    groups = e.call(f"match_any_{kind.width}", vector(I32), value, running)
    first = builder.lane(groups, e.reach(running)[0])
    equal = builder.icmp_unsigned("==", first, running)
    target = item.operands[0]
    result, predicate = target.items if isinstance(target, Group) else (target, None)
    e.write(item, builder.select(equal, running, constant(I32, 0)), result)
    if predicate is not None:
        e.write(item, equal, predicate)


@handles("redux")
def _reduce(e: Emission, item: Instruction) -> None:
    operation, kind = item.modifiers[-1], item.types[0]
    if kind not in ("b32", "u32", "s32"):
        raise e.unsupported(item)
    sign = kind[0] if operation in ("min", "max") else ""
    value, mask = (e.read_vector(operand, I32) for operand in item.operands[1:3])
    _check_mask(e, item)
    e.write(item, e.call(f"reduce_{sign}{operation}", vector(I32), value, mask, e.active(item)))


@handles("activemask")
def _active_mask(e: Emission, item: Instruction) -> None:
    e.write(item, e.active(item))


@handles("elect")
def _elect(e: Emission, item: Instruction) -> None:
    builder = e.builder
    first = builder.trunc(e.reach(e.mask)[0], I32)
    target = item.operands[0]
    assert isinstance(target, Group)
    e.write(item, first, target.items[0])
    e.write(item, builder.icmp_unsigned("==", lane_numbers(), builder.broadcast(first)), target.items[1])

"""Copies from global to shared memory that go on while the warp does; PTX ISA, "cp.async".

Each lane has copies and groups of its own: it closes a group by `commit_group` and waits for its own groups.
"""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction, Integer, Register
from advisor.evidence.simulated.simt.vector.lanes import I1, I32, VOID, constant, same, splat, vector
from advisor.evidence.simulated.simt.vector.layout import Copies
from advisor.evidence.simulated.simt.vector.memory.places import addresses_of, place_of
from advisor.evidence.simulated.simt.vector.sites import copied_bytes
from advisor.evidence.simulated.simt.vector.tensor.bulk_copies import copy_in_bulk
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

_CACHES = ({"ca"}, {"cg"})
_PREFETCHES = frozenset({"L2::64B", "L2::128B", "L2::256B"})


@handles("cp")
def _copy(e: Emission, item: Instruction) -> None:
    if item.modifiers[:2] == ("async", "bulk"):
        copy_in_bulk(e, item)
    elif item.modifiers == ("async", "commit_group"):
        _close_group(e, item)
    elif item.modifiers == ("async", "wait_all"):
        _close_group(e, item)
        _wait(e, item, 0)
    elif item.modifiers == ("async", "wait_group") and isinstance(item.operands[0], Integer):
        _wait(e, item, item.operands[0].value)
    else:
        _begin(e, item)


def _queue(e: Emission) -> Any:
    return e.builder.at(e.state, e.names.copies)


def _close_group(e: Emission, item: Instruction) -> None:
    builder, queue = e.builder, _queue(e)
    groups = builder.get(queue, Copies.GROUPS, vector(I32))
    more = builder.zext(builder.lanes_of(e.active(item)), vector(I32))
    builder.put(builder.add(groups, more), queue, Copies.GROUPS)


def _wait(e: Emission, item: Instruction, left: int) -> None:
    e.call("end_copies", VOID, e.context, e.state, _queue(e), e.active(item), constant(I32, left))


def _begin(e: Emission, item: Instruction) -> None:
    size = copied_bytes(item)
    rest = set(item.modifiers) - _PREFETCHES - {"async", "shared", "global"}
    spaces = {"async", "shared", "global"} <= set(item.modifiers)
    if size is None or not spaces or rest not in _CACHES or (rest == {"cg"} and size != 16):
        raise e.unsupported(item, "another form of copy")
    target, source = item.operands[:2]
    assert isinstance(target, Address)
    assert isinstance(source, Address)
    given = e.builder.broadcast(_given(e, item, size))
    some = e.builder.bits(e.builder.icmp_unsigned("!=", given, splat(I32, 0)))
    from_ = place_of(e, item, source, lanes=e.builder.and_(e.active(item), some))
    into = place_of(e, item, target, part=1)
    e.call(
        f"begin_copy_{size}", VOID, e.context, e.state, _queue(e), from_.site, into.site,
        addresses_of(e, from_), addresses_of(e, into), into.mask, given,
    )  # fmt: skip


def _given(e: Emission, item: Instruction, size: int) -> Any:
    """The bytes that each lane reads, the others are zero: all, a number, or none where a predicate holds."""
    if len(item.operands) == 3:
        return constant(I32, size)
    said = item.operands[3]
    if isinstance(said, Register) and e.names.type_of(said.name) is I1:
        predicate = e.read(said, I1)
        return e.choose(predicate, constant(I32, 0), constant(I32, size))
    value = e.read(said, I32)
    return e.builder.elementwise("llvm.umin", value, same(value, size))

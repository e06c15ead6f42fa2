"""What exchanging two thread indices does to all accesses of a kernel, not to one of them alone."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.warps.lane_addresses import SECTOR_BYTES
from advisor.evidence.source.warps.lanes import UNKNOWN_ITEMSIZES
from advisor.model.records import Record

# How often a loop is taken to run when accesses inside and outside of it are weighed.
_LOOP_REPEATS = 8
_THREADS = ("tid.x", "tid.y", "tid.z")


def know_exchange_effects(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Note with each access that the exchange would mend whether it spoils as many others.

    `records` are those of `facts.accesses`, in that order. Elements that a kernel touches several times
    count once.
    """
    mended: dict[object, int] = {}
    spoiled: dict[object, int] = {}
    concerned = []
    for access, record in zip(facts.accesses, records, strict=True):
        if access.array.space != "global":
            continue
        element = (id(access.array), access.kind, *(index.form for index in access.indices))
        weight = _LOOP_REPEATS ** len(access.place.loops)
        if record.value("lane_axis") == "slow" and record.value("fast_axis_thread"):
            mended[element] = max(weight, mended.get(element, 0))
            concerned.append(record)
        elif _lanes_share_sectors(record) and _other_thread_on_slow_axis(access, facts):
            spoiled[element] = max(weight, spoiled.get(element, 0))
    moves = sum(spoiled.values()) >= sum(mended.values())
    for record in concerned:
        record.know("source", exchange_moves_problem=moves)


def _lanes_share_sectors(record: Record) -> bool:
    """Whether neighbouring lanes meet neighbouring elements along the fast axis. Places that were loaded or
    computed lie anywhere: an exchange takes no order from them.
    """
    stride, itemsize = record.value("lane_stride"), record.value("itemsize")
    if record.value("lane_axis") != "fast" or not isinstance(stride, float):
        return False
    size = itemsize if isinstance(itemsize, float) else UNKNOWN_ITEMSIZES[0]
    return 0 < abs(stride) * size < SECTOR_BYTES


def _other_thread_on_slow_axis(access: Access, facts: KernelFacts) -> bool:
    """Whether another thread index than that of the lanes runs along another axis than the fast one."""
    fast = access.fastest
    if fast is None:
        return False
    used = facts.atoms.depends(fast.form)
    others = [facts.atoms.depends(index.form) for index in access.indices if index is not fast]
    return any(name in other and name not in used for other in others for name in _THREADS)

"""The counts that a launch which was recorded for one device may have on another."""

from __future__ import annotations

from dataclasses import replace

from advisor.evidence.metrics.times.changes import with_occupancy
from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.model.devices import Device

_SECTOR_BYTES = 32


def on_another_device(
    recorded: LaunchCounts, rereads: float | None, device: Device
) -> tuple[LaunchCounts, ...]:
    """The counts with the least and with the most that may pass caches of other sizes; none where the blocks
    that another device holds are not known.

    What warps execute and ask L1 for stays. Behind it each sector moves once at the least; `rereads` is how
    often it moved where the launch was recorded. At the most no cache finds anything.
    """
    counts = with_occupancy(recorded, device)
    if counts is None:
        return ()
    if not counts.l1_sectors:
        return (counts,)
    once = (counts.dram_bytes or 0.0) / max(1.0, rereads or 1.0)
    most = replace(
        counts, l2_sectors=counts.l1_sectors, dram_bytes=_SECTOR_BYTES * counts.l1_sectors,
        loads_past_l1=1.0, loads_past_l2=1.0,
    )  # fmt: skip
    return replace(counts, dram_bytes=once), most

"""What a mean block of a launch that was made up asks of a device: what a grid of any size has of each block.

Instructions, requests and sectors of global memory follow from a few blocks. What reaches DRAM does not, for
blocks share sectors: it is at least each sector once, those of the arrays over the whole grid, and at most
what each block misses in its own share of L1.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.evidence.simulated.launches.readings.kernel_readings import (
    SECTOR,
    memory_work,
    unit_slots,
    warp_readings,
)
from advisor.evidence.simulated.simt.counts import WARP, Statistics, total
from advisor.evidence.simulated.synthesis.trial import Trial

# Numbers are alike where the smaller is at least this part of the larger (docs/decisions/0037).
_ALIKE = 0.9


def block_work(trial: Trial, array_bytes: int, chosen_by_data: frozenset[str]) -> dict[str, float]:
    """The counts of a mean block by the names of the kernel's metrics; `array_bytes` are those of all arrays,
    `chosen_by_data` the arrays of which the contents of others choose the elements.

    `least_` and `most_` are what a count is at least and at most. What hangs on the whole grid is `seen_` in
    these blocks, and grows by no less and no more with each further one. Chains, loads and stores are those
    of a warp; `blocks_alike` is 1 where blocks did as much as each other.
    """
    counted, blocks = trial.counted, max(1, trial.counted.blocks_run)
    if trial.close is not None:
        counted = counted.with_close_look_of(trial.close)
    accesses = counted.accesses
    x, y, z = counted.block
    totals: dict[str, float | None] = {
        **_numbers(memory_work(accesses)),
        **_numbers(unit_slots(counted)),
        "l1_sectors": float(total(accesses, "sectors", "global", "local")),
        "constant_addresses": float(total(accesses, "distinct", "constant")),
        "shared_wavefronts": float(total(accesses, "wavefronts", "shared")),
        "joined_wavefronts": float(total(accesses, "joined_wavefronts", "shared")),
        **_behind_l1(counted),
    }
    found = {name: value / blocks for name, value in totals.items() if value is not None}
    found.update(_contended(trial, chosen_by_data))
    once = array_bytes / SECTOR / max(1, counted.blocks)
    touched = (counted.loaded_sectors + counted.stored_sectors) / blocks
    found["least_dram_bytes"] = SECTOR * min(once, touched, found["most_l2_sectors"])
    found["most_dram_bytes"] = SECTOR * found["most_l2_sectors"]
    found.update(_needed(counted, found["least_dram_bytes"]))
    shares = _numbers({**warp_readings(counted), **_waits(counted)})
    found.update({name: value for name, value in shares.items() if value is not None})
    return {
        **found,
        "blocks_alike": float(_alike(trial)),
        "block_threads": float(x * y * z),
        "shared_bytes": float(counted.shared_bytes),
        "warp_execution_efficiency": counted.lane_instructions / max(1, counted.warp_instructions * WARP),
    }


def _alike(trial: Trial) -> bool:
    """Whether the few blocks that were run once more issue as many instructions as the mean of all.

    Blocks that find nothing to do would make the mean that of none. The first block, which lies at an edge,
    is among the few.
    """
    few, counted = trial.close, trial.counted
    if few is None or few.blocks_run >= counted.blocks_run:
        return trial.alike
    each = [sum(one.slots.values()) / max(1, one.blocks_run) for one in (few, counted)]
    return min(each) >= _ALIKE * max(each)


def _numbers(readings: Mapping[str, object]) -> dict[str, float | None]:
    return {name: float(one) if isinstance(one, int | float) else None for name, one in readings.items()}


def _behind_l1(counted: Statistics) -> dict[str, float]:
    """The sectors that the blocks ask L2 for: of loads those that L1 is without, else all."""
    accesses = [one for one in counted.accesses if one.space in ("global", "constant")]
    loads = sum(one.sectors for one in accesses if one.kind == "load")
    others = sum(one.sectors for one in accesses if one.kind != "load")
    looked_up = sum(one.l1_sectors for one in accesses)
    found = sum(one.l1_hits for one in accesses) / looked_up if looked_up else 0.0
    touched = min(loads, counted.loaded_sectors)
    most = max(loads * (1.0 - found), touched)
    return {"most_l2_sectors": float(most + others), "least_l2_sectors": float(touched + others)}


def _needed(counted: Statistics, least_bytes: float) -> dict[str, float]:
    """What no order of the threads saves: the sectors that blocks load and the bytes of DRAM, without the
    parts of sectors that no thread of a block uses; none where these were not looked at.

    What all blocks leave unused of a sector, each of them does.
    """
    if counted.unused_of_loaded is None or counted.unused_of_stored is None:
        return {}
    blocks = max(1, counted.blocks_run)
    loaded, stored = counted.loaded_sectors / blocks, counted.stored_sectors / blocks
    unused = loaded * counted.unused_of_loaded + stored * counted.unused_of_stored
    loads = loaded * (1.0 - counted.unused_of_loaded)
    return {
        "least_needed_load_sectors": loads,
        "most_needed_load_sectors": loads,
        "least_needed_dram_bytes": max(0.0, least_bytes - SECTOR * unused),
        "most_needed_dram_bytes": SECTOR * (loaded + stored - unused),
    }


def _waits(counted: Statistics) -> dict[str, float | None]:
    """The share of loads that wait for more than L1, and the balance of warps, by the close look."""
    asked = sum(one.looked_up for one in counted.accesses)
    past = sum(one.past_l1 for one in counted.accesses) / asked if asked else None
    return {"loads_past_l1": past, "warp_balance": counted.balance if counted.detailed else None}


def _contended(trial: Trial, chosen_by_data: frozenset[str]) -> dict[str, float]:
    """The updates that a block adds to the most updated place: all of its own where blocks meet there, none
    where each has a place of its own, between the two where neither is seen.

    More blocks bring as many more updates of one place only where they meet; a few of the blocks were run by
    themselves, too. Nothing is seen where data chooses the place, for the data is made up.
    """
    updated = {one.array for one in trial.counted.accesses if one.kind == "atomic"}
    few, counted = trial.close, trial.counted
    found = {}
    for name in ("hottest_element_updates", "hottest_slice_sectors"):
        seen = _hottest(counted, name)
        if seen is None:
            return {}
        known = None if few is None or few.blocks_run >= counted.blocks_run else _hottest(few, name)
        meet = own = False
        if few is not None and known and not updated & chosen_by_data:
            meet = seen / known >= _ALIKE * counted.blocks_run / few.blocks_run
            own = seen / known <= 1.0 / _ALIKE
        rate = seen / max(1, counted.blocks_run)
        found[f"seen_{name}"] = seen
        found[f"least_{name}"] = rate if meet else 0.0
        found[f"most_{name}"] = 0.0 if own else rate
    return found


def _hottest(counted: Statistics, name: str) -> float | None:
    is_of_element = name == "hottest_element_updates"
    updates = counted.hottest_updates if is_of_element else counted.hottest_slice_sectors
    return None if updates is None else float(updates)

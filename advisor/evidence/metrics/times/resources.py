"""What each resource of a device needs for the counts of a launch, and the time of all together.

What each resource needs alone (S. Williams et al., "Roofline", CACM 52, 2009) is joined to one time, since
resources overlap, but not entirely. A bound by latency is among them: the blocks that are resident together
run in waves, and in each wave a warp takes at least as long as the longest chain of its dependent
instructions and its loads, with the latencies of the device.

L1 serves a load in as many cycles as its lines need look-ups of tags or its lanes passes through the banks,
and a store line after line; shared memory passes the same banks. docs/decisions/0033 has the sources, and
docs/quality/published-times.md how far published measurements lie from the times.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from advisor.evidence.metrics.times.launch_counts import WARP, LaunchCounts
from advisor.model.data_files import knowledge_folder
from advisor.model.devices import Device

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# A multiply-add counts as two operations in peak rates, and an instruction of a warp has 32 lanes.
_PEAK_OPERATIONS = 2 * WARP
# Resources that one unit serves one after the other: the data stage of L1 is that of shared memory.
_ONE_AFTER_THE_OTHER = ("l1", "shared")
# Stages of one pipeline, of which the slowest sets the pace: schedulers issue to the units that compute, the
# load and store units to the data stage.
_PIPELINES = (("issue", "fp32", "fp64", "special", "multiply", "tensor"), ("lsu", "data stage"))
# What dependent instructions wait for (simt/machine_code/chains.py).
_CHAINED = ("arithmetic", "fp64", "special", "shared")


@cache
def _table() -> dict[str, Any]:
    path = knowledge_folder() / "machine" / "timing.toml"
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def _numbers() -> dict[str, float]:
    groups = _table()["numbers"]
    return {name: float(value) for group in groups for name, value in group.items() if name != "source"}


def _by_capability(table: str, device: Device) -> float:
    """The lanes of some units of a multiprocessor, by its compute capability."""
    groups = _table()[table]
    named = [one for one in groups if device.compute_capability in one["capabilities"]]
    return float((named or [one for one in groups if "*" in one["capabilities"]])[0]["lanes"])


def joined_time(times: Mapping[str, float]) -> float:
    """The time of work that needs so many seconds of each resource: they overlap in part."""
    stages = {name: seconds for name, seconds in times.items() if name not in _ONE_AFTER_THE_OTHER}
    stages["data stage"] = sum(times.get(name, 0.0) for name in _ONE_AFTER_THE_OTHER)
    alone = [max(stages.pop(name, 0.0) for name in pipeline) for pipeline in _PIPELINES]
    alone += stages.values()
    exponent = _numbers()["overlap_exponent"]
    return float(sum(seconds**exponent for seconds in alone) ** (1.0 / exponent))


def launch_time(device: Device) -> float:
    """The seconds that a launch takes besides the work of its blocks, where launches follow each other."""
    return float(_numbers()["launch_time"] if device.launch_time is None else device.launch_time)


def resource_times(counts: LaunchCounts, device: Device) -> dict[str, float]:
    """The seconds that each resource needs alone for a launch; empty where its counts are not complete, and
    on a device whose clock or caches are unknown.
    """
    described = None not in (device.sm_count, device.boost_clock, device.l2_bytes)
    spread = spread_of(counts, device) if described and counts.is_complete else None
    return {} if spread is None else _times(counts, device, spread)


def dram_rate(device: Device) -> float | None:
    """The bytes in a second that DRAM attains, None where its peak is unknown."""
    peak, share = device.dram_bandwidth, device.dram_share
    return None if peak is None else (_numbers()["dram_share"] if share is None else share) * peak


@dataclass(frozen=True)
class Spread:
    """How the blocks lie over the SMs: SMs that are busy on average, waves of blocks, achieved occupancy."""

    processors: float
    waves: int
    achieved: float


def spread_of(counts: LaunchCounts, device: Device) -> Spread | None:
    """How the blocks of a launch lie over a device; None without its grid, its occupancy or its SMs."""
    blocks = counts.grid_blocks
    resident = counts.resident_blocks
    theoretical = counts.theoretical_occupancy
    if not blocks or not resident or theoretical is None or device.sm_count is None:
        return None
    processors = device.sm_count
    waves = math.ceil(blocks / (processors * resident))
    balance = counts.warp_balance
    achieved = theoretical * blocks / (waves * processors * resident) * (1.0 if balance is None else balance)
    return Spread(blocks / math.ceil(blocks / processors), waves, achieved)


def _times(counts: LaunchCounts, device: Device, spread: Spread) -> dict[str, float]:
    """The seconds that each resource needs alone; one whose numbers are unknown is left out."""
    numbers = _numbers()
    clock = device.boost_clock or 1.0
    cycles = spread.processors * clock
    rates: dict[str, tuple[float | None, float | None]] = {
        "issue": (counts.issue_slots, numbers["issues_per_cycle"] * cycles),
        "special": (counts.special_slots, numbers["special_per_cycle"] * cycles),
        "multiply": (counts.multiply_slots, _by_capability("multiply_lanes", device) / WARP * cycles),
        "fp32": (counts.fp32_slots, _peak(device.fp32_peak, device, spread)),
        "fp64": (counts.fp64_slots, _peak(device.fp64_peak, device, spread)),
        "tensor": (counts.tensor_work, _share_of(device.fp16_tensor_peak, device, spread)),
        "dram": (counts.dram_bytes, dram_rate(device)),
    }
    found = {}
    for name, (amount, rate) in rates.items():
        if amount is not None and rate:
            found[name] = amount / rate
    memory = {
        "l2": _l2_cycles(counts),
        "l1": _l1_cycles(counts),
        "shared": _shared_cycles(counts),
        "lsu": _issued_cycles(counts, device),
    }
    found.update({name: needed / cycles for name, needed in memory.items() if needed is not None})
    contended = _contended_cycles(counts)
    if contended is not None:
        found["atomics"] = contended / clock
    found["latency"] = spread.waves * _warp_cycles(counts, device) / clock
    return found


def _l2_cycles(counts: LaunchCounts) -> float | None:
    """The cycles of all multiprocessors together that sectors take to and from L2.

    A line of which a store writes a part takes several.
    """
    sectors = counts.l2_sectors
    if sectors is None:
        return None
    numbers = _numbers()
    partial = counts.partial_store_lines or 0.0
    return sectors / numbers["l2_sectors_per_cycle"] + partial * numbers["partial_line_cycles"]


def _l1_cycles(counts: LaunchCounts) -> float | None:
    """The cycles of L1's slower stage, tags of loaded lines or banks, and of the lines that are stored."""
    loads, lines = counts.load_requests, counts.load_lines
    stored = counts.store_lines
    if loads is None or lines is None or stored is None:
        return None
    # The first line of a load takes a cycle, the others a look-up of a tag each.
    tags = loads + (lines - loads) / _numbers()["l1_tags_per_cycle"]
    return max(tags, counts.load_wavefronts or 0.0) + stored


def _shared_cycles(counts: LaunchCounts) -> float | None:
    """The cycles of the wavefronts of shared memory; loads that wider ones bring along have none."""
    wavefronts = counts.shared_wavefronts
    if wavefronts is None:
        return None
    return (wavefronts - (counts.joined_wavefronts or 0.0)) / _numbers()["wavefronts_per_cycle"]


def _issued_cycles(counts: LaunchCounts, device: Device) -> float | None:
    """The cycles that all accesses of warps take to be issued, of constant memory one for each address."""
    issued = counts.memory_requests
    if issued is None:
        return None
    constants = (counts.constant_addresses or 0.0) / _numbers()["constant_addresses_per_cycle"]
    return issued * WARP / _by_capability("load_store_lanes", device) + constants


def _contended_cycles(counts: LaunchCounts) -> float | None:
    """The cycles that atomic updates need of one place and of the slice of L2 that does the most of them."""
    updates, sectors = counts.hottest_element_updates, counts.hottest_slice_sectors
    if updates is None or sectors is None:
        return None
    numbers = _numbers()
    return max(updates * numbers["update_cycles"], sectors * numbers["update_sector_cycles"])


def _peak(operations: float | None, device: Device, spread: Spread) -> float | None:
    """Warp instructions in a second of the SMs that are busy."""
    rate = _share_of(operations, device, spread)
    return None if rate is None else rate / _PEAK_OPERATIONS


def _share_of(rate: float | None, device: Device, spread: Spread) -> float | None:
    """The part of a device's rate that the SMs have which are busy."""
    return rate * spread.processors / device.sm_count if rate is not None and device.sm_count else None


def _warp_cycles(counts: LaunchCounts, device: Device) -> float:
    """The cycles that a block's longest warp waits for its own instructions and loads.

    A block stays until its longest warp is done, whatever the mean of its warps is.
    """
    mean = _chained_cycles(counts, device) + _waiting_cycles(counts, device)
    return mean / (counts.warp_balance or 1.0)


def _chained_cycles(counts: LaunchCounts, device: Device) -> float:
    """The cycles of the instructions of a warp that need each other's results."""
    steps = counts.chained_steps
    if all(count is None for count in steps.values()):
        return _slots_of_a_warp(counts) * latency(device, "arithmetic")
    waited = sum((steps[kind] or 0.0) * latency(device, kind) for kind in _CHAINED)
    return waited + (steps["issue"] or 0.0)


def _slots_of_a_warp(counts: LaunchCounts) -> float:
    threads = counts.block_threads or WARP
    return (counts.issue_slots or 0.0) / ((counts.grid_blocks or 1.0) * math.ceil(threads / WARP))


def borrowed_latencies(counts: LaunchCounts, device: Device) -> tuple[str, ...]:
    """What is to be said of the latencies that a launch waits for and the device's file lacks."""
    waited = {kind for kind in _CHAINED if counts.chained_steps[kind]}
    if counts.loads_per_warp:
        waited |= {"l1", "l2", "dram"}
    if counts.stores_per_warp:
        waited.add("l2")
    lacking = sorted(kind for kind in waited if getattr(device, f"{kind}_latency") is None)
    if not lacking:
        return ()
    are = "The latency of {} is that" if len(lacking) == 1 else "The latencies of {} are those"
    return (f"{are.format(' and '.join(lacking))} of compute capability 8.0.",)


def latency(device: Device, kind: str) -> float:
    """The cycles after which a result is there: of arithmetic, fp64, special, shared, l1, l2 or dram."""
    own = getattr(device, f"{kind}_latency")
    return float(_numbers()[f"{kind}_latency"] if own is None else own)


def _waiting_cycles(counts: LaunchCounts, device: Device) -> float:
    """The cycles that one warp waits for its loads, in each round for the slowest of them, and its stores."""
    loads = counts.loads_per_warp or 0.0
    rounds = counts.load_rounds_per_warp
    rounds = min(loads, loads if rounds is None else rounds)
    if not rounds:
        return _draining_cycles(counts, device)
    past_l1, past_l2 = counts.loads_past_l1, counts.loads_past_l2
    # Where nothing is known of the caches each load is taken to come from DRAM.
    past_l1, past_l2 = (1.0, 1.0) if past_l1 is None or past_l2 is None else (past_l1, past_l2)
    behind, beyond = (min(1.0, share * loads / rounds) for share in (past_l1, past_l2))
    l1, l2, dram = (latency(device, place) for place in ("l1", "l2", "dram"))
    return rounds * (l1 + behind * (l2 - l1) + beyond * (dram - l2)) + _draining_cycles(counts, device)


def _draining_cycles(counts: LaunchCounts, device: Device) -> float:
    """The cycles that a warp keeps its place after its end, until L2 has what it stored (Nsight Compute's
    stall reason "drain").
    """
    return min(1.0, counts.stores_per_warp or 0.0) * latency(device, "l2")

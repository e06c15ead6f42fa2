"""Predicted time and achieved occupancy of a recorded launch, from its counts and the device's numbers.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.model.data_files import knowledge_folder
from advisor.model.devices import Device
from advisor.model.records import Reading, Record

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_WARP = 32
# A multiply-add counts as two operations in peak rates, and an instruction of a warp has 32 lanes.
_PEAK_OPERATIONS = 2 * _WARP
_ASSUMPTION = (
    "The time is a model's: what DRAM, caches, units, issue, atomics and latency need, overlapped in part. "
    "{share:.0%} of published times lie within {factor:g} times of it."
)
# Resources that one unit serves one after the other: the data stage of L1 is that of shared memory.
_ONE_AFTER_THE_OTHER = ("l1", "shared")
# Stages of one pipeline, of which the slowest sets the pace: schedulers issue to the units that compute, the
# load and store units to the data stage.
_PIPELINES = (("issue", "fp32", "fp64", "special", "multiply"), ("lsu", "data stage"))
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


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Add achieved_occupancy, predicted_ms, time_limiter and dram_norm to simulated kernels."""
    error = prediction_error()
    model = _ASSUMPTION.format(share=error.share, factor=error.time)
    for kernel in kernels:
        blocks = kernel.readings.get("grid_blocks")
        if blocks is None or device.sm_count is None or device.boost_clock is None:
            continue
        assumptions = blocks.assumptions
        spread = _spread(kernel, device)
        if spread is not None:
            kernel.know("simulated", assumptions, achieved_occupancy=spread.achieved)
        if spread is None or device.l2_bytes is None or not _is_counted(kernel):
            continue
        times = _times(kernel, device, spread)
        limiter = max(times, key=lambda name: times[name])
        seconds = joined_time(times)
        if seconds <= 0.0:
            continue
        kernel.know(
            "simulated",
            (*assumptions, model, *_borrowed_latencies(kernel, device)),
            predicted_ms=seconds * 1e3,
            time_limiter=limiter,
            dram_norm=min(1.0, times.get("dram", 0.0) / seconds) if "dram" in times else None,
        )


def resource_times(kernel: Record, device: Device) -> dict[str, float]:
    """The seconds that each resource needs alone for a launch of a kernel; empty without its counts or its
    traffic behind L1, and on a device whose clock or caches are unknown.
    """
    described = None not in (device.sm_count, device.boost_clock, device.l2_bytes)
    if not described or not _is_counted(kernel):
        return {}
    spread = _spread(kernel, device)
    return {} if spread is None else _times(kernel, device, spread)


def _is_counted(kernel: Record) -> bool:
    """Whether the counts that a time is made of are known.

    What a launch moves behind L1 is often most of its time. It is unknown on another device than that of the
    record, and where no access was looked at.
    """
    accesses = bool(_number(kernel, "l1_sectors"))
    needed = ("issue_slots", *(("l2_sectors", "dram_bytes") if accesses else ()))
    return all(name in kernel.readings for name in needed)


def dram_rate(device: Device) -> float | None:
    """The bytes in a second that DRAM attains, None where its peak is unknown."""
    peak, share = device.dram_bandwidth, device.dram_share
    return None if peak is None else (_numbers()["dram_share"] if share is None else share) * peak


@dataclass(frozen=True)
class _Spread:
    """How the blocks lie over the SMs: SMs that are busy on average, waves of blocks, achieved occupancy."""

    processors: float
    waves: int
    achieved: float


def _number(kernel: Record, metric: str) -> float | None:
    reading = kernel.readings.get(metric, Reading(""))
    return float(reading.value) if isinstance(reading.value, int | float) else None


def _spread(kernel: Record, device: Device) -> _Spread | None:
    blocks = _number(kernel, "grid_blocks")
    resident = _number(kernel, "resident_blocks")
    theoretical = _number(kernel, "theoretical_occupancy")
    if not blocks or not resident or theoretical is None or device.sm_count is None:
        return None
    processors = device.sm_count
    waves = math.ceil(blocks / (processors * resident))
    balance = _number(kernel, "warp_balance")
    achieved = theoretical * blocks / (waves * processors * resident) * (1.0 if balance is None else balance)
    return _Spread(blocks / math.ceil(blocks / processors), waves, achieved)


def _times(kernel: Record, device: Device, spread: _Spread) -> dict[str, float]:
    """The seconds that each resource needs alone; one whose numbers are unknown is left out."""
    numbers = _numbers()
    clock = device.boost_clock or 1.0
    cycles = spread.processors * clock
    rates: dict[str, tuple[str, float | None]] = {
        "issue": ("issue_slots", numbers["issues_per_cycle"] * cycles),
        "special": ("special_slots", numbers["special_per_cycle"] * cycles),
        "multiply": ("multiply_slots", _by_capability("multiply_lanes", device) / _WARP * cycles),
        "fp32": ("fp32_slots", _peak(device.fp32_peak, device, spread)),
        "fp64": ("fp64_slots", _peak(device.fp64_peak, device, spread)),
        "dram": ("dram_bytes", dram_rate(device)),
    }
    found = {}
    for name, (metric, rate) in rates.items():
        amount = _number(kernel, metric)
        if amount is not None and rate:
            found[name] = amount / rate
    memory = {
        "l2": _l2_cycles(kernel),
        "l1": _l1_cycles(kernel),
        "shared": _shared_cycles(kernel),
        "lsu": _issued_cycles(kernel, device),
    }
    found.update({name: needed / cycles for name, needed in memory.items() if needed is not None})
    contended = _contended_cycles(kernel)
    if contended is not None:
        found["atomics"] = contended / clock
    found["latency"] = spread.waves * _warp_cycles(kernel, device) / clock
    return found


def _l2_cycles(kernel: Record) -> float | None:
    """The cycles of all multiprocessors together that sectors take to and from L2.

    A line of which a store writes a part takes several.
    """
    sectors = _number(kernel, "l2_sectors")
    if sectors is None:
        return None
    numbers = _numbers()
    partial = _number(kernel, "partial_store_lines") or 0.0
    return sectors / numbers["l2_sectors_per_cycle"] + partial * numbers["partial_line_cycles"]


def _l1_cycles(kernel: Record) -> float | None:
    """The cycles of L1's slower stage, tags of loaded lines or banks, and of the lines that are stored."""
    loads, lines = _number(kernel, "load_requests"), _number(kernel, "load_lines")
    stored = _number(kernel, "store_lines")
    if loads is None or lines is None or stored is None:
        return None
    # The first line of a load takes a cycle, the others a look-up of a tag each.
    tags = loads + (lines - loads) / _numbers()["l1_tags_per_cycle"]
    return max(tags, _number(kernel, "load_wavefronts") or 0.0) + stored


def _shared_cycles(kernel: Record) -> float | None:
    """The cycles of the wavefronts of shared memory; loads that wider ones bring along have none."""
    wavefronts = _number(kernel, "shared_wavefronts")
    if wavefronts is None:
        return None
    return (wavefronts - (_number(kernel, "joined_wavefronts") or 0.0)) / _numbers()["wavefronts_per_cycle"]


def _issued_cycles(kernel: Record, device: Device) -> float | None:
    """The cycles that all accesses of warps take to be issued, of constant memory one for each address."""
    issued = _number(kernel, "memory_requests")
    if issued is None:
        return None
    constants = (_number(kernel, "constant_addresses") or 0.0) / _numbers()["constant_addresses_per_cycle"]
    return issued * _WARP / _by_capability("load_store_lanes", device) + constants


def _contended_cycles(kernel: Record) -> float | None:
    """The cycles that atomic updates need of one place and of the slice of L2 that does the most of them."""
    updates, sectors = _number(kernel, "hottest_element_updates"), _number(kernel, "hottest_slice_sectors")
    if updates is None or sectors is None:
        return None
    numbers = _numbers()
    return max(updates * numbers["update_cycles"], sectors * numbers["update_sector_cycles"])


def _peak(operations: float | None, device: Device, spread: _Spread) -> float | None:
    """Warp instructions in a second of the SMs that are busy."""
    if operations is None or not device.sm_count:
        return None
    return operations / _PEAK_OPERATIONS * spread.processors / device.sm_count


def _warp_cycles(kernel: Record, device: Device) -> float:
    """The cycles that a block's longest warp waits for its own instructions and loads.

    A block stays until its longest warp is done, whatever the mean of its warps is.
    """
    mean = _chained_cycles(kernel, device) + _waiting_cycles(kernel, device)
    return mean / (_number(kernel, "warp_balance") or 1.0)


def _chained_cycles(kernel: Record, device: Device) -> float:
    """The cycles of the instructions of a warp that need each other's results."""
    steps = {kind: _number(kernel, f"chained_{kind}_steps") for kind in (*_CHAINED, "issue")}
    if all(count is None for count in steps.values()):
        return _slots_of_a_warp(kernel) * latency(device, "arithmetic")
    waited = sum((steps[kind] or 0.0) * latency(device, kind) for kind in _CHAINED)
    return waited + (steps["issue"] or 0.0)


def _slots_of_a_warp(kernel: Record) -> float:
    threads = _number(kernel, "block_threads") or _WARP
    warps = (_number(kernel, "grid_blocks") or 1.0) * math.ceil(threads / _WARP)
    return (_number(kernel, "issue_slots") or 0.0) / warps


def _borrowed_latencies(kernel: Record, device: Device) -> tuple[str, ...]:
    """What is to be said of the latencies that a kernel waits for and the device's file lacks."""
    waited = {kind for kind in _CHAINED if _number(kernel, f"chained_{kind}_steps")}
    if _number(kernel, "loads_per_warp"):
        waited |= {"l1", "l2", "dram"}
    if _number(kernel, "stores_per_warp"):
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


def _waiting_cycles(kernel: Record, device: Device) -> float:
    """The cycles that one warp waits for its loads, in each round for the slowest of them, and its stores."""
    loads = _number(kernel, "loads_per_warp") or 0.0
    rounds = _number(kernel, "load_rounds_per_warp")
    rounds = min(loads, loads if rounds is None else rounds)
    if not rounds:
        return _draining_cycles(kernel, device)
    past_l1, past_l2 = _number(kernel, "loads_past_l1"), _number(kernel, "loads_past_l2")
    # Where nothing is known of the caches each load is taken to come from DRAM.
    past_l1, past_l2 = (1.0, 1.0) if past_l1 is None or past_l2 is None else (past_l1, past_l2)
    behind, beyond = (min(1.0, share * loads / rounds) for share in (past_l1, past_l2))
    l1, l2, dram = (latency(device, place) for place in ("l1", "l2", "dram"))
    return rounds * (l1 + behind * (l2 - l1) + beyond * (dram - l2)) + _draining_cycles(kernel, device)


def _draining_cycles(kernel: Record, device: Device) -> float:
    """The cycles that a warp keeps its place after its end, until L2 has what it stored (Nsight Compute's
    stall reason "drain").
    """
    return min(1.0, _number(kernel, "stores_per_warp") or 0.0) * latency(device, "l2")

"""The time of a kernel, by warp and by element, at a grid that fills the device: from made-up launches.

Nobody chose their sizes, so nothing is told of them as a whole. What a mean block asks for holds of a grid of
as many blocks as the device holds, several times over: docs/decisions/0041.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

from advisor.evidence.metrics.prediction_error import Interval, time_interval
from advisor.evidence.metrics.times.changes import with_occupancy
from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.evidence.metrics.times.possible_times import possible_time
from advisor.model.data_files import knowledge_folder
from advisor.model.devices import Device

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Work = Mapping[str, float]
# Numbers of a warp agree where the least is at least this part of the most, or where they differ by so small
# a part of all instructions; sectors may differ by what follows from where rows begin (docs/decisions/0037).
_ALIKE, _NEXT_TO_NOTHING, _TWICE = 0.9, 0.02, 2.1
# By name, what they count in words.
_SLOTS = {
    "issue_slots": "machine instructions",
    "fp32_slots": "float32 instructions",
    "fp64_slots": "float64 instructions",
    "multiply_slots": "integer multiplications",
    "special_slots": "instructions of the special function unit",
}
_REQUESTS = {
    "memory_requests": "requests of memory",
    "load_requests": "loads of global memory",
    "shared_wavefronts": "wavefronts of shared memory",
    "constant_addresses": "addresses in constant memory",
}
_SECTORS = {"load_sectors": "sectors of loads", "l1_sectors": "sectors"}
# Of a warp, or the same for a grid of any size.
OF_ANY_GRID = frozenset(
    {
        "block_threads", "shared_bytes", "warp_balance", "warp_execution_efficiency",
        "chained_arithmetic_steps", "chained_fp64_steps", "chained_special_steps", "chained_shared_steps",
        "chained_issue_steps", "loads_per_warp", "load_rounds_per_warp", "stores_per_warp", "loads_past_l1",
    }
)  # fmt: skip
_BEHIND_L1 = ("l2_sectors", "dram_bytes", "needed_load_sectors", "needed_dram_bytes")
_CONTENDED = ("hottest_element_updates", "hottest_slice_sectors")


@dataclass(frozen=True, slots=True)
class TimeOfElements:
    """Seconds for each thread of a grid that fills a device, and for each warp, by the bounds of the counts.

    `limiters` are what most of the least and of the most time comes from.
    """

    least: float
    most: float
    least_of_warp: float
    most_of_warp: float
    limiters: tuple[str, str]

    @property
    def interval(self) -> Interval:
        """Where the seconds of an element lie on a GPU, as far as published times tell."""
        return Interval(time_interval(self.least).low, time_interval(self.most).high)

    @property
    def interval_of_warp(self) -> Interval:
        """The same of a warp."""
        return Interval(time_interval(self.least_of_warp).low, time_interval(self.most_of_warp).high)


@dataclass(frozen=True, slots=True)
class FilledDevice:
    """A kernel at a grid that fills a device: the counts that it may have, two for each made-up launch.

    `time` is None where these launches differ in what a warp does, or where a number is missing; `unknown`
    says why, in a sentence. What is changed of the kernel is asked of `possible` all the same: `time_with`.
    """

    possible: tuple[LaunchCounts, ...]
    time: TimeOfElements | None
    unknown: str = ""


@cache
def waves_of_grid() -> int:
    """How many times over the blocks of the grid fill the device."""
    path = knowledge_folder() / "machine" / "synthesis.toml"
    return int(tomllib.loads(path.read_text(encoding="utf-8"))["filled"]["waves"])


def filled_device(works: Sequence[Work], registers: float | None, device: Device) -> FilledDevice:
    """A kernel at a grid that fills a device, by the work of a mean block of each launch that was made up.

    `registers` are those of a thread.
    """
    if not works:
        return FilledDevice((), None, "Not all launches that were made up stayed within their arrays.")
    if registers is None:
        return FilledDevice((), None, "The registers of a thread are not known.")
    found: list[LaunchCounts] = []
    for work in works:
        pair = _counts(work, registers, device)
        if pair is None:
            return FilledDevice((), None, f"What {device.name} holds of its blocks is not known.")
        found += pair
    possible = tuple(found)
    difference = _difference(works)
    if difference:
        return FilledDevice(possible, None, difference)
    time = _time_of_elements(possible, device)
    unknown = "" if time else f"The file of {device.name} has no clock or no caches."
    return FilledDevice(possible, time, unknown)


def _counts(work: Work, registers: float, device: Device) -> tuple[LaunchCounts, LaunchCounts] | None:
    """The least and the most counts of a grid that fills the device."""
    threads, shared = work["block_threads"], work["shared_bytes"]
    block = with_occupancy(
        LaunchCounts(block_threads=threads, shared_bytes=shared, registers=registers), device
    )
    if block is None or not device.sm_count:
        return None
    blocks = (block.resident_blocks or 0.0) * device.sm_count * waves_of_grid()
    least, most = (
        LaunchCounts(
            **_scaled(work, blocks),
            **_bounded(work, blocks, bound),
            grid_blocks=blocks,
            registers=registers,
            resident_blocks=block.resident_blocks,
            theoretical_occupancy=block.theoretical_occupancy,
        )
        for bound in ("least", "most")
    )
    return least, most


def _scaled(work: Work, blocks: float) -> dict[str, float]:
    """What each further block brings as much of, and what is the same for all grids."""
    return {
        name: value if name in OF_ANY_GRID else value * blocks
        for name, value in work.items()
        if name in _COUNTS
    }


def _bounded(work: Work, blocks: float, bound: str) -> dict[str, float]:
    """What other blocks share: the traffic behind L1, and the updates of one place."""
    shared = (one for one in _BEHIND_L1 if f"{bound}_{one}" in work)
    found = {name: work[f"{bound}_{name}"] * blocks for name in shared}
    for name in _CONTENDED:
        if f"seen_{name}" in work:
            found[name] = max(work[f"seen_{name}"], work[f"{bound}_{name}"] * blocks)
    past = work.get("loads_past_l1")
    if past is not None:
        # As large a part of these loads waits for DRAM as of the sectors comes from there.
        moved, misses = work[f"{bound}_dram_bytes"], work["most_dram_bytes"]
        found["loads_past_l2"] = past * moved / misses if misses else 0.0
    return found


_COUNTS = frozenset(one.name for one in fields(LaunchCounts))


def _time_of_elements(possible: Sequence[LaunchCounts], device: Device) -> TimeOfElements | None:
    found = []
    for counts in possible:
        time = possible_time((counts,), device)
        threads = (counts.grid_blocks or 0.0) * (counts.block_threads or 0.0)
        if time is None or not threads or not counts.warps:
            return None
        found.append((time.least / threads, time.least / counts.warps, time.limiters[0]))
    (least, _, first), (most, _, last) = min(found), max(found)
    of_warps = [one[1] for one in found]
    return TimeOfElements(least, most, min(of_warps), max(of_warps), (first, last))


def _difference(works: Sequence[Work]) -> str:
    """A sentence where launches differ in what a warp does; empty where they agree."""
    if not all(work["blocks_alike"] for work in works):
        return "Blocks of the launches that were made up do different amounts of work."
    each = [_of_a_warp(work) for work in works]
    slots = [one["issue_slots"] for one in each]
    if not _agree(slots, 0.0):
        return (
            f"Launches that were made up differ in the machine instructions of a warp{_of(slots)}: "
            "they follow from sizes or data."
        )
    small = _NEXT_TO_NOTHING * max(slots)
    for name, words in (_SLOTS | _REQUESTS).items():
        counts = [one.get(name, 0.0) for one in each]
        if not _agree(counts, small):
            return f"Launches that were made up differ in the {words} of a warp{_of(counts)}."
    for name, words in _SECTORS.items():
        values = [one.get(name, 0.0) for one in each]
        if max(values) > _TWICE * min(values) + small:
            return f"Launches that were made up differ in the {words} of a warp{_of(values)}."
    return ""


def _of(counts: Sequence[float]) -> str:
    return f", {min(counts):,.0f} to {max(counts):,.0f}"


def _of_a_warp(work: Work) -> dict[str, float]:
    warps = LaunchCounts(grid_blocks=1.0, block_threads=work["block_threads"]).warps or 1.0
    return {name: work.get(name, 0.0) / warps for name in (*_SLOTS, *_REQUESTS, *_SECTORS)}


def _agree(values: Sequence[float], small: float) -> bool:
    return min(values) >= _ALIKE * max(values) or max(values) - min(values) <= small

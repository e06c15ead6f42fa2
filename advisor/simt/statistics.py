"""What an execution tells of a kernel: totals, and counts by source line and array.

Counts are those of all blocks where all ran, else of the blocks that did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from advisor.simt.instruction_costs import cost_of
from advisor.simt.launch import Extent, Launch
from advisor.simt.machine import Execution
from advisor.simt.ptx_program import Location
from advisor.simt.vector.kernels import Kernel
from advisor.simt.vector.layout import Site, Space, Status
from advisor.simt.vector.sites import Access

WARP = 32
_SECTOR = 32
_BANK_ROW = 128
_SPACE_NAMES = {
    Space.GLOBAL: "global", Space.SHARED: "shared", Space.LOCAL: "local", Space.GENERIC: "global",
    Space.CONSTANT: "constant",
}  # fmt: skip


@dataclass
class AccessCounts:
    """The memory instructions of one line to one array: requests of warps, and what they moved.

    `bytes` are those that lanes asked for. `ideal` are the sectors, and `ideal_wavefronts` the wavefronts of
    shared memory, that the same bytes need at least. The cache counts are those of the detailed blocks.
    """

    path: str
    line: int
    array: str
    space: str
    kind: str
    requests: int = 0
    lanes: int = 0
    bytes: int = 0
    sectors: int = 0
    ideal: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    distinct: int = 0
    most_same: int = 0
    l1_sectors: int = 0
    l1_hits: int = 0
    l2_sectors: int = 0
    l2_hits: int = 0


@dataclass
class BranchCounts:
    """The conditional branches of one line: how often warps ran them, and how often their lanes parted."""

    path: str
    line: int
    executions: int = 0
    divided: int = 0


@dataclass
class Statistics:
    """The counts of one launch.

    `warp_instructions` and `lane_instructions` are PTX instructions executed by warps and by lanes; `slots` are
    machine instructions by unit, estimated; `flops` floating point operations by precision.
    """

    grid: Extent
    block: Extent
    blocks: int
    blocks_run: int
    detailed: int
    ended: bool
    warps: int = 0
    warp_instructions: int = 0
    lane_instructions: int = 0
    loads_of_a_warp: float = 0.0
    slots: dict[str, int] = field(default_factory=dict)
    flops: dict[str, int] = field(default_factory=dict)
    loaded_sectors: int = 0
    stored_sectors: int = 0
    barriers: int = 0
    shared_bytes: int = 0
    local_bytes: int = 0
    accesses: list[AccessCounts] = field(default_factory=list)
    branches: list[BranchCounts] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """The statistics as plain data for a store."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Statistics:
        """The statistics that a store held."""
        plain = {name: value for name, value in data.items() if name not in ("accesses", "branches")}
        for name in ("grid", "block"):
            plain[name] = tuple(plain[name])
        return cls(
            **plain,
            accesses=[AccessCounts(**one) for one in data["accesses"]],
            branches=[BranchCounts(**one) for one in data["branches"]],
        )


def statistics(
    kernel: Kernel, launch: Launch, execution: Execution, array_names: dict[str, str]
) -> Statistics:
    """The statistics of an execution; `array_names` gives the names of the arrays by PTX parameter."""
    warps = -(-launch.threads_in_block // WARP)
    found = Statistics(
        launch.grid, launch.block, launch.blocks, execution.blocks_run, execution.detailed,
        execution.status == Status.DONE, warps * execution.blocks_run,
        loaded_sectors=execution.loaded_sectors, stored_sectors=execution.stored_sectors,
        barriers=execution.barriers, local_bytes=kernel.warp.placement.local_size,
        shared_bytes=kernel.warp.placement.shared_size + launch.dynamic_shared,
    )  # fmt: skip
    _count_instructions(found, kernel, execution)
    found.accesses = _accesses(kernel, execution, array_names)
    found.branches = _branches(kernel, execution)
    loads = sum(one.requests for one in found.accesses if one.kind != "store" and one.space != "shared")
    found.loads_of_a_warp = loads / max(1, found.warps)
    return found


def _count_instructions(found: Statistics, kernel: Kernel, execution: Execution) -> None:
    for block in kernel.warp.flow.blocks:
        runs = int(execution.block_runs[block.number])
        lanes = int(execution.block_lanes[block.number])
        items = kernel.function.instructions[block.first : block.last]
        found.warp_instructions += runs * len(items)
        found.lane_instructions += lanes * len(items)
        for item in items:
            cost = cost_of(item)
            found.slots[cost.unit] = found.slots.get(cost.unit, 0) + runs * cost.slots
            if cost.flops:
                precision = item.types[0]
                found.flops[precision] = found.flops.get(precision, 0) + lanes * cost.flops


def place_of(location: Location | None) -> tuple[str, int]:
    """File and line of an instruction: those of the innermost function that it came from."""
    return (location.file, location.line) if location is not None else ("", 0)


def _accesses(kernel: Kernel, execution: Execution, names: dict[str, str]) -> list[AccessCounts]:
    blocks = _block_of_instruction(kernel)
    found: dict[tuple[Any, ...], AccessCounts] = {}
    for at, access in kernel.warp.accesses.items():
        if at not in blocks:
            continue
        path, line = place_of(kernel.function.instructions[at].location)
        kind = "atomic" if access.atomic else "store" if access.writes else "load"
        array = names.get(access.root or "", "" if access.root is None else access.root)
        space = _SPACE_NAMES[access.space]
        key = (path, line, array, space, kind)
        counts = found.setdefault(key, AccessCounts(*key))
        _add(counts, access, execution, blocks[at], kernel.function.instructions[at].predicate is not None)
    return list(found.values())


def _add(counts: AccessCounts, access: Access, execution: Execution, block: int, predicated: bool) -> None:
    row = execution.sites[access.number]
    requests = int(row[Site.REQUESTS] if predicated else execution.block_runs[block])
    lanes = int(row[Site.LANES] if predicated else execution.block_lanes[block])
    counts.requests += requests
    counts.lanes += lanes
    counts.bytes += lanes * access.size
    counts.sectors += int(row[Site.SECTORS])
    counts.ideal += int(row[Site.IDEAL])
    counts.wavefronts += int(row[Site.WAVEFRONTS])
    if access.space == Space.SHARED and requests:
        counts.ideal_wavefronts += requests * max(1, -(-lanes * access.size // (requests * _BANK_ROW)))
    counts.distinct += int(row[Site.DISTINCT])
    counts.most_same += int(row[Site.MOST_SAME])
    counts.l1_sectors += int(row[Site.L1_SECTORS])
    counts.l1_hits += int(row[Site.L1_HITS])
    counts.l2_sectors += int(row[Site.L2_SECTORS])
    counts.l2_hits += int(row[Site.L2_HITS])


def _block_of_instruction(kernel: Kernel) -> dict[int, int]:
    return {
        at: block.number
        for block in kernel.warp.flow.blocks
        for at in range(block.first, block.last)
    }


def _branches(kernel: Kernel, execution: Execution) -> list[BranchCounts]:
    found: dict[tuple[str, int], BranchCounts] = {}
    for block in kernel.warp.flow.blocks:
        if len(block.successors) != 2:
            continue
        path, line = place_of(kernel.function.instructions[block.last - 1].location)
        counts = found.setdefault((path, line), BranchCounts(path, line))
        counts.executions += int(execution.block_runs[block.number])
        counts.divided += int(execution.divisions[block.number])
    return list(found.values())


def total(counts: Sequence[AccessCounts], name: str, *spaces: str) -> int:
    """The sum of one count over the accesses of some spaces, of all where none is given."""
    return sum(getattr(one, name) for one in counts if not spaces or one.space in spaces)


__all__ = ["AccessCounts", "BranchCounts", "Statistics", "np", "statistics", "total"]

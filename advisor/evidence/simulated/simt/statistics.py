"""What an execution tells of a kernel: totals, and counts by source line and array.

Counts are those of all blocks where all ran, else of the blocks that did.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from advisor.evidence.simulated.simt.counts import WARP, AccessCounts, BranchCounts, Statistics
from advisor.evidence.simulated.simt.instruction_costs import (
    cost_of,
    is_product,
    precision_of,
    product_operations,
)
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import Execution
from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction, Location
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import Site, Space, Status
from advisor.evidence.simulated.simt.vector.sites import Access

_SPACE_NAMES = {
    Space.GLOBAL: "global", Space.SHARED: "shared", Space.LOCAL: "local", Space.GENERIC: "global",
    Space.CONSTANT: "constant",
}  # fmt: skip


def statistics(
    kernel: Kernel, launch: Launch, execution: Execution, array_names: dict[str, str]
) -> Statistics:
    """The statistics of an execution; `array_names` gives the names of the arrays by PTX parameter."""
    warps = -(-launch.threads_in_block // WARP)
    found = Statistics(
        launch.grid, launch.block, launch.blocks, execution.blocks_run, execution.detailed,
        execution.status == Status.DONE, warps * execution.blocks_run,
        loaded_sectors=execution.loaded_sectors, stored_sectors=execution.stored_sectors,
        wave_sectors=execution.wave_sectors, wave_blocks=execution.wave_blocks, barriers=execution.barriers,
        balance=execution.balance, local_bytes=kernel.warp.placement.local_size,
        shared_bytes=kernel.warp.placement.shared_size + launch.dynamic_shared,
    )  # fmt: skip
    if execution.unused_parts is not None:
        found.unused_of_loaded, found.unused_of_stored = execution.unused_parts
    if execution.hottest is not None:
        found.hottest_updates, found.hottest_slice_sectors = execution.hottest
    _count_instructions(found, kernel, execution)
    found.accesses = _accesses(kernel, execution, array_names)
    found.fetches_of_a_sector = _fetches(found.accesses, execution)
    found.branches = _branches(kernel, execution)
    loads = sum(one.requests for one in found.accesses if one.kind != "store" and one.space != "shared")
    found.loads_of_a_warp = loads / max(1, found.warps)
    found.load_rounds_of_a_warp = _load_rounds(kernel, execution) / max(1, found.warps)
    found.chain_of_a_warp = _chain(kernel, execution, max(1, found.warps))
    return found


def _fetches(accesses: list[AccessCounts], execution: Execution) -> float | None:
    """How often L2 was without a sector that the blocks looked at closely asked for, for each of these."""
    if not execution.detailed_sectors:
        return None
    return sum(one.l2_sectors - one.l2_hits for one in accesses) / execution.detailed_sectors


def _chain(kernel: Kernel, execution: Execution, warps: int) -> dict[str, float]:
    steps: Counter[str] = Counter()
    for block, chain in zip(kernel.warp.blocks, kernel.chains, strict=True):
        runs = int(execution.block_runs[block.number])
        steps.update({kind: runs * count for kind, count in chain.items()})
    return {kind: count / warps for kind, count in sorted(steps.items())}


def _load_rounds(kernel: Kernel, execution: Execution) -> int:
    return sum(
        int(execution.block_runs[block.number]) * rounds
        for block, rounds in zip(kernel.warp.blocks, kernel.load_rounds, strict=True)
    )


def _count_instructions(found: Statistics, kernel: Kernel, execution: Execution) -> None:
    for block in kernel.warp.blocks:
        runs = int(execution.block_runs[block.number])
        lanes = int(execution.block_lanes[block.number])
        items = kernel.function.instructions[block.first : block.last]
        found.warp_instructions += runs * len(items)
        found.lane_instructions += lanes * len(items)
        for item, slots in zip(items, kernel.slots[block.first : block.last], strict=True):
            cost = cost_of(item)
            found.slots[cost.unit] = found.slots.get(cost.unit, 0) + runs * slots
            if cost.flops:
                precision = precision_of(item)
                found.flops[precision] = found.flops.get(precision, 0) + lanes * cost.flops
            if is_product(item):
                factors = precision_of(item)
                found.products[factors] = found.products.get(factors, 0) + lanes * product_operations(item)


def place_of(location: Location | None) -> tuple[str, int]:
    """File and line of an instruction: those of the innermost function that it came from."""
    return (location.file, location.line) if location is not None else ("", 0)


def _accesses(kernel: Kernel, execution: Execution, names: dict[str, str]) -> list[AccessCounts]:
    blocks = _block_of_instruction(kernel)
    found: dict[tuple[Any, ...], AccessCounts] = {}
    for access in kernel.warp.accesses.values():
        at = access.instruction
        if at not in blocks or not access.counted:
            continue
        path, line = place_of(kernel.function.instructions[at].location)
        kind = "atomic" if access.atomic else "store" if access.writes else "load"
        array = names.get(access.root or "", "" if access.root is None else access.root)
        space = _SPACE_NAMES[access.space]
        key = (path, line, array, space, kind)
        counts = found.setdefault(key, AccessCounts(*key))
        counted = access.own_lanes or kernel.function.instructions[at].predicate is not None
        _add(counts, access, execution, blocks[at], counted)
        if not _is_by_one_lane(kernel.function.instructions[at]):
            counts.executions += int(execution.block_runs[blocks[at]])
        if at in kernel.joined_loads:
            counts.joined_requests += int(execution.block_runs[blocks[at]])
            counts.joined_wavefronts += int(execution.sites[access.number][Site.WAVEFRONTS])
    return list(found.values())


def _add(counts: AccessCounts, access: Access, execution: Execution, block: int, counted: bool) -> None:
    """Add what a site says; its requests and lanes where it `counted` them, else those of its block."""
    row = execution.sites[access.number]
    requests = int(row[Site.REQUESTS] if counted else execution.block_runs[block])
    lanes = int(row[Site.LANES] if counted else execution.block_lanes[block])
    counts.requests += requests
    counts.lanes += lanes
    counts.bytes += lanes * access.size
    counts.sectors += int(row[Site.SECTORS])
    counts.lines += int(row[Site.LINES])
    counts.ideal += int(row[Site.IDEAL])
    counts.wavefronts += int(row[Site.WAVEFRONTS])
    counts.ideal_wavefronts += int(row[Site.IDEAL_WAVEFRONTS])
    counts.distinct += int(row[Site.DISTINCT])
    counts.most_same += int(row[Site.MOST_SAME])
    counts.l1_sectors += int(row[Site.L1_SECTORS])
    counts.l1_hits += int(row[Site.L1_HITS])
    counts.l2_sectors += int(row[Site.L2_SECTORS])
    counts.l2_hits += int(row[Site.L2_HITS])
    counts.looked_up += int(row[Site.LOOKED_UP])
    counts.l1_wavefronts += int(row[Site.L1_WAVEFRONTS])
    counts.past_l1 += int(row[Site.PAST_L1])
    counts.past_l2 += int(row[Site.PAST_L2])
    steps = [*counts.steps, int(row[Site.STEP_LOW]), int(row[Site.STEP_HIGH])]
    if row[Site.STEP_LOW] <= row[Site.STEP_HIGH]:
        counts.steps = [min(steps), max(steps)]


def _is_by_one_lane(item: Instruction) -> bool:
    """Whether a lane, or a group of warps, asks for what many lanes would: none of a warp's lanes is idle."""
    return item.opcode == "wgmma" or (item.opcode == "cp" and "bulk" in item.modifiers)


def _block_of_instruction(kernel: Kernel) -> dict[int, int]:
    return {at: block.number for block in kernel.warp.blocks for at in range(block.first, block.last)}


def _branches(kernel: Kernel, execution: Execution) -> list[BranchCounts]:
    found: dict[tuple[str, int], BranchCounts] = {}
    for block in kernel.warp.blocks:
        if len(block.successors) != 2:
            continue
        path, line = place_of(kernel.function.instructions[block.last - 1].location)
        counts = found.setdefault((path, line), BranchCounts(path, line))
        counts.executions += int(execution.block_runs[block.number])
        counts.divided += int(execution.divisions[block.number])
    return list(found.values())

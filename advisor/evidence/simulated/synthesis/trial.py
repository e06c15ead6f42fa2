"""One launch that was made up, run in a few of its blocks: what it counted and where it left its arrays."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from advisor.evidence.simulated.simt.counts import WARP, Statistics
from advisor.evidence.simulated.simt.launch import Extent, Launch
from advisor.evidence.simulated.simt.machine import CacheSizes, Execution, Settings, run
from advisor.evidence.simulated.simt.statistics import place_of, statistics
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import Defect, Status
from advisor.evidence.simulated.simt.vector.sites import Access
from advisor.evidence.simulated.synthesis.arguments import Arguments
from advisor.evidence.simulated.synthesis.size_choices import Blocks, close_look, most_blocks

# Blocks that are run beside the first one, by the parts of the grid along each axis that lie before them.
_SPREAD = (
    (0.2, 0.5, 0.8), (0.35, 0.8, 0.5), (0.5, 0.35, 0.2), (0.65, 0.2, 0.65), (0.8, 0.65, 0.35),
)  # fmt: skip
# Accesses out of bounds that are told one by one; of a launch with more nothing is published.
_MOST_DEFECTS = 1 << 13
# What a kernel cannot have meant.
_BAD = frozenset({Defect.OUT_OF_BOUNDS, Defect.MISALIGNED, Defect.TRAP})


@dataclass(frozen=True)
class Bounds:
    """What one launch may cost: ways back to the heads of loops in all warps together, and seconds.

    The first is the same on every machine; the second is there for what the first does not bound.
    """

    loops: int
    seconds: float


@dataclass
class Overrun:
    """How far accesses left an array: bytes before its begin and behind its end, 0 where none did."""

    before: int = 0
    behind: int = 0


@dataclass(frozen=True)
class Trial:
    """What was seen of a launch.

    `overruns` are by array, `strays` the lines of which an access left its array, was not aligned, or ended
    the launch. `all_strays` says whether these are all; `out_of_bounds` counts accesses of lanes. `alike`
    says whether all warps may have executed the same: each instruction as often as there are warps, or a
    multiple of that. `close` are the counts of a few of the blocks that were run once more, each with its own
    share of L1; None where the launch was not clean.
    """

    counted: Statistics
    ended: bool
    out_of_bounds: int
    overruns: dict[str, Overrun] = field(default_factory=dict)
    strays: frozenset[tuple[str, int]] = frozenset()
    all_strays: bool = True
    alike: bool = True
    close: Statistics | None = None

    @property
    def active(self) -> float:
        """The part of lanes that were active, of those that a warp of this block can have."""
        lanes = min(WARP, math.prod(self.counted.block))
        return self.counted.lane_instructions / max(1, lanes * self.counted.warp_instructions)

    @property
    def clean(self) -> bool:
        """Whether the launch came to its end and every access stayed in its array."""
        return self.ended and not self.strays and self.all_strays


def sampled_blocks(grid: Extent, blocks: Blocks = "some") -> list[int]:
    """The numbers of the blocks to run: the first, and some inner ones; only `inner` ones, where there are
    any; or `all`, of many as many as the limit, spread over the grid.

    The last block along an axis has threads beyond the data where a size is no multiple of the block's. It is
    one of many where a grid fills a device, so of a few blocks it is none, unless there are no others.
    """
    if blocks == "all":
        count = math.prod(grid)
        return [int(one) for one in np.unique(np.linspace(0, count - 1, min(count, most_blocks())).round())]
    inner = [max(1, extent - 1) for extent in grid]
    numbers = {0}
    for parts in _SPREAD:
        x, y, z = (int(part * extent) for part, extent in zip(parts, inner, strict=True))
        at = x, y, z
        if blocks == "some" or all(one or extent == 1 for one, extent in zip(at, grid, strict=True)):
            numbers.add(x + grid[0] * (y + grid[1] * z))
    return sorted(numbers - {0} if blocks == "inner" and len(numbers) > 1 else numbers)


def shared_aliases(kernel: Kernel, first: Kernel) -> dict[str, str]:
    """The names of a kernel's arrays in shared memory in the code of its first typing: Numba numbers them."""
    return dict(zip(_shared_arrays(kernel), _shared_arrays(first), strict=False))


def _shared_arrays(kernel: Kernel) -> list[str]:
    variables = (*kernel.module.variables.values(), *kernel.function.variables)
    placed = kernel.warp.placement.shared
    # `_cudapy_smem_10` comes behind `_cudapy_smem_9`.
    return sorted((one.name for one in variables if one.name in placed), key=lambda name: (len(name), name))


def run_trial(
    kernel: Kernel,
    grid: Extent,
    block: Extent,
    dynamic_shared: int,
    arguments: Arguments,
    bounds: Bounds,
    aliases: Mapping[str, str],
    blocks: Blocks = "some",
) -> Trial:
    """What some blocks of a launch show; `aliases` are names of arrays in shared memory."""
    launch = Launch(grid, block, arguments.parameters, dynamic_shared, False, arguments.arrays)
    settings = Settings(
        budget=bounds.loops,
        seconds=bounds.seconds,
        blocks=sampled_blocks(grid, blocks),
        most_defects=_MOST_DEFECTS,
        silent=True,
    )
    execution = run(kernel, launch, arguments.memory, settings)
    names = {**arguments.names, **aliases}
    counted = statistics(kernel, launch, execution, names)
    trial = _trial(kernel, counted, execution, arguments)
    if not trial.clean or blocks != "some":
        return trial
    return replace(trial, close=_close_look(kernel, launch, arguments, settings, names))


def _close_look(
    kernel: Kernel, launch: Launch, arguments: Arguments, settings: Settings, names: dict[str, str]
) -> Statistics | None:
    """The counts of a few of the blocks, looked up in L1; None where they do not come to their end."""
    sizes = close_look()
    blocks = (settings.blocks or [0])[: sizes.blocks]
    shared = kernel.warp.placement.shared_size + launch.dynamic_shared
    l1 = max(launch.threads_in_block * sizes.l1_bytes_per_thread - shared, sizes.least_l1_bytes)
    # No two of the blocks on one multiprocessor.
    processors = next(one for one in count(len(blocks)) if len({b % one for b in blocks}) == len(blocks))
    closely = replace(
        settings,
        blocks=blocks,
        detailed_lanes=sizes.lanes,
        caches=CacheSizes(l1, sizes.l2_bytes, processors),
        most_defects=0,
    )
    execution = run(kernel, launch, arguments.memory, closely)
    seen = statistics(kernel, launch, execution, names)
    return seen if seen.ended and seen.detailed else None


def _trial(kernel: Kernel, counted: Statistics, execution: Execution, arguments: Arguments) -> Trial:
    by_number = {access.number: access for access in kernel.warp.accesses.values()}
    overruns: dict[str, Overrun] = defaultdict(Overrun)
    strays: set[tuple[str, int]] = set()
    out_of_bounds = 0
    for defect in execution.defects:
        if defect.kind == Defect.TRAP:
            strays.add(_place_of_line(kernel, defect.address))
        elif defect.kind in _BAD:
            access = by_number[defect.access]
            strays.add(place_of(kernel.function.instructions[access.instruction].location))
            if defect.kind == Defect.OUT_OF_BOUNDS:
                out_of_bounds += 1
                _note(overruns, access, defect.address, arguments)
    more = execution.defect_count > len(execution.defects)
    if more and execution.defects:
        out_of_bounds = int(out_of_bounds / len(execution.defects) * execution.defect_count)
    ended = execution.status == Status.DONE
    alike = not np.any(execution.block_runs % max(1, counted.warps))
    return Trial(counted, ended, out_of_bounds, dict(overruns), frozenset(strays), not more, bool(alike))


def _place_of_line(kernel: Kernel, text_line: int) -> tuple[str, int]:
    items = (item for item in kernel.function.instructions if item.text_line == text_line)
    return place_of(next((item.location for item in items), None))


def _note(overruns: dict[str, Overrun], access: Access, address: int, arguments: Arguments) -> None:
    name = arguments.names.get(access.root or "")
    if name is None:
        return
    span, overrun = arguments.spans[name], overruns[name]
    overrun.before = max(overrun.before, span.begin - address)
    overrun.behind = max(overrun.behind, address + access.size - span.end)

"""The card of a launch: grid and block, how they fill the device, and the last wave of blocks."""

from __future__ import annotations

import math

from advisor.model.devices import Device
from advisor.model.text.source_text import SourceText
from advisor.rules.units import RATIO, format_value
from lsp_server.numbers.access_card import text_at
from lsp_server.numbers.cards import Card, Grid
from lsp_server.numbers.known import Known
from lsp_server.numbers.occupancies import occupancy_on
from lsp_server.numbers.rows import Row

_Line = tuple[str, str, str]
_HEAD = ("", "value", "evidence")


def launch_card(launch: Row, known: Known, source: SourceText) -> Card:
    """What is known of a launch and of the kernel that it starts."""
    kernel, device = known.owner(launch, "kernel"), known.device
    blocks, from_run = _blocks(launch, kernel, known)
    provided_by = _told(kernel, "grid_blocks") if kernel is not None and from_run else ""
    warp = device.warp_size if device is not None else None
    lines = [*_shape(launch, blocks, provided_by, warp)]
    if kernel is not None and device is not None:
        lines += _filling(launch, kernel, device, blocks)
    told = kernel.assumptions(("registers", *(("grid_blocks",) if from_run else ()))) if kernel else ()
    name = kernel.label if kernel is not None else launch.label
    grids = (Grid("", (_HEAD, *lines)),) if lines else ()
    return Card(text_at(source, launch.span), f"launch of `{name}`", (), grids, told)


def _blocks(launch: Row, kernel: Row | None, known: Known) -> tuple[float | None, bool]:
    """The blocks of the grid, and whether a recorded launch told them: of the kernel's only launch."""
    blocks = launch.amount("blocks")
    if blocks is not None or kernel is None or len(known.owned("launch", kernel)) != 1:
        return blocks, False
    return kernel.amount("grid_blocks"), True


def _shape(launch: Row, blocks: float | None, provided_by: str, warp: int | None) -> list[_Line]:
    lines = []
    if blocks is not None:
        lines.append(("grid", _plural(blocks, "block"), provided_by or _told(launch, "blocks")))
    threads = launch.amount("block_threads")
    if threads is not None:
        axes = [launch.amount(f"block_{axis}") for axis in "xyz"]
        sizes = [f"{size:.0f}" for size in axes if size is not None]
        while len(sizes) > 1 and sizes[-1] == "1":
            sizes.pop()
        shape = f"{' x '.join(sizes)} = " if len(sizes) > 1 else ""
        warps = f", {_plural(math.ceil(threads / warp), 'warp')}" if warp else ""
        told = _told(launch, "block_threads")
        lines.append(("block", f"{shape}{_plural(threads, 'thread')}{warps}", told))
    partial = launch.amount("partial_warp_lanes")
    if partial:
        told = _told(launch, "partial_warp_lanes")
        lines.append(("last warp of each block", f"{_plural(partial, 'lane')} in use", told))
    dynamic = launch.amount("dynamic_shared_bytes")
    if dynamic:
        lines.append(
            ("dynamic shared memory", f"{dynamic:.0f} B a block", _told(launch, "dynamic_shared_bytes"))
        )
    return lines


def _filling(launch: Row, kernel: Row, device: Device, blocks: float | None) -> list[_Line]:
    threads = launch.amount("block_threads")
    if not threads:
        return []
    found = occupancy_on(device, kernel, threads, launch.amount("dynamic_shared_bytes") or 0.0)
    if found is None:
        return []
    told = _told(kernel, "registers")
    lines = [
        (
            f"occupancy on {device.name}",
            f"{format_value(found.ratio, RATIO)}, limited by {found.limiter}",
            told,
        ),
        ("resident at a time", f"{_plural(found.resident_blocks, 'block')} on each SM", told),
    ]
    together = found.resident_blocks * (device.sm_count or 0)
    if blocks and together:
        waves = blocks / together
        last = (blocks - 1) % together + 1
        lines.append(("waves", f"{waves:.3g}", told))
        lines.append(("tail", f"the last wave fills {format_value(last / together, RATIO)} of the SMs", told))
    return lines


def _told(row: Row, metric: str) -> str:
    return row.told(metric)


def _plural(count: float, word: str) -> str:
    return f"{count:,.0f} {word}{'' if count == 1 else 's'}"

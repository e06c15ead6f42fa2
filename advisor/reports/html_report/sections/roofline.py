"""The roofline of each device: S. Williams et al., "Roofline", CACM 52, 2009."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.measured.run_times import launch_time
from advisor.model.devices import Device
from advisor.model.records import Value
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.canvas import picture
from advisor.reports.html_report.charts.roofline_chart import Point, Roofs, draw_roofline
from advisor.reports.html_report.material import Material, basis
from advisor.reports.html_report.parts import Cell, Part, Table, cells, without_empty_columns
from advisor.reports.html_report.wording import extent, percent, rate, share_of, shortened
from advisor.reports.outputs.wording.counts import counted
from advisor.runs.comparison.ranking.ranking import RankedKernel, RankedShape, Ranking

_HEADER = (
    "№",
    "kernel",
    "grid",
    "block",
    "basis",
    "FLOP/byte",
    "FLOP/s",
    "of the roof",
    "DRAM bytes/s",
    "share of time",
)
_HEIGHTS = (470.0, 400.0)


@dataclass(frozen=True)
class _Placed:
    """A shape of a kernel whose intensity and rate are known."""

    number: int
    kernel: RankedKernel
    shape: RankedShape
    basis: str
    intensity: float
    rate: float
    share: float | None


def rooflines(material: Material) -> list[Part]:
    """A part for each device, with what was measured and predicted there together."""
    devices: dict[str, list[Ranking]] = {}
    for ranking in material.rankings:
        devices.setdefault(ranking.device_name, []).append(ranking)
    return [_part(material, at, name, those) for at, (name, those) in enumerate(devices.items())]


def _part(material: Material, at: int, name: str, rankings: Sequence[Ranking]) -> Part:
    device = rankings[0].device
    known: list[_Placed] = []
    absent: Counter[tuple[str, str]] = Counter()
    for ranking in rankings:
        for kernel in ranking.kernels:
            for shape in kernel.shapes:
                found = _place(material.number(kernel), kernel, shape, basis(ranking), ranking.kernels_ms)
                if isinstance(found, str):
                    who = f"{material.number(kernel)} `{shortened(kernel.name, 80).replace('`', ' ')}`"
                    absent[f"{who} ({basis(ranking)})", found] += 1
                else:
                    known.append(found)
    unknown = tuple(
        f"{who}{f', {times} shapes' if times > 1 else ''}: {why}" for (who, why), times in absent.items()
    )
    paragraphs = [_peaks(name, device)]
    if unknown:
        paragraphs.append(f"Not in the chart, since their place in it is not known ({len(unknown)}):")
    roofs = _roofs(device)
    drawn = None
    if known:
        points = [_point(one, rank) for rank, one in enumerate(known)]
        alt = (
            f"Roofline chart of {name}: {counted(len(known), 'point')}. The highest rate is "
            f"{rate(max(one.rate for one in known), 'FLOP/s')}; intensities go from "
            f"{min(one.intensity for one in known):.3g} to {max(one.intensity for one in known):.3g} "
            "FLOP/byte. The table below has all numbers."
        )
        caption = (
            "Filled circles are measured, hollow diamonds predicted; the larger, the more of the time. "
            "Numbers are those of the table."
        )
        drawn = picture(
            f"roof{at}", alt, caption, _HEIGHTS, lambda sheet: draw_roofline(sheet, points, roofs)
        )
    table = _table(known, roofs)
    return Part(
        f"roofline-{at}",
        f"Roofline: {name}",
        tuple(paragraphs),
        drawn,
        unknown,
        (table,) if known else (),
    )


def _place(
    number: int, kernel: RankedKernel, shape: RankedShape, of: str, kernels_ms: float
) -> _Placed | str:
    """The shape's place in the chart, or in words why it has none."""
    metrics = shape.fingerprint.metrics
    flops, moved = _number(metrics, "flops"), _number(metrics, "dram_bytes")
    intensity = _number(metrics, "ai_flops_per_byte")
    if intensity is None and flops is not None and moved:
        intensity = flops / moved
    reached = _number(metrics, "achieved_flop_rate")
    time = launch_time(shape.fingerprint)
    if reached is None and flops is not None and time:
        reached = flops / time * 1e3
    if intensity is not None and reached is not None and intensity > 0.0 and reached > 0.0:
        share = shape.time_ms / kernels_ms if shape.time_ms is not None and kernels_ms > 0.0 else None
        return _Placed(number, kernel, shape, of, intensity, reached, share)
    if flops == 0.0 or intensity == 0.0 or reached == 0.0:
        return "it does no floating point operations, and the axes are logarithmic."
    if intensity is None:
        return "how many operations and bytes it takes is not known."
    return "its time is not known."


def _number(metrics: Mapping[str, Value], name: str) -> float | None:
    value = metrics.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    return float(value)


def _roofs(device: Device | None) -> Roofs:
    if device is None:
        return Roofs(None, None, None)
    return Roofs(device.dram_bandwidth or None, device.fp32_peak or None, device.fp64_peak or None)


def _peaks(name: str, device: Device | None) -> str:
    if device is None:
        return f"The peaks of {name} are not known, as no device file describes it; the chart has no roofs."
    named = (
        ("DRAM", device.dram_bandwidth, "B/s"),
        ("float32", device.fp32_peak, "FLOP/s"),
        ("float64", device.fp64_peak, "FLOP/s"),
    )
    told = ", ".join(
        f"{what} {rate(value, unit)}" if value else f"{what} unknown" for what, value, unit in named
    )
    return f"Peaks of the device file of {device.name}: {told}."


def _roof_at(intensity: float, roofs: Roofs) -> float | None:
    """The highest rate at that intensity, by bandwidth and the float32 peak; None where either is unknown."""
    if roofs.bandwidth is None or roofs.single is None:
        return None
    return min(roofs.bandwidth * intensity, roofs.single)


def _point(one: _Placed, rank: int) -> Point:
    name = shortened(one.kernel.name, 28) if rank < amounts().named_points else ""
    hint = (
        f"{one.number} {shortened(one.kernel.name, 80)} ({one.basis}): {one.intensity:.3g} FLOP/byte, "
        f"{rate(one.rate, 'FLOP/s')}, {share_of(one.share) or 'unknown share'} of the time"
    )
    label = f"{one.number} {name}".strip()
    return Point(one.intensity, one.rate, one.share, one.basis == "measured", label, hint)


def _table(known: Sequence[_Placed], roofs: Roofs) -> Table:
    rows = []
    for one in known:
        roof = _roof_at(one.intensity, roofs)
        bandwidth = _number(one.shape.fingerprint.metrics, "achieved_bandwidth")
        rows.append(
            cells(
                str(one.number),
                Cell(one.kernel.name, style="name"),
                extent(one.shape.fingerprint.identity.grid),
                extent(one.shape.fingerprint.identity.block),
                one.basis,
                f"{one.intensity:.3g}",
                rate(one.rate, "FLOP/s"),
                percent(one.rate / roof) if roof else "",
                rate(bandwidth, "B/s") if bandwidth is not None else "",
                share_of(one.share),
            )
        )
    return without_empty_columns(
        "Points of the chart; the roof is the lower of DRAM bandwidth times intensity and the float32 peak.",
        _HEADER, tuple(rows), frozenset({0, 5, 6, 7, 8, 9}), True,
    )  # fmt: skip

"""The same kernels on several devices: measured, predicted, and predicted again where the counts allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.metrics.derived.timing import derive
from advisor.model.devices import Device, load_devices
from advisor.model.history.fingerprint import Fingerprint
from advisor.model.records import Reading, Record
from advisor.model.text.source_text import Span
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.canvas import picture
from advisor.reports.html_report.charts.dot_chart import Dot, DotRow, draw_dots, height_of
from advisor.reports.html_report.material import Material, Who, who
from advisor.reports.html_report.parts import Cell, Part, Picture, Table, cells
from advisor.reports.html_report.wording import extent, milliseconds, shortened
from advisor.reports.outputs.wording.counts import listed
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking

# What a prediction adds, and what must be made again for another device.
_DERIVED = (
    "predicted_ms",
    "time_limiter",
    "dram_norm",
    "achieved_occupancy",
    "latency_ms",
    "achieved_bandwidth",
)
# Where these are equal, so are the machine code, the occupancy, and what the caches hold.
_ALIKE = (
    "compute_capability",
    "l1_bytes",
    "l2_bytes",
    "max_warps_per_sm",
    "registers_per_sm",
    "shared_bytes_per_sm",
)


@dataclass(frozen=True)
class _Column:
    """A device with the times of kernels there, in ms; `of` says where they come from."""

    name: str
    of: str
    times: Mapping[Who, float]

    @property
    def heading(self) -> str:
        return f"{self.name}, {self.of}"


def device_comparison(material: Material) -> Part:
    """The part that compares devices; without a second device it says what would give one."""
    columns = [_own(ranking, material) for ranking in material.rankings]
    counts = [ranking for ranking in material.rankings if not ranking.is_measured and ranking.device]
    known = {ranking.device_name for ranking in material.rankings if not ranking.is_measured}
    for ranking in counts:
        others = _others(ranking, material)
        columns += [one for one in others if one.name not in known]
        known |= {one.name for one in others}
    columns = [one for one in columns if one.times]
    shapes = _shapes(material)
    rows = [one for one in shapes if sum(one in column.times for column in columns) > 1]
    paragraphs = [
        "A row has the mean time of a launch of one shape on each device; code that differs is not compared."
    ]
    if len(columns) < 2 or not rows:
        text = "No kernel of the history was run with the same code and shape for two devices: "
        return Part(
            "devices", "Devices", (f"{text}`advisor profile --device NAME` predicts for another one.",)
        )
    again = [one for one in columns if one.of == "predicted from counts"]
    if again:
        paragraphs.append(
            f"For {listed([one.name for one in again])} times are predicted from counts made for another "
            "device: compute capability, caches and limits are the same, so the counts hold there; peaks and "
            "clocks differ."
        )
    return Part(
        "devices",
        "Devices",
        tuple(paragraphs),
        _picture(material, columns, rows[: amounts().compared]),
        tables=(_table(material, columns, rows, shapes),),
    )


def _shapes(material: Material) -> dict[Who, Fingerprint]:
    """The shape of each kernel that is compared: the one with the most time in the first ranking with it."""
    found: dict[Who, Fingerprint] = {}
    for ranking in material.rankings:
        for kernel in ranking.kernels:
            found.setdefault(who(kernel), kernel.main.fingerprint)
    return found


def _own(ranking: Ranking, material: Material) -> _Column:
    shapes = _shapes(material)
    times = {}
    for kernel in ranking.kernels:
        one = _like(kernel, shapes[who(kernel)])
        if one is not None and one.timing is not None:
            times[who(kernel)] = one.timing.mean
    return _Column(ranking.device_name, "measured" if ranking.is_measured else "predicted", times)


def _like(kernel: RankedKernel, wanted: Fingerprint) -> Fingerprint | None:
    """The kernel's fingerprint with the wanted one's code, types and shape."""
    own = (_comparable(shape.fingerprint) for shape in kernel.shapes)
    known = zip(own, kernel.shapes, strict=True)
    return next((shape.fingerprint for key, shape in known if key == _comparable(wanted)), None)


def _comparable(one: Fingerprint) -> tuple[object, ...]:
    identity = one.identity
    return identity.source_hash, identity.types, identity.grid, identity.block, identity.dynamic_shared


def _others(ranking: Ranking, material: Material) -> list[_Column]:
    """Predictions for devices on which the counts of this ranking hold."""
    own = ranking.device
    if own is None:
        return []
    shapes = _shapes(material)
    found = []
    for device in load_devices().values():
        if device.id == own.id or not _alike(own, device):
            continue
        times = {}
        for kernel in ranking.kernels:
            one = _like(kernel, shapes[who(kernel)])
            time = None if one is None else _predicted(one, device)
            if time is not None:
                times[who(kernel)] = time
        found.append(_Column(device.name, "predicted from counts", times))
    return found


def _alike(one: Device, other: Device) -> bool:
    values = [(getattr(one, name), getattr(other, name)) for name in _ALIKE]
    return all(mine is not None and mine == its for mine, its in values)


def _predicted(one: Fingerprint, device: Device) -> float | None:
    """The time that the model gives for a device on which the counts hold, in ms; None without counts."""
    record = Record("kernel", "", "", Span(1), one.identity.name)
    for name, value in one.metrics.items():
        if name not in _DERIVED:
            record.readings[name] = Reading(value, "simulated")
    derive([record], device)
    reading = record.readings.get("predicted_ms")
    return reading.value if reading is not None and isinstance(reading.value, float) else None


def _picture(material: Material, columns: Sequence[_Column], rows: Sequence[Who]) -> Picture:
    names = [one.heading for one in columns]
    drawn = [
        DotRow(
            f"{material.numbers[row]} {shortened(row[1], 40)}",
            tuple(
                Dot(
                    at,
                    column.times[row],
                    column.of != "measured",
                    f"{column.heading}: {milliseconds(column.times[row])}",
                )
                for at, column in enumerate(columns)
                if column.times.get(row, 0.0) > 0.0
            ),
        )
        for row in rows
    ]
    drawn = [row for row in drawn if row.dots]
    told = "; ".join(
        f"{row.name} " + ", ".join(f"{milliseconds(dot.value)} on {names[dot.series]}" for dot in row.dots)
        for row in drawn
    )
    caption = "Filled marks are measured, hollow ones predicted. The axis is logarithmic."
    return picture(
        "devices", f"Times of kernels on {len(columns)} devices: {told}.", caption,
        (height_of(drawn, names),) * 2,
        lambda sheet: draw_dots(sheet, drawn, names, "mean of a launch", milliseconds),
    )  # fmt: skip


def _table(
    material: Material, columns: Sequence[_Column], rows: Sequence[Who], shapes: Mapping[Who, Fingerprint]
) -> Table:
    body = [
        cells(
            str(material.numbers[row]),
            Cell(row[1], style="name"),
            extent(shapes[row].identity.grid),
            extent(shapes[row].identity.block),
            *(milliseconds(column.times.get(row)) for column in columns),
        )
        for row in rows
    ]
    header = ("№", "kernel", "grid", "block", *(one.heading for one in columns))
    return Table(
        "Mean time of a launch; an empty cell is not known.", header, tuple(body),
        frozenset({0, *range(4, len(header))}), folded=True,
    )  # fmt: skip

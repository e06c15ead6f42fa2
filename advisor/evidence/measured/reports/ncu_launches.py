"""Launches of an Nsight Compute report, gathered by kernel, shape and NVTX ranges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.evidence.measured.reports.reading.csv_tables import extent
from advisor.evidence.measured.reports.reading.printed_numbers import Notation
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import Extent, Launches, Quantity

# Columns that say which launch a row is about; every other column is a metric.
IDENTITY = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
    "Grid Size", "Device", "CC", "Kernel Time", "Context ID", "Stream ID", "Invocations", "API Call ID",
    "device__attribute_display_name",
)  # fmt: skip
# "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg" and the same with Start/Stop.
_RANGE_COLUMN = re.compile(r".*Domain:(Push/Pop|Start/Stop)_Range.*|NVTX.*", re.IGNORECASE)
# A cell holds the thread and then each range in quotes: its domain, its name and six more fields.
_RANGE = re.compile(r'"([^"]+)"')
_FIELDS_BEHIND = 6
_INSTANCES = re.compile(r"^(.*?)\s*\(.*\)$", re.DOTALL)
_SHAPE_METRICS = {"block": "launch__block_dim_", "grid": "launch__grid_dim_"}
TIME = ("gpu__time_duration.sum", "gpu__time_duration.avg")


def is_range_column(name: str) -> bool:
    """Whether a column names NVTX ranges."""
    return _RANGE_COLUMN.fullmatch(name.strip()) is not None


@dataclass
class NcuLaunch:
    """One launch as its rows tell it."""

    name: str
    grid: Extent | None
    block: Extent | None
    capability: str = ""
    process: str = ""
    ranges: tuple[str, ...] = ()
    values: dict[str, Quantity] = field(default_factory=dict)


def launch_of(row: Mapping[str, str]) -> NcuLaunch:
    """The launch that a row is about, without its metrics."""
    ranges = [one for column, cell in row.items() if is_range_column(column) for one in _ranges(cell)]
    return NcuLaunch(
        name=row["Kernel Name"].strip(),
        grid=extent(row.get("Grid Size", "")),
        block=extent(row.get("Block Size", "")),
        capability=row.get("CC", "").strip(),
        process=row.get("Process Name", "").strip(),
        ranges=tuple(ranges),
    )


def _ranges(cell: str) -> list[str]:
    found = []
    for piece in _RANGE.findall(cell):
        fields = piece.split(":")
        # A name may hold colons itself.
        last = -_FIELDS_BEHIND if len(fields) > _FIELDS_BEHIND + 1 else 2
        found.append(":".join(fields[1:last]).strip() or piece.strip())
    return found


def quantity(name: str, text: str, unit: str, notation: Notation) -> Quantity | None:
    """What a cell says, None for `n/a`. Values of single instances behind the first one are left out."""
    text = text.strip()
    number = notation.number(text)
    if number is None and (first := _INSTANCES.match(text)):
        number = notation.number(first[1])
    if number is None:
        return Quantity(text) if text and text.casefold() not in ("n/a", "nan", "-nan", "inf") else None
    # Without a unit 0.9 could be 90% or 0.9%; the name of the metric says which.
    percent = not unit.strip() and "pct" in name
    return Quantity(number, "%" if percent else unit.strip())


def gathered(launches: Sequence[NcuLaunch]) -> tuple[Launches, ...]:
    """The launches with those of one kernel, one shape and the same ranges together."""
    groups: dict[tuple[object, ...], list[NcuLaunch]] = {}
    for one in launches:
        grid = one.grid or _from_metrics(one, "grid")
        block = one.block or _from_metrics(one, "block")
        groups.setdefault((one.name, grid, block, _dynamic(one), one.ranges), []).append(one)
    return tuple(_together(key, group) for key, group in groups.items())


def _together(key: tuple[object, ...], group: Sequence[NcuLaunch]) -> Launches:
    _, grid, block, dynamic, ranges = key
    times = [found for one in group if (found := _milliseconds(one)) is not None]
    return Launches(
        name=group[0].name,
        grid=grid,  # type: ignore[arg-type]
        block=block,  # type: ignore[arg-type]
        launches=len(group),
        durations=tuple(times) if len(times) == len(group) else (),
        values=tuple(one.values for one in group),
        ranges=ranges,  # type: ignore[arg-type]
        dynamic_shared=int(str(dynamic)),
    )


def _milliseconds(launch: NcuLaunch) -> float | None:
    names = [*TIME, *(name for name in launch.values if name.endswith("|Duration"))]
    found = next((launch.values[name] for name in names if name in launch.values), None)
    base = None if found is None else in_base_unit(found)
    return base[0] if base is not None and base[1] == "time" else None


def _dynamic(launch: NcuLaunch) -> int:
    names = ("launch__shared_mem_per_block_dynamic", "Launch Statistics|Dynamic Shared Memory Per Block")
    found = next((launch.values[name] for name in names if name in launch.values), None)
    base = None if found is None else in_base_unit(found)
    return round(base[0]) if base is not None and base[1] == "byte" else 0


def _from_metrics(launch: NcuLaunch, which: str) -> Extent | None:
    sizes = [launch.values.get(f"{_SHAPE_METRICS[which]}{axis}") for axis in "xyz"]
    if any(size is None or isinstance(size.value, str) for size in sizes):
        return None
    x, y, z = (int(size.value) for size in sizes if size is not None)
    return x, y, z

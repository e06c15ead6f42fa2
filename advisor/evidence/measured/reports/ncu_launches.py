"""What rows of an Nsight Compute report say of the launch that they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from advisor.evidence.measured.reports.reading.csv_tables import extent
from advisor.evidence.measured.reports.reading.printed_numbers import Notation
from advisor.evidence.measured.reports.report import Extent, Quantity

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


@lru_cache(maxsize=4096)
def is_range_column(name: str) -> bool:
    """Whether a column names NVTX ranges."""
    return _RANGE_COLUMN.fullmatch(name.strip()) is not None


@dataclass(frozen=True)
class NcuLaunch:
    """One launch without its metrics."""

    name: str
    grid: Extent | None
    block: Extent | None
    capability: str = ""
    process: str = ""
    ranges: tuple[str, ...] = ()


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

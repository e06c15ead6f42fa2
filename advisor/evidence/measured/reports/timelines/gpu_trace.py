"""The events of `nsys stats --report cuda_gpu_trace`, counted as they come: what has a grid is a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from advisor.evidence.measured.reports.cuda_calls import direction_in, is_pageable
from advisor.evidence.measured.reports.reading.printed_numbers import Notation
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import Extent, Quantity
from advisor.evidence.measured.reports.timelines.run_totals import RunTotals
from advisor.evidence.measured.reports.timelines.timeline import (
    LaunchGroups,
    OrderedStretches,
    Shape,
    Stretches,
)
from advisor.model.errors import UsageError

_EACH = {"Reg/Trd": "register/thread"}
_SIZES = ("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ")
_VALUES = ("Reg/Trd", "StcSMem", "DymSMem")
_NANOSECONDS = 1e6

_Kept = Stretches | OrderedStretches


class Trace:
    """A table of events; `before` is the one in front of it in the same file, whose times it goes on with.

    `stretches` makes what the events are kept in.
    """

    def __init__(
        self,
        path: Path,
        names: Sequence[str],
        units: Sequence[str],
        notation: Notation,
        totals: RunTotals,
        groups: LaunchGroups,
        stretches: type[Stretches] | type[OrderedStretches],
        before: Trace | None = None,
    ) -> None:
        self._path, self._notation, self._totals, self._groups = path, notation, totals, groups
        self._at = {name: at for at, name in enumerate(names)}
        self._units = dict(zip(names, units, strict=True))
        self._of_kernels: _Kept = before._of_kernels if before is not None else stretches()
        self._of_device: _Kept = before._of_device if before is not None else stretches()
        self.device: str | None = before.device if before is not None else None

    def take(self, row: Sequence[str]) -> None:
        """Count an event. Raises UsageError for a unit that is none of time, OutOfOrder where what the events
        are kept in wants them in the order of their beginnings and this one is not.
        """
        totals = self._totals
        if not self._of_device:
            totals.saw_copies, totals.fills = True, totals.fills or 0.0
            totals.saw_memory_kinds = "SrcMemKd" in self._at
        start, spent = self._nanoseconds(row, "Start"), self._nanoseconds(row, "Duration")
        name = row[self._at["Name"]]
        self._of_device.add(start, start + spent)
        if self.device is None and (device := self._cell(row, "Device").strip()):
            self.device = re.sub(r"\s*\(\d+\)$", "", device)
        if self._cell(row, "GrdX").strip():
            self._of_kernels.add(start, start + spent)
            self._count_kernel(row, name, spent)
        elif "memset" in name.lower():
            totals.fills = (totals.fills or 0.0) + spent
        else:
            totals.copies[direction_in(name) or "other"] += spent  # type: ignore[assignment]
            if any(is_pageable(self._cell(row, kind)) for kind in ("SrcMemKd", "DstMemKd")):
                totals.copies["pageable"] += spent  # type: ignore[assignment]

    def end(self) -> None:
        """Put what the events cover together into the totals."""
        totals = self._totals
        totals.kernels, totals.device = self._of_kernels.union(), self._of_device.union()
        if totals.device.first is not None:
            totals.span = totals.device.end - totals.device.first

    def _cell(self, row: Sequence[str], column: str) -> str:
        at = self._at.get(column)
        return "" if at is None else row[at]

    def _number(self, row: Sequence[str], column: str) -> float:
        return self._notation.number(self._cell(row, column)) or 0.0

    def _nanoseconds(self, row: Sequence[str], column: str) -> float:
        unit = self._units.get(column) or "ns"
        value = self._number(row, column)
        if unit == "ns":
            return value
        base = in_base_unit(Quantity(value, unit))
        if base is None or base[1] != "time":
            raise UsageError(f"{self._path}: the unit `{unit}` of the column {column} is no unit of time.")
        return base[0] * _NANOSECONDS

    def _count_kernel(self, row: Sequence[str], name: str, spent: float) -> None:
        x, y, z, in_x, in_y, in_z = (int(self._number(row, size)) for size in _SIZES)
        memory = self._notation.number(self._cell(row, "DymSMem"))
        dynamic = in_base_unit(Quantity(memory, self._units["DymSMem"])) if memory is not None else None
        grid, block = (x, y, z), (in_x, in_y, in_z)
        shape: Shape = (name, grid, block, round(dynamic[0]) if dynamic else 0, ())
        values = {} if shape in self._groups.groups else self._values(row, grid, block)
        self._groups.add(shape, spent / _NANOSECONDS, values)

    def _values(self, row: Sequence[str], grid: Extent, block: Extent) -> dict[str, Quantity]:
        found = {
            name: Quantity(number, _EACH.get(name, self._units[name]))
            for name in _VALUES
            if (number := self._notation.number(self._cell(row, name))) is not None
        }
        for part, sizes in (("grid", grid), ("block", block)):
            found |= {f"{part}{axis}": Quantity(float(size)) for axis, size in zip("XYZ", sizes, strict=True)}
        return found

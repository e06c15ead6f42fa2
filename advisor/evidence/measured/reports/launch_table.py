"""Launches of an Nsight Compute report with their metrics, gathered by kernel, shape and NVTX ranges."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from advisor.evidence.measured.reports.mapping import asked_for
from advisor.evidence.measured.reports.ncu_launches import NcuLaunch
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import Extent, Launches, Quantity

_SHAPE = {"block": "launch__block_dim_", "grid": "launch__grid_dim_"}
_TIME = ("gpu__time_duration.sum", "gpu__time_duration.avg")
_DURATION = "|Duration"
_DYNAMIC = ("launch__shared_mem_per_block_dynamic", "Launch Statistics|Dynamic Shared Memory Per Block")
_ABSENT = math.nan


def is_kept(name: str) -> bool:
    """Whether a metric becomes another, or tells the shape or time by which launches are gathered."""
    tells = name in (*_TIME, *_DYNAMIC) or name.endswith(_DURATION) or name[:-1] in _SHAPE.values()
    return tells or asked_for("ncu", "kernel", name)


class LaunchTable:
    """Launches in the order of the report; a number takes eight bytes, however many launches there are."""

    def __init__(self) -> None:
        self._kinds: dict[NcuLaunch, int] = {}
        self._launches = array("L")
        # By name and unit; a column without a unit holds numbers of words.
        self._columns: dict[str, dict[str | None, array[float]]] = {}
        self._words: list[str] = []
        self._word_numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._launches)

    def add(self, launch: NcuLaunch) -> int:
        """Count a launch; returns its number, from 0."""
        self._launches.append(self._kinds.setdefault(launch, len(self._kinds)))
        return len(self._launches) - 1

    def put(self, number: int, name: str, value: Quantity) -> None:
        """Keep a metric of a launch, in place of one of this name that it has."""
        columns = self._columns.setdefault(name, {})
        for column in columns.values():
            if number < len(column):
                column[number] = _ABSENT
        if isinstance(value.value, str):
            unit, kept = None, float(self._word(value.value))
        else:
            unit, kept = value.unit, value.value
        column = columns.setdefault(unit, array("d"))
        column.extend([_ABSENT] * (number + 1 - len(column)))
        column[number] = kept

    def _word(self, text: str) -> int:
        if text not in self._word_numbers:
            self._word_numbers[text] = len(self._words)
            self._words.append(text)
        return self._word_numbers[text]

    def get(self, number: int, name: str) -> Quantity | None:
        """A metric of a launch."""
        for unit, column in self._columns.get(name, {}).items():
            if number < len(column) and not math.isnan(column[number]):
                if unit is None:
                    return Quantity(self._words[int(column[number])])
                return Quantity(column[number], unit)
        return None

    def values(self, number: int) -> dict[str, Quantity]:
        """All metrics of a launch."""
        found = ((name, self.get(number, name)) for name in self._columns)
        return {name: value for name, value in found if value is not None}

    def first(self) -> NcuLaunch:
        """The first launch. Raises StopIteration where there is none."""
        return next(iter(self._kinds))

    def names(self) -> tuple[str, ...]:
        """The metrics that any launch has."""
        return tuple(self._columns)

    def gathered(self) -> tuple[Launches, ...]:
        """The launches with those of one kernel, one shape and the same ranges together."""
        kinds = list(self._kinds)
        groups: dict[tuple[str, Extent | None, Extent | None, int, tuple[str, ...]], array[int]] = {}
        for number, kind in enumerate(self._launches):
            one = kinds[kind]
            grid = one.grid or self._extent(number, "grid")
            block = one.block or self._extent(number, "block")
            key = (one.name, grid, block, self._dynamic(number), one.ranges)
            groups.setdefault(key, array("L")).append(number)
        return tuple(
            Launches(
                name=name,
                grid=grid,
                block=block,
                launches=len(numbers),
                durations=self._durations(numbers),
                values=_Metrics(self, numbers),
                ranges=ranges,
                dynamic_shared=dynamic,
            )
            for (name, grid, block, dynamic, ranges), numbers in groups.items()
        )

    def _durations(self, numbers: Sequence[int]) -> Sequence[float]:
        """Milliseconds of all these launches, none where one of them has no time."""
        names = [*_TIME, *(name for name in self._columns if name.endswith(_DURATION))]
        times = array("d")
        for number in numbers:
            found = self._first(number, names)
            base = None if found is None else in_base_unit(found)
            if base is None or base[1] != "time":
                return ()
            times.append(base[0])
        return times

    def _first(self, number: int, names: Sequence[str]) -> Quantity | None:
        return next((one for name in names if (one := self.get(number, name)) is not None), None)

    def _dynamic(self, number: int) -> int:
        found = self._first(number, _DYNAMIC)
        base = None if found is None else in_base_unit(found)
        return round(base[0]) if base is not None and base[1] == "byte" else 0

    def _extent(self, number: int, which: str) -> Extent | None:
        sizes = [self.get(number, f"{_SHAPE[which]}{axis}") for axis in "xyz"]
        if any(size is None or isinstance(size.value, str) for size in sizes):
            return None
        x, y, z = (int(size.value) for size in sizes if size is not None)
        return x, y, z


class _Metrics(Sequence[Mapping[str, Quantity]]):
    """The metrics of some launches of a table, put together when they are asked for."""

    def __init__(self, table: LaunchTable, numbers: Sequence[int]) -> None:
        self._table, self._numbers = table, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Quantity]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Mapping[str, Quantity]]: ...
    def __getitem__(self, at: int | slice) -> Mapping[str, Quantity] | Sequence[Mapping[str, Quantity]]:
        if isinstance(at, slice):
            return _Metrics(self._table, self._numbers[at])
        return self._table.values(self._numbers[at])

    def __iter__(self) -> Iterator[Mapping[str, Quantity]]:
        return map(self._table.values, self._numbers)

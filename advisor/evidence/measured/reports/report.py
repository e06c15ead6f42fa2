"""What a report says, in its own names and units, before it is mapped to the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Extent = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a text with the unit that the report prints beside it, empty where there is none."""

    value: float | str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Launches:
    """Launches of one kernel with one shape in one place: what the report says of them together.

    `name` is the report's; `durations` are milliseconds, empty where only `values` tell of time; `launches`
    counts them. `values` are the report's metrics: of each launch, in the order of `durations`, or once for
    all of them.
    """

    name: str
    grid: Extent | None
    block: Extent | None
    launches: int
    durations: Sequence[float] = ()
    values: Sequence[Mapping[str, Quantity]] = ()
    ranges: tuple[str, ...] = ()
    dynamic_shared: int = 0


@dataclass(frozen=True, slots=True)
class ReportedLine:
    """What a report says of a line of the source of one kernel."""

    kernel: str
    path: str
    line: int
    values: Mapping[str, Quantity]


@dataclass(frozen=True)
class ImportedReport:
    """One report: `tool` names the table that maps it (`knowledge/imports/<tool>.toml`).

    `run` holds metrics of the run in the report's names, `host` what is kept as it is (calls, copies).
    `columns` are all metrics that the report has, also those that no launch has a number for. `is_of_nvidia`
    is false where the report names a GPU of another maker, on which shapes mean other things to rules.
    """

    tool: str
    launches: tuple[Launches, ...]
    lines: tuple[ReportedLine, ...] = ()
    run: Mapping[str, Quantity] = field(default_factory=dict)
    device: str | None = None
    capability: str | None = None
    command: str = ""
    toolchain: Mapping[str, str] = field(default_factory=dict)
    host: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    is_of_nvidia: bool = True

"""What a source of evidence hands on: records of entities with readings, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from advisor.model.text.source_text import Span

Source: TypeAlias = Literal["assumed", "source", "compiled", "synthesised", "simulated", "measured"]
Value: TypeAlias = float | str | bool

# Later is better: of two readings of one metric the one further right wins.
SOURCES: tuple[Source, ...] = ("source", "compiled", "synthesised", "simulated", "measured")
# Where a value may come from: what rests on an assumption in the place of a measurement is not measured.
ORIGINS: tuple[Source, ...] = ("assumed", *SOURCES)


@dataclass(frozen=True, slots=True)
class Reading:
    """One value of one metric, in the metric's declared unit, and the assumptions it rests on.

    `least` and `most` are what the value may be instead under another of the assumptions, where that is
    smaller or larger: messages then tell the range, and rules judge the value. `least_because` is what
    makes it smaller.
    """

    value: Value
    source: Source = "source"
    assumptions: tuple[str, ...] = ()
    most: float | None = None
    least: float | None = None
    least_because: str = ""


# Most readings say one of a few values, thousands of times in a run.
_reading = lru_cache(1024, typed=True)(Reading)


@dataclass(slots=True)
class Record:
    """One entity (a kernel, an access, a launch …) with what one source knows of it.

    `key` is the same in every source; `owner` is the key of the record it belongs to (an access's kernel);
    `label` is how messages call it; a metric that is absent from `readings` is unknown.
    """

    entity: str
    key: str
    path: str
    span: Span
    label: str
    owner: str | None = None
    readings: dict[str, Reading] = field(default_factory=dict)

    def value(self, metric: str) -> Value | None:
        """The value of a metric, None where it is unknown."""
        reading = self.readings.get(metric)
        return None if reading is None else reading.value

    def know(self, source: Source, assumptions: tuple[str, ...] = (), **values: Value | None) -> None:
        """Add a reading for each value that is not None; whole numbers count as numbers like any others."""
        for metric, value in values.items():
            if value is not None:
                known = float(value) if type(value) is int else value
                self.readings[metric] = _reading(known, source, assumptions)

    def may_be(self, **most: float | None) -> None:
        """Note what metrics that are known may be instead, where that is larger."""
        for metric, value in most.items():
            known = self.readings.get(metric)
            if known is not None and value is not None and value > float(known.value):
                self.readings[metric] = replace(known, most=float(value))

    def may_be_less(self, because: str, **least: float | None) -> None:
        """Note what metrics that are known may be instead, where that is smaller, and what makes them so."""
        for metric, value in least.items():
            known = self.readings.get(metric)
            if known is not None and value is not None and value < float(known.value):
                self.readings[metric] = replace(known, least=float(value), least_because=because)


@dataclass(frozen=True, slots=True)
class LineReading:
    """What a source knows of all accesses, atomics or branches of one line together.

    `array`, `space` and `kind` narrow the records of that line down; empty ones fit all. `most` is what
    values may be instead, where that is larger.
    """

    entity: str
    kernel: str
    path: str
    line: int
    array: str
    space: str
    kind: str
    values: dict[str, Value | None]
    assumptions: tuple[str, ...] = ()
    most: dict[str, float] = field(default_factory=dict)


def weakest(*readings: Reading) -> Source:
    """The source of what is computed from some readings: that of the weakest."""
    return min((one.source for one in readings), key=ORIGINS.index)


def kernel_key(path: str, qualname: str, line: int) -> str:
    """The key of a kernel record: path, qualified name and the line of its `def`."""
    return f"{path}::{qualname}@{line}"

"""Sums over a run that several formats give alike: kernels, calls, copies, the timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from advisor.evidence.measured.reports.cuda_calls import call_kind
from advisor.evidence.measured.reports.report import Quantity
from advisor.evidence.measured.reports.timelines.timeline import Busy


@dataclass
class RunTotals:
    """Times in nanoseconds by what they were spent on; what no event was seen of, stays out where it may."""

    calls: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    spent: Counter[tuple[object, str | None]] = field(default_factory=Counter)
    copies: Counter[str] = field(default_factory=Counter)
    copied_bytes: Counter[str] = field(default_factory=Counter)
    saw_calls: bool = False
    saw_copies: bool = False
    saw_memory_kinds: bool = False
    fills: float | None = None
    kernels: Busy | None = None
    device: Busy | None = None
    span: float | None = None
    names: int = 0
    launches: int = 0

    def call(self, name: str, nanoseconds: float, number: int = 1, thread: object = None) -> None:
        """Count calls of one name by one thread."""
        self.saw_calls = True
        self.spent[thread, call_kind(name)] += nanoseconds  # type: ignore[assignment]
        self.calls[name] += nanoseconds  # type: ignore[assignment]
        self.numbers[name] += number

    def values(self) -> dict[str, Quantity]:
        """What is known, in the names of knowledge/imports/nsys.toml."""
        found = {"kernels.names": Quantity(self.names), "kernels.launches": Quantity(self.launches)}
        if self.saw_calls:
            found |= {
                f"calls.{kind}": _time(self._spent(kind)) for kind in ("launch", "synchronise", "allocate")
            }
        if self.saw_copies:
            found |= {f"copies.{way}": _time(self.copies[way]) for way in ("htod", "dtoh", "dtod")}
        if self.saw_memory_kinds:
            found["copies.pageable"] = _time(self.copies["pageable"])
        if self.fills is not None:
            found["fills"] = _time(self.fills)
        if self.kernels is not None and self.kernels.first is not None:
            found["timeline.kernels"] = _time(self.kernels.covered)
        if self.device is not None and self.device.first is not None:
            found["timeline.longest_gap"] = _time(self.device.longest_gap)
        if self.span is not None and self.span > 0.0:
            found["timeline.span"] = _time(self.span)
        return found

    def host(self, most: int = 200) -> dict[str, Any]:
        """Calls and copies as they are kept beside the metrics: nanoseconds and numbers by name."""
        calls = [
            {"name": name, "calls": self.numbers[name], "ns": spent}
            for name, spent in self.calls.most_common(most)
        ]
        copies = [
            {"direction": way, "ns": spent, "bytes": self.copied_bytes[way]}
            for way, spent in self.copies.items()
            if way != "pageable"
        ]
        return {"calls": calls, "copies": copies}

    def _spent(self, kind: str) -> float:
        """The time of the thread that spent most: threads work at the same time, and their sum is no time."""
        return float(max((spent for (_, one), spent in self.spent.items() if one == kind), default=0.0))


def span_of(stretches: Iterable[tuple[float, float]]) -> float | None:
    """The time from the first beginning to the last end, None for nothing."""
    known = list(stretches)
    return max(end for _, end in known) - min(start for start, _ in known) if known else None


def _time(nanoseconds: float) -> Quantity:
    return Quantity(float(nanoseconds), "ns")

"""Chrome traces of torch.profiler, plain or gzipped: kernels, copies, calls and annotations."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from advisor.evidence.measured.reports.cuda_calls import direction_in
from advisor.evidence.measured.reports.mapping import is_of_other_maker
from advisor.evidence.measured.reports.reading.json_stream import Damaged, JsonStream
from advisor.evidence.measured.reports.reading.opening import decoded, opened_text
from advisor.evidence.measured.reports.report import Extent, ImportedReport, Quantity
from advisor.evidence.measured.reports.timelines.run_totals import RunTotals
from advisor.evidence.measured.reports.timelines.thread_ranges import ThreadRanges
from advisor.evidence.measured.reports.timelines.timeline import LaunchGroups, Shape, Stretches
from advisor.model.errors import UsageError

NAME = "Chrome trace of torch.profiler"
_EVENTS = "traceEvents"
_KEPT = ("schemaVersion", "cupti_version", "cuda_runtime_version", "cuda_driver_version", "deviceProperties")
_UNITS = {
    "registers per thread": "register/thread",
    "shared memory": "byte",
    "est. achieved occupancy %": "%",
}
_VALUES = (*_UNITS, "blocks per SM", "warps per SM")
_MICROSECONDS = 1e3
_MILLISECONDS = 1e-3
# Stands for the correlation of an event that has none.
_NO_CALL = -1


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file is JSON with events, or has keys that only such traces have."""
    del path
    text = decoded(head).lstrip()
    if not text.startswith(("{", "[")):
        return False
    return bool(
        re.search(r'"(traceEvents|deviceProperties|cupti_version|distributedInfo)"|"ph"\s*:\s*"', text)
    )


@dataclass
class _Kernels:
    """The launches of kernels, some dozen bytes for each: which shape, for how long, and by which call."""

    shapes: dict[Shape, int] = field(default_factory=dict)
    values: list[dict[str, Quantity]] = field(default_factory=list)
    which: array[int] = field(default_factory=lambda: array("l"))
    spent: array[float] = field(default_factory=lambda: array("d"))
    correlations: array[int] = field(default_factory=lambda: array("q"))

    def add(self, shape: Shape, values: dict[str, Quantity], spent: float, correlation: int) -> None:
        """Keep a launch; of the values those of the first of its shape, for a shape has the same."""
        number = self.shapes.setdefault(shape, len(self.shapes))
        if number == len(self.values):
            self.values.append(values)
        self.which.append(number)
        self.spent.append(spent)
        self.correlations.append(correlation)


@dataclass
class _Calls:
    """When calls were made and by whom, some dozen bytes for each."""

    threads: dict[object, int] = field(default_factory=dict)
    correlations: array[int] = field(default_factory=lambda: array("q"))
    which: array[int] = field(default_factory=lambda: array("l"))
    starts: array[float] = field(default_factory=lambda: array("d"))

    def add(self, correlation: int, thread: object, start: float) -> None:
        """Keep a call."""
        self.correlations.append(correlation)
        self.which.append(self.threads.setdefault(thread, len(self.threads)))
        self.starts.append(start)

    def of(self, correlations: array[int]) -> Iterator[tuple[object, float] | None]:
        """Thread and begin of the last call with each correlation, None where there is none."""
        own, threads = np.asarray(self.correlations, dtype=np.int64), list(self.threads)
        order = np.argsort(own, kind="stable")
        places = np.searchsorted(own[order], np.asarray(correlations, dtype=np.int64), side="right") - 1
        for place, correlation in zip(places, correlations, strict=True):
            at = int(order[place]) if place >= 0 else -1
            known = at >= 0 and self.correlations[at] == correlation
            yield (threads[self.which[at]], self.starts[at]) if known else None


@dataclass
class _Trace:
    """What was gathered of the events so far; times in microseconds, as the trace has them.

    Of stretches they begin at the first event, since times since the epoch have more digits than a float.
    """

    totals: RunTotals = field(default_factory=RunTotals)
    kernels: _Kernels = field(default_factory=_Kernels)
    calls: _Calls = field(default_factory=_Calls)
    of_kernels: Stretches = field(default_factory=Stretches)
    of_device: Stretches = field(default_factory=Stretches)
    copies: dict[str, Stretches] = field(default_factory=dict)
    ranges: ThreadRanges = field(default_factory=ThreadRanges)
    origin: float | None = None
    first: float | None = None
    last: float = 0.0

    def stretch(self, start: float, spent: float) -> tuple[float, float]:
        """Begin and end of an event in nanoseconds from the first event that was read."""
        self.origin = start if self.origin is None else self.origin
        begin = (start - self.origin) * _MICROSECONDS
        return begin, begin + spent * _MICROSECONDS


def read(path: Path) -> ImportedReport:
    """What the trace holds. Raises UsageError where it is damaged or has no event of a GPU."""
    trace, header = _Trace(), {}
    with opened_text(path) as text:
        try:
            for key, value in JsonStream(text).items(_EVENTS):
                if key != _EVENTS:
                    header[key] = value if key in _KEPT else None
                elif isinstance(value, Mapping):
                    _take(trace, value)
        except Damaged as error:
            raise UsageError(f"{path}: the trace is damaged or cut off: {error}.") from None
    if not trace.kernels.spent and not trace.totals.saw_calls and not trace.totals.saw_copies:
        raise UsageError(
            f"{path}: the trace holds no events of a GPU; "
            "record it with `ProfilerActivity.CUDA` among the profiler's activities."
        )
    return _report(trace, header)


def _take(trace: _Trace, event: Mapping[str, Any]) -> None:
    start, spent = event.get("ts"), event.get("dur")
    if event.get("ph") != "X" or not isinstance(start, int | float) or not isinstance(spent, int | float):
        return
    kind = str(event.get("cat", "")).lower()
    name, details = str(event.get("name", "")), event.get("args")
    details = details if isinstance(details, Mapping) else {}
    thread = (str(event.get("pid")), str(event.get("tid")))
    if kind in ("kernel", "gpu_memcpy", "gpu_memset"):
        _seen(trace, start, spent)
        trace.of_device.add(*trace.stretch(start, spent))
        _take_device(trace, kind, name, details, start, spent)
    elif kind in ("cuda_runtime", "cuda_driver", "runtime", "driver"):
        _seen(trace, start, spent)
        trace.totals.call(name, spent * _MICROSECONDS, thread=thread)
        if (correlation := _correlation(details)) != _NO_CALL:
            trace.calls.add(correlation, thread, start)
    elif kind == "user_annotation":
        trace.ranges.add(thread, start, start + spent, name)


def _seen(trace: _Trace, start: float, spent: float) -> None:
    trace.first = start if trace.first is None else min(trace.first, start)
    trace.last = max(trace.last, start + spent)


def _take_device(
    trace: _Trace, kind: str, name: str, details: Mapping[str, Any], start: float, spent: float
) -> None:
    totals = trace.totals
    if kind == "kernel":
        grid, block = _extent(details.get("grid")), _extent(details.get("block"))
        shape: Shape = (name, grid, block, 0, ())
        trace.kernels.add(shape, _values(details, grid, block), spent, _correlation(details))
        trace.of_kernels.add(*trace.stretch(start, spent))
    elif kind == "gpu_memcpy":
        totals.saw_copies = totals.saw_memory_kinds = True
        way = direction_in(name) or "other"
        for one in [way, "pageable"] if "pageable" in name.lower() else [way]:
            trace.copies.setdefault(one, Stretches()).add(*trace.stretch(start, spent))
        size = details.get("bytes")
        totals.copied_bytes[way] += size if isinstance(size, int) else 0
    else:
        totals.fills = (totals.fills or 0.0) + spent * _MICROSECONDS


def _correlation(details: Mapping[str, Any]) -> int:
    found = details.get("correlation")
    return found if isinstance(found, int) and 0 <= found < 2**63 else _NO_CALL


def _values(details: Mapping[str, Any], grid: Extent | None, block: Extent | None) -> dict[str, Quantity]:
    found = {
        name: Quantity(float(number), _UNITS.get(name, ""))
        for name in _VALUES
        if isinstance(number := details.get(name), int | float) and not isinstance(number, bool)
    }
    for which, sizes in (("grid", grid), ("block", block)):
        if sizes is not None:
            found |= {
                f"{which}.{axis}": Quantity(float(size)) for axis, size in zip("xyz", sizes, strict=True)
            }
    return found


def _extent(given: object) -> Extent | None:
    if (
        not isinstance(given, list)
        or len(given) != 3
        or not all(isinstance(one, int) and one > 0 for one in given)
    ):
        return None
    return given[0], given[1], given[2]


def _report(trace: _Trace, header: Mapping[str, Any]) -> ImportedReport:
    totals, groups = trace.totals, LaunchGroups()
    kernels, shapes = trace.kernels, list(trace.kernels.shapes)
    for at, call in enumerate(trace.calls.of(kernels.correlations)):
        number = kernels.which[at]
        names = trace.ranges.around(*call) if call is not None else ()
        shape: Shape = (*shapes[number][:4], names)
        groups.add(shape, kernels.spent[at] * _MILLISECONDS, kernels.values[number])
    totals.kernels, totals.device = trace.of_kernels.union(), trace.of_device.union()
    for way, stretches in trace.copies.items():
        # Copies of several streams overlap: what counts is the time in which one is under way.
        totals.copies[way] = stretches.union().covered  # type: ignore[assignment]
    totals.span = (trace.last - trace.first) * _MICROSECONDS if trace.first is not None else None
    if kernels.spent:
        totals.saw_copies, totals.fills = True, totals.fills or 0.0
    launches = groups.launches()
    totals.names = len({one.name for one in launches})
    totals.launches = len(kernels.spent)
    device, capability = _device(header.get("deviceProperties"))
    is_of_nvidia = device is None or not is_of_other_maker("torch", device)
    notes = [] if kernels.spent else ["The trace holds no kernels, only calls of the host."]
    return ImportedReport(
        tool="torch", launches=launches, run=totals.values(), device=device,
        capability=capability if is_of_nvidia else None, is_of_nvidia=is_of_nvidia,
        toolchain={key: str(header[key]) for key in header if key.endswith("_version") and header[key]},
        host=totals.host(), notes=tuple(notes),
        columns=tuple(name for name in _VALUES if any(name in one for one in kernels.values)),
    )  # fmt: skip


def _device(given: object) -> tuple[str | None, str | None]:
    """The name and the compute capability of the first GPU."""
    if not isinstance(given, list) or not given or not isinstance(given[0], Mapping):
        return None, None
    first = given[0]
    capability = f"{first.get('computeMajor')}.{first.get('computeMinor')}"
    return str(first.get("name") or "") or None, capability if "None" not in capability else None

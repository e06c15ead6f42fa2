"""Chrome traces of torch.profiler, plain or gzipped: kernels, copies, calls and annotations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.evidence.measured.reports.cuda_calls import direction_in
from advisor.evidence.measured.reports.reading.json_stream import Damaged, JsonStream
from advisor.evidence.measured.reports.reading.opening import decoded, opened_text
from advisor.evidence.measured.reports.report import Extent, ImportedReport, Quantity
from advisor.evidence.measured.reports.run_totals import RunTotals
from advisor.evidence.measured.reports.thread_ranges import ThreadRanges
from advisor.evidence.measured.reports.timeline import Busy, LaunchGroups, Shape
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
class _Trace:
    """What was gathered of the events so far; times in microseconds, as the trace has them."""

    totals: RunTotals = field(default_factory=RunTotals)
    kernels: list[tuple[Shape, float, float, int | None, dict[str, Quantity]]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    calls: dict[int, tuple[object, float]] = field(default_factory=dict)
    copies: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    ranges: ThreadRanges = field(default_factory=ThreadRanges)
    first: float | None = None
    last: float = 0.0
    events: int = 0


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
    if not trace.kernels and not trace.totals.saw_calls and not trace.totals.saw_copies:
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
        trace.starts.append(start)
        trace.ends.append(start + spent)
        _take_device(trace, kind, name, details, start, spent)
    elif kind in ("cuda_runtime", "cuda_driver", "runtime", "driver"):
        _seen(trace, start, spent)
        trace.totals.call(name, spent * _MICROSECONDS, thread=thread)
        if isinstance(details.get("correlation"), int):
            trace.calls[details["correlation"]] = (thread, start)
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
        correlation = details.get("correlation")
        shape: Shape = (name, grid, block, 0, ())
        values = _values(details, grid, block)
        trace.kernels.append(
            (shape, start, spent, correlation if isinstance(correlation, int) else None, values)
        )
    elif kind == "gpu_memcpy":
        totals.saw_copies = totals.saw_memory_kinds = True
        way = direction_in(name) or "other"
        for one in [way, "pageable"] if "pageable" in name.lower() else [way]:
            trace.copies.setdefault(one, []).append((start, start + spent))
        size = details.get("bytes")
        totals.copied_bytes[way] += size if isinstance(size, int) else 0
    else:
        totals.fills = (totals.fills or 0.0) + spent * _MICROSECONDS


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
    around = trace.ranges.enclosing(
        [(*trace.calls[one[3]], at) for at, one in enumerate(trace.kernels) if one[3] in trace.calls]
    )
    for at, (shape, _, spent, _, values) in enumerate(trace.kernels):
        groups.add((*shape[:4], around.get(at, ())), spent * _MILLISECONDS, values)
    # Times since the epoch in nanoseconds have more digits than a float.
    origin = trace.first or 0.0
    nanoseconds = [
        ((start - origin) * _MICROSECONDS, (start - origin + spent) * _MICROSECONDS)
        for _, start, spent, _, _ in trace.kernels
    ]
    totals.kernels = Busy.of(*zip(*nanoseconds, strict=True)) if nanoseconds else Busy()
    totals.device = Busy.of(
        [(start - origin) * _MICROSECONDS for start in trace.starts],
        [(end - origin) * _MICROSECONDS for end in trace.ends],
    )
    for way, stretches in trace.copies.items():
        # Copies of several streams overlap: what counts is the time in which one is under way.
        union = Busy.of([start - origin for start, _ in stretches], [end - origin for _, end in stretches])
        totals.copies[way] = union.covered * _MICROSECONDS  # type: ignore[assignment]
    totals.span = (trace.last - trace.first) * _MICROSECONDS if trace.first is not None else None
    if trace.kernels:
        totals.saw_copies, totals.fills = True, totals.fills or 0.0
    launches = groups.launches()
    totals.names = len({one.name for one in launches})
    totals.launches = len(trace.kernels)
    device, capability = _device(header.get("deviceProperties"))
    notes = [] if trace.kernels else ["The trace holds no kernels, only calls of the host."]
    return ImportedReport(
        tool="torch", launches=launches, run=totals.values(), device=device, capability=capability,
        toolchain={key: str(header[key]) for key in header if key.endswith("_version") and header[key]},
        host=totals.host(), notes=tuple(notes),
        columns=tuple(name for name in _VALUES if any(name in one[4] for one in trace.kernels)),
    )  # fmt: skip


def _device(given: object) -> tuple[str | None, str | None]:
    """The name and the compute capability of the first GPU."""
    if not isinstance(given, list) or not given or not isinstance(given[0], Mapping):
        return None, None
    first = given[0]
    capability = f"{first.get('computeMajor')}.{first.get('computeMinor')}"
    return str(first.get("name") or "") or None, capability if "None" not in capability else None

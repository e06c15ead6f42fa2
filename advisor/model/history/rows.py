"""Fingerprints and runs as rows of the history's tables, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.model.history.fingerprint import (
    Extent,
    Fingerprint,
    KernelIdentity,
    LineMetrics,
    Run,
    RunFacts,
    Timing,
)
from advisor.model.records import Value

FINGERPRINT_COLUMNS = (
    "line, source_hash, types, grid, block, dynamic_shared, launches, mean_ms, timing, metrics, lines, ranges"
)
# Of fingerprints `f` and their kernels `k`.
READ_COLUMNS = "k.name, k.path, k.source, " + ", ".join(f"f.{one}" for one in FINGERPRINT_COLUMNS.split(", "))
RUN_COLUMNS = (
    "id, kind, label, command, started, device, executed_on, toolchain, commit_id, dirty, status, metrics,"
    " notes, host, process"
)


def to_json(value: object) -> str:
    """Compact JSON; numbers that are not finite are unknown and become null."""
    return json.dumps(_finite(value), separators=(",", ":"), ensure_ascii=False)


def known(metrics: Mapping[str, Value]) -> dict[str, Value]:
    """The metrics whose values are known: numbers that are finite, texts and truth values."""
    return {
        name: value for name, value in metrics.items() if not isinstance(value, float) or math.isfinite(value)
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def fingerprint_row(one: Fingerprint) -> tuple[Any, ...]:
    """The values of FINGERPRINT_COLUMNS."""
    who, timing = one.identity, one.timing
    times = timing and [
        timing.iterations, timing.mean, timing.median, timing.deviation, timing.least, timing.most,
        list(timing.samples),
    ]  # fmt: skip
    lines = [[line.path, line.line, line.entity, known(line.metrics)] for line in one.lines]
    return (
        one.line, who.source_hash, to_json(who.types), _shape(who.grid), _shape(who.block),
        who.dynamic_shared, one.launches, timing.mean if timing else None, to_json(times),
        to_json(known(one.metrics)), to_json(lines), to_json(one.ranges),
    )  # fmt: skip


def kernel_row(one: Fingerprint) -> tuple[str, str, str]:
    """Path, name and source, by which a kernel is known on a device; '' where it has no path."""
    return one.identity.path or "", one.identity.name, one.source


def _shape(extent: Extent | None) -> str | None:
    return None if extent is None else " ".join(map(str, extent))


def _extent(text: str | None) -> Extent | None:
    if text is None:
        return None
    x, y, z = map(int, text.split())
    return x, y, z


def read_fingerprint(row: Sequence[Any]) -> Fingerprint:
    """The fingerprint of a row of READ_COLUMNS."""
    name, path, source, line, source_hash, types, grid, block, shared, launches = row[:10]
    timing, metrics, lines, ranges = (json.loads(text) for text in row[11:15])
    return Fingerprint(
        identity=KernelIdentity(
            name, path or None, source_hash, tuple(json.loads(types)), _extent(grid), _extent(block), shared
        ),
        source=source,
        launches=launches,
        timing=_timing(timing),
        metrics=metrics,
        lines=tuple(LineMetrics(*one) for one in lines),
        ranges=tuple(ranges),
        line=line,
    )


def _timing(row: list[Any] | None) -> Timing | None:
    if row is None:
        return None
    iterations, mean, median, deviation, least, most, samples = row
    return Timing(iterations, mean, median, deviation, least, most, tuple(samples))


def run_row(facts: RunFacts) -> tuple[Any, ...]:
    """The values of the columns from `kind` to `dirty`."""
    return (
        facts.kind, facts.label, facts.command, facts.started, facts.device, facts.executed_on,
        to_json(facts.toolchain), facts.commit,
        None if facts.dirty is None else int(facts.dirty),
    )  # fmt: skip


def read_run(row: Sequence[Any], status: str) -> Run:
    """The run of a row of RUN_COLUMNS, without its fingerprints."""
    number, kind, label, command, started, device, executed_on, tools, commit, dirty = row[:10]
    metrics, notes, host = (json.loads(text) for text in row[11:14])
    return Run(
        facts=RunFacts(
            kind, label, command, started, device, executed_on, json.loads(tools), commit,
            None if dirty is None else bool(dirty),
        ),
        metrics=metrics,
        notes=tuple(notes),
        host=host,
        id=number,
        status=status,
    )  # fmt: skip

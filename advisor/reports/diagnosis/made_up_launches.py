"""The launches that were made up for a kernel, one by one, with what each of them showed at a line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.evidence.metrics.tables import Table, Tables
from advisor.evidence.simulated.synthesis.evidence import shape
from advisor.evidence.simulated.synthesis.result import LineCounts, MadeLaunch, Synthesis
from advisor.model.devices import Device
from advisor.model.records import Value
from advisor.reports.outputs.wording.counts import counted
from advisor.reports.outputs.wording.quantities import number

# Nanoseconds of a millisecond.
_NS = 1e6
Places = Collection[tuple[str, int]]


def synthesis_in_words(synthesis: Synthesis, places: Places | None = None) -> Iterator[str]:
    """Lines of text: each launch, then what they agree about and what not, at some places or at all."""
    if synthesis.unknown:
        yield f"Nothing is known of launches that were made up: {synthesis.unknown}"
    for position, launch in enumerate(synthesis.launches, start=1):
        yield f"{position}. {_launch_in_words(launch)}"
    for position, launch in enumerate(synthesis.edges, start=len(synthesis.launches) + 1):
        yield f"{position}. {_launch_in_words(launch)}; of branches alone"
    if synthesis.lines:
        yield "Numbers hold for full warps: warps with idle lanes ask for less."
    for line in synthesis.lines:
        if places is None or (line.path, line.line) in places:
            edges = len(synthesis.edges) if line.entity == "branch" else 0
            yield from _line_in_words(line, len(synthesis.launches) + edges)


def synthesis_as_json(synthesis: Synthesis, places: Places | None = None) -> Mapping[str, Any]:
    """The same as JSON values; `seen` has the values of each launch where they do not agree."""
    return {
        "unknown": synthesis.unknown or None,
        "launches": [asdict(one) for one in synthesis.launches],
        "launches_at_edges": [asdict(one) for one in synthesis.edges],
        "lines": [asdict(one) for one in synthesis.lines if places is None or (one.path, one.line) in places],
        "values": dict(synthesis.values),
    }


def element_time_in_words(tables: Tables, kernel: str, device: Device) -> str:
    """The predicted time by element of a kernel, by its key, as a sentence, or why there is none; empty where
    no launches were made up.
    """
    table = tables.get("kernel")
    if table is None or kernel not in table.keys:
        return ""
    row = table.keys.index(kernel)
    reason = _text(table, "time_unknown_because", row)
    if reason:
        return f"No time by element is predicted. {reason}"
    column = table.columns.get("predicted_ms_per_element")
    if column is None or column.source(row) is None:
        return ""
    least = float(column.values[row]) * _NS
    most = column.most.get(row, least / _NS) * _NS
    by = diagnosis_tree().limit_in_words(_text(table, "predicted_limiter", row))
    return (
        f"Predicted at a grid that fills {device.name}: {number(least)} to {number(most)} ns an element, "
        f"limited by {by}."
    )


def _text(table: Table, metric: str, row: int) -> str:
    column = table.columns.get(metric)
    return "" if column is None or column.source(row) is None else str(column.values[row])


def _launch_in_words(launch: MadeLaunch) -> str:
    sizes = [f"{name} {_sizes(size)}" for name, size in launch.shapes.items()]
    scalars = [f"{name} = {number(value)}" for name, value in launch.scalars.items()]
    given = f"; {', '.join([*sizes, *scalars])}" if sizes or scalars else ""
    outside = counted(launch.out_of_bounds, "access", "accesses")
    active = f"{launch.active:.0%} of the lanes active"
    ended = "" if launch.ended else "did not end in time; "
    return (
        f"{launch.variant}: grid {shape(launch.grid)}, block {shape(launch.block)}{given}; "
        f"({', '.join(launch.types)}); {ended}{active}, {outside} out of bounds"
    )


def _sizes(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes))


def _line_in_words(line: LineCounts, launches: int) -> Iterator[str]:
    what = " ".join(filter(None, [line.entity, line.array and f"`{line.array}`", line.kind]))
    where = f"{line.path}:{line.line}: {what}"
    for metric, value in line.values.items():
        if value is not None:
            most = line.most.get(metric)
            upto = "" if most is None else f" to {number(most)}"
            yield f"{where}: {metric} = {_value(value)}{upto} in all {launches}"
    for metric, seen in line.seen.items():
        each = ", ".join("unknown" if one is None else number(one) for one in seen)
        yield f"{where}: {metric} is not told, for the launches differ: {each}"


def _value(value: Value) -> str:
    return number(value) if isinstance(value, float) else str(value)

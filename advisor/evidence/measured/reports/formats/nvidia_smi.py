"""Logs of `nvidia-smi --query-gpu=… --format=csv -l 1`: what a GPU's sensors said while something ran."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from advisor.evidence.measured.nvml import Facts, Sample, clock_reasons, run_metrics
from advisor.evidence.measured.reports.reading.csv_tables import rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.report import ImportedReport, Quantity
from advisor.model.errors import UsageError

NAME = "log of nvidia-smi (--query-gpu … --format=csv)"
# Columns of `nvidia-smi --help-query-gpu`, without their units; older versions have the second names.
_MARKS = ("utilization.gpu", "memory.used", "temperature.gpu", "power.draw", "clocks.current.sm", "clocks.sm")
_SM_CLOCK = ("clocks.current.sm", "clocks.sm")
_MOST_CLOCK = ("clocks.max.sm",)
_REASONS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
_IDENTITY = ("uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id")
_COLUMN = re.compile(r"(?P<name>[\w.]+)\s*(?:\[(?P<unit>[^\]]*)\])?")
_CELL = re.compile(r"(?P<number>-?\d+(?:\.\d+)?)\s*(?P<unit>\S+)?")
_UNITS = {"MiB": 2.0**20, "GiB": 2.0**30, "KiB": 2.0**10, "MHz": 1e6, "%": 0.01, "W": 1.0}


def recognises(path: Path, head: bytes) -> bool:
    """Whether the first line that is not empty names two of the sensors as columns."""
    del path
    line = next((one for one in decoded(head).splitlines() if one.strip()), "")
    return len({name for name, _ in map(_column, line.split(","))} & set(_MARKS)) >= 2


def _column(cell: str) -> tuple[str, str]:
    match = _COLUMN.fullmatch(cell.strip().strip('"'))
    return (match["name"], match["unit"] or "") if match else (cell.strip(), "")


def read(path: Path) -> ImportedReport:
    """The log as metrics of a run. Raises UsageError where it has no row."""
    columns, rows = _table(path)
    if not rows:
        raise UsageError(f"{path}: the log holds no sample.")
    gpus = _by_gpu(rows)
    samples = {name: [_sample(row) for row in one] for name, one in gpus.items()}
    name = max(samples, key=lambda gpu: _mean([one.utilization for one in samples[gpu]]) or 0.0)
    notes = [f"The sensors were asked {len(samples[name])} times; the log says nothing of single kernels."]
    if len(gpus) > 1:
        notes.append(f"The log is of {len(gpus)} GPUs; the one that worked most, {name}, is judged.")
    return ImportedReport(
        tool="nvidia_smi",
        launches=(),
        run=_metrics(samples[name], gpus[name][0]),
        device=gpus[name][0].get("name") or None,
        notes=tuple(notes),
        columns=tuple(one for one in columns if one not in (*_MARKS, *_REASONS, *_IDENTITY, *_READ)),
    )


_READ = ("timestamp", "name", "memory.total", "memory.free", "utilization.memory", *_MOST_CLOCK)


def _table(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    header: list[tuple[str, str]] = []
    rows: list[dict[str, str]] = []
    for line, row in rows_of(path):
        if not header:
            header = [_column(cell) for cell in row] if any(row) else []
        elif len(row) == len(header):
            cells = [cell.strip() for cell in row]
            if [_column(cell) for cell in row] == header:
                continue  # each start of the tool writes its heading again
            rows.append(
                {
                    name: f"{cell} {unit}" if unit and re.fullmatch(r"[\d.]+", cell) else cell
                    for (name, unit), cell in zip(header, cells, strict=True)
                }
            )
        elif any(row):
            raise UsageError(
                f"{path}:{line}: a row has {len(row)} columns where the heading has {len(header)}; "
                "the file is cut off or damaged."
            )
    return [name for name, _ in header], rows


def _by_gpu(rows: Sequence[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        identity = next((row[one] for one in _IDENTITY if row.get(one)), row.get("name", ""))
        found.setdefault(identity, []).append(row)
    return found


def _sample(row: Mapping[str, str]) -> Sample:
    memory = _value(row, "memory.used")
    return Sample(
        time=0.0,
        utilization=_value(row, "utilization.gpu"),
        memory_utilization=_value(row, "utilization.memory"),
        sm_clock=_value(row, *_SM_CLOCK),
        memory_clock=None,
        reasons=_reasons(row),
        temperature=_value(row, "temperature.gpu"),
        power=_value(row, "power.draw"),
        memory_used=None if memory is None else int(memory),
        processes=None,
    )


def _value(row: Mapping[str, str], *columns: str) -> float | None:
    """The number of the first of the columns that is there, in base units; None for `[N/A]` and the like."""
    text = next((row[one] for one in columns if one in row), "")
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    return float(match["number"]) * _UNITS.get(match["unit"] or "", 1.0)


def _reasons(row: Mapping[str, str]) -> tuple[str, ...] | None:
    text = next((row[one] for one in _REASONS if one in row), "")
    try:
        return clock_reasons(int(text, 16))
    except ValueError:
        return None


def _metrics(samples: Sequence[Sample], first: Mapping[str, str]) -> dict[str, Quantity]:
    total = _value(first, "memory.total")
    facts = Facts(
        name=first.get("name", ""), driver="", memory=None if total is None else int(total),
        max_sm_clock=_value(first, *_MOST_CLOCK), max_memory_clock=None, power_limit=None,
    )  # fmt: skip
    found = {name: Quantity(float(value)) for name, value in run_metrics(samples, facts).items()}
    if (busy := _mean([one.utilization for one in samples])) is not None:
        found["gpu_utilization"] = Quantity(busy)
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None

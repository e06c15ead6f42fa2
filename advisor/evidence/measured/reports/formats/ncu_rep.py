"""`.ncu-rep`: read by Nsight Compute itself, the program or its Python module, where one of them is there."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.evidence.measured.reports.formats import ncu_raw, ncu_source
from advisor.evidence.measured.reports.launch_table import LaunchTable
from advisor.evidence.measured.reports.ncu_launches import NcuLaunch
from advisor.evidence.measured.reports.report import Extent, ImportedReport, Quantity
from advisor.model.errors import UsageError

NAME = "Nsight Compute report (.ncu-rep)"
_MAGIC = b"NVR\0"
_SECONDS = 600.0
_DEVICE_NAME = "device__attribute_display_name"


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file has the mark or the name of a report of Nsight Compute."""
    return head.startswith(_MAGIC) or path.suffix == ".ncu-rep"


def read(path: Path) -> ImportedReport:
    """What Nsight Compute reads in the report. Raises UsageError where it is not there or cannot."""
    program = shutil.which("ncu")
    if program is not None:
        return _by_program(program, path)
    try:
        module = importlib.import_module("ncu_report")
    except ImportError:
        raise UsageError(
            f"{path}: only Nsight Compute reads this; neither `ncu` nor its module ncu_report is here; "
            f"run `ncu --import {path.name} --csv --page raw > report.csv` where it is, and import that."
        ) from None
    return _by_module(module, path)


def _by_program(program: str, path: Path) -> ImportedReport:
    with tempfile.TemporaryDirectory(prefix="advisor-") as folder:
        raw = _exported(program, path, Path(folder) / "raw.csv", "--page", "raw")
        report = ncu_raw.report_of(raw, every=True)
        try:
            source = _exported(
                program, path, Path(folder) / "source.csv", "--page", "source", "--print-source", "cuda,sass"
            )
            lines, notes = ncu_source.read(source).lines, report.notes
        except UsageError:
            lines, notes = (), (*report.notes, "The report has no counters of source lines.")
    return replace(report, lines=lines, notes=notes)


def _exported(program: str, path: Path, target: Path, *options: str) -> Path:
    command = [program, "--import", str(path.absolute()), "--csv", "--print-units", "base", *options]
    try:
        with target.open("wb") as stream:
            ended = subprocess.run(
                command, stdout=stream, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=_SECONDS,
                check=False,
            )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{path}: ncu could not be run: {error}.") from None
    if ended.returncode or not target.stat().st_size:
        said = " ".join(
            (ended.stderr.decode(errors="replace") or target.read_text("utf-8", "replace")).split()
        )
        raise UsageError(f"{path}: ncu cannot read the report: {said[:300] or 'it printed nothing'}")
    return target


def _by_module(module: Any, path: Path) -> ImportedReport:
    table = LaunchTable()
    try:
        for launch, values in _actions(module.load_report(str(path))):
            number = table.add(launch)
            for name, value in values.items():
                table.put(number, name, value)
    except Exception as error:  # whatever the tool's module raises
        raise UsageError(f"{path}: ncu_report cannot read the report: {error}.") from None
    if not len(table):
        raise UsageError(f"{path}: the report holds no launch of a kernel.")
    device = table.get(0, _DEVICE_NAME)
    return ImportedReport(
        tool="ncu",
        launches=table.gathered(),
        device=str(device.value) if device else None,
        capability=table.first().capability or None,
        columns=table.names(),
    )


def _actions(context: Any) -> Iterator[tuple[NcuLaunch, dict[str, Quantity]]]:
    for number in range(context.num_ranges()):
        group = context.range_by_idx(number)
        for at in range(group.num_actions()):
            yield _launch(group.action_by_idx(at))


def _launch(action: Any) -> tuple[NcuLaunch, dict[str, Quantity]]:
    values = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        value = metric.value() if metric is not None else None
        if isinstance(value, bool | int | float):
            values[name] = Quantity(float(value), metric.unit() or "")
        elif isinstance(value, str) and value:
            values[name] = Quantity(value)
    capability = [values.get(f"device__attribute_compute_capability_{part}") for part in ("major", "minor")]
    numbers = [f"{int(one.value)}" for one in capability if one and not isinstance(one.value, str)]
    launch = NcuLaunch(
        name=action.name(),
        grid=_extent(values, "grid"),
        block=_extent(values, "block"),
        capability=".".join(numbers) if len(numbers) == 2 else "",
    )
    return launch, values


def _extent(values: dict[str, Quantity], which: str) -> Extent | None:
    sizes = [values.get(f"launch__{which}_dim_{axis}") for axis in "xyz"]
    numbers = [int(size.value) for size in sizes if size is not None and not isinstance(size.value, str)]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None

"""A run made of reports: read, mapped, matched to the project's kernels, and judged by the rules."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.cli.importing.matching import Mapped, Matcher, ProjectKernel
from advisor.evidence.measured.reports import ImportedReport, read_report
from advisor.evidence.measured.reports.fingerprints import Reading, merged, reading_of
from advisor.evidence.measured.reports.mapping import counters_beside, shapes_are_judged
from advisor.evidence.measured.reports.records import records_of
from advisor.model.devices import Device, find_device, load_devices
from advisor.model.errors import UsageError
from advisor.model.findings import Report
from advisor.model.history.fingerprint import Fingerprint, Run, RunFacts
from advisor.model.history.identity import git_state
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions
from advisor.runs.profiling.rates import achieved_rates

_ENTITIES = ("run", "kernel", "line")
_UNKNOWN = "unknown GPU"
_OTHER_MAKER = "The report is of an AMD GPU: times, calls and copies are judged, occupancy and grids are not."


@dataclass(frozen=True)
class Imported:
    """What `advisor import` made of its files: the run, the findings, and what was left out.

    `unused` are the reports' metrics that no table maps, `refused` those whose numbers could not be taken,
    with the reason. `judged_for` is the device that the rules used. `lacking` says of unused metrics which
    counter beside them would give which metric.
    """

    run: Run
    report: Report
    unused: tuple[str, ...]
    refused: Mapping[str, str]
    judged_for: str
    lacking: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Project:
    """The kernels of the project, the records of its source, and its texts by path."""

    kernels: tuple[ProjectKernel, ...]
    records: tuple[Record, ...]
    texts: Mapping[str, str]
    shown: Mapping[str, str]


def import_reports(
    files: Sequence[Path],
    options: CheckOptions,
    project: Project,
    label: str,
    mapped: Sequence[str],
    named: str,
) -> Imported:
    """The run that the reports tell of. Raises UsageError that names every file that cannot be read.

    `named` is the device that the user names, empty for that of the reports.
    """
    matcher = Matcher(project.kernels, [Mapped.parsed(one) for one in mapped])
    reports = _read(files)
    readings = [reading_of(report) for report in reports]
    fingerprints = merged(
        matcher.matched(one, name) for reading in readings for name, one in reading.fingerprints
    )
    device = _chosen(named, reports, options.device)
    known = device.device if device.certain else None
    fingerprints = [_with_rates(one, known) for one in fingerprints]
    run = Run(
        _facts(files, reports, label, options, device),
        metrics={name: value for reading in readings for name, value in reading.metrics.items()},
        fingerprints=tuple(fingerprints),
        notes=tuple(filter(None, [device.note, *_notes(reports), *matcher.notes])),
        host={key: value for report in reports for key, value in report.host.items() if value},
    )
    judged = _judged(run, files, replace(options, device=device.device.id), project)
    if device.told and not device.certain:
        judged.device = device.told
    lacking = _lacking(reports, readings)
    return Imported(run, judged, _unused(readings), _refused(readings), device.device.id, lacking)


def _read(files: Sequence[Path]) -> list[ImportedReport]:
    """The reports. Raises UsageError with a line for each file that cannot be read."""
    found, refused = [], []
    for file in files:
        try:
            found.append(read_report(file))
        except UsageError as error:
            refused.append(str(error))
    if refused:
        raise UsageError("\n".join(refused))
    return found


def _with_rates(one: Fingerprint, device: Device | None) -> Fingerprint:
    """A fingerprint with what its time makes of its bytes and operations; shares of peaks for a known GPU."""
    if one.timing is None:
        return one
    rates = achieved_rates(one.timing.mean, one.metrics, device)
    return replace(one, metrics={**rates, **one.metrics})


def _facts(
    files: Sequence[Path],
    reports: Sequence[ImportedReport],
    label: str,
    options: CheckOptions,
    device: _Chosen,
) -> RunFacts:
    commit, dirty = git_state(options.settings.root)
    return RunFacts(
        kind="import",
        label=label or ", ".join(file.name for file in files),
        command=shlex.join(["advisor", "import", *map(str, files)]),
        started=time.time(),
        device=device.device.id if device.certain else device.told or _UNKNOWN,
        executed_on=device.told or (device.device.name if device.certain else _UNKNOWN),
        toolchain={name: value for report in reports for name, value in report.toolchain.items()},
        commit=commit,
        dirty=dirty,
    )


@dataclass(frozen=True)
class _Chosen:
    """The device to judge for, whether it is the report's, the report's name of it, and what to say of it."""

    device: Device
    certain: bool
    told: str = ""
    note: str = ""


def _chosen(named: str, reports: Sequence[ImportedReport], default: str) -> _Chosen:
    names = list(dict.fromkeys(report.device for report in reports if report.device))
    told = names[0] if names else ""
    if named:
        return _Chosen(find_device(named), True, told)
    if len(names) > 1:
        raise UsageError(f"the reports are of several GPUs ({', '.join(names)}); import them one by one.")
    capabilities = list(dict.fromkeys(report.capability for report in reports if report.capability))
    if len(capabilities) > 1:
        raise UsageError(
            f"the reports are of GPUs of compute capabilities {' and '.join(capabilities)}; "
            "import them one by one."
        )
    capability = capabilities[0] if capabilities else None
    found = _found(told, capability)
    if found is not None:
        return _Chosen(found, True, told)
    if capability is not None:
        return _by_capability(told, capability, find_device(default))
    if not any(report.is_of_nvidia and shapes_are_judged(report.tool) for report in reports):
        return _Chosen(find_device(default), False, told, _OTHER_MAKER)
    who = f"The GPU of the report, {told}, has no device file" if told else "The report does not name its GPU"
    note = f"{who}; rules that need its numbers were judged for {default} (--device names another)."
    return _Chosen(find_device(default), False, told, note)


def _by_capability(told: str, capability: str, default: Device) -> _Chosen:
    """A device of the report's compute capability, the usual one where that has it: what a block may take
    is the same in all of them, peaks are not.
    """
    fitting = [one for one in load_devices().values() if one.compute_capability == capability]
    chosen = default if default in fitting or not fitting else fitting[0]
    who = f"The GPU of the report, {told}, has no device file" if told else "The report does not name its GPU"
    what = f"; rules that need its numbers were judged for {chosen.name}"
    if fitting:
        note = f"{who}, its compute capability is {capability}{what}, which has that too"
    else:
        note = (
            f"{who}, and none has its compute capability {capability}{what}, of {chosen.compute_capability}"
        )
    return _Chosen(chosen, False, told, f"{note} (--device names another).")


def _found(name: str, capability: str | None) -> Device | None:
    """The device with the report's name, as `NVIDIA A100-SXM4-80GB` is an A100 80GB; None for doubt."""
    devices = load_devices().values()
    words = [word for word in (name, name.removeprefix("NVIDIA ")) if word]
    for word in words:
        try:
            return find_device(word)
        except UsageError:
            continue
    folded = name.casefold().replace("-", " ").split()
    fitting = [
        device
        for device in devices
        if (capability is None or device.compute_capability == capability)
        and folded
        and all(word in folded for word in device.id.casefold().split("-")[:1])
    ]
    exact = [device for device in fitting if all(part in "".join(folded) for part in device.id.split("-"))]
    chosen = exact if len(exact) == 1 else fitting
    return chosen[0] if len(chosen) == 1 else None


def _judged(run: Run, files: Sequence[Path], options: CheckOptions, project: Project) -> Report:
    """The findings that rest on at least one number of the reports."""
    from advisor.check.pipeline import report_on

    shown = os.path.relpath(files[0], options.root).replace(os.sep, "/")
    measured = records_of(run, shown, project.shown)
    matched = {(one.path, one.label) for one in measured if one.entity == "kernel"}
    source = [one for one in project.records if one.entity == "kernel" and (one.path, one.label) in matched]
    facts = {(one.path, one.label): one for one in source}
    for record in measured:
        known = facts.get((record.path, record.label))
        if record.entity == "kernel" and known is not None:
            record.readings = {**known.readings, **record.readings}
    texts = {path: text for path, text in project.texts.items() if any(path == one[0] for one in matched)}
    report = report_on(measured, _ENTITIES, options, texts, ["measured", "assumed"])
    # A report holds numbers of kernels and runs, never of accesses: most rules stay open by its nature.
    report.undecided = []
    report.notices += run.notes
    return report


def _notes(reports: Sequence[ImportedReport]) -> list[str]:
    return list(dict.fromkeys(note for report in reports for note in report.notes))


def _unused(readings: Sequence[Reading]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for reading in readings for name in reading.unused))


def _lacking(reports: Sequence[ImportedReport], readings: Sequence[Reading]) -> dict[str, tuple[str, str]]:
    known = [name for report in reports for name in report.columns]
    unused = _unused(readings)
    return {
        name: found
        for tool in dict.fromkeys(report.tool for report in reports)
        for name, found in counters_beside(tool, unused, known).items()
    }


def _refused(readings: Sequence[Reading]) -> dict[str, str]:
    return {name: reason for reading in readings for name, reason in reading.refused.items()}

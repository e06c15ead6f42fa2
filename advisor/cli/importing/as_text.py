"""What an import found, for people: findings first, then the run and what was left out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from advisor.cli.pages.tables import plain_table
from advisor.cli.reporting.page import fitting_table
from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.visible_text import harmless
from advisor.reports.outputs import RenderOptions, options_for, render_report
from advisor.reports.outputs.wording.numbers import (
    UNKNOWN,
    counted,
    ratio_in_words,
    shape_in_words,
    time_in_words,
)
from advisor.reports.outputs.wording.run_metrics import run_numbers
from advisor.rules.units import find_unit, format_value

if TYPE_CHECKING:
    from advisor.cli.importing.imported_run import Imported

_MOST_KERNELS = 15
_MOST_NAMES = 8
_HEADER = (
    "kernel", "grid", "block", "launches", "time", "SM", "memory", "occupancy", "tensor", "bandwidth",
    "sectors/request", "stalled by", "range",
)  # fmt: skip
_NUMBERS = range(3, 11)
_ALWAYS = (0, 3, 4)
# What a narrow terminal does without, the first ones first.
_OPTIONAL = (12, 11, 10, 1, 2, 8, 9)
_WITH_UNIT = {"achieved_bandwidth": "byte/s", "global_sectors_per_request": "count"}
_STALL = "stall_"


def import_text(imported: Imported, options: CheckOptions, verbose: bool, quiet: bool = False) -> str:
    """The findings as `check --all` prints them, a table of the kernels, and what was not used."""
    from advisor.reports.rule_pages.catalogue import load_catalogue

    if quiet:
        imported.report.notices.clear()
    shown = RenderOptions(quiet=quiet) if sys.stdout is None else options_for(sys.stdout, quiet=quiet)
    findings = render_report("text", imported.report, load_catalogue(options.settings), shown).rstrip()
    parts = [_kernels(imported.run)]
    if imported.run.metrics:
        parts.append(_run_numbers(imported.run))
    if not quiet:
        parts.append("\n".join(_closing(imported, verbose)))
    parts = [findings, *map(harmless, parts)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _kernels(run: Run) -> str:
    ordered = sorted(run.fingerprints, key=lambda one: -float(one.metrics.get("latency_ms", 0.0)))
    counted = [one for one in ordered if one.launches]
    if not counted:
        return ""
    rows = [_row(one) for one in counted[:_MOST_KERNELS]]
    # A column in which no report has a number is none.
    shown = [
        at for at in range(len(_HEADER)) if at in _ALWAYS or any(row[at] not in ("", UNKNOWN) for row in rows)
    ]
    table = fitting_table(
        [_HEADER[at] for at in shown],
        [[row[at] for at in shown] for row in rows],
        [place for place, at in enumerate(shown) if at in _NUMBERS],
        [shown.index(at) for at in _OPTIONAL if at in shown],
    )
    rest = len(counted) - _MOST_KERNELS
    return f"{table}\nand {rest} more, with less time" if rest > 0 else str(table)


def _row(one: Fingerprint) -> tuple[str, ...]:
    metrics = one.metrics
    return (
        shortened(one.identity.name, 48),
        shape_in_words(one.identity.grid),
        shape_in_words(one.identity.block),
        str(one.launches),
        time_in_words(_number(metrics.get("latency_ms"))),
        *(
            ratio_in_words(_number(metrics.get(name)))
            for name in ("sm_throughput", "memory_throughput", "achieved_occupancy", "tensor_utilization")
        ),
        *(_with_unit(metrics.get(name), unit) for name, unit in _WITH_UNIT.items()),
        _stall(one),
        # Kernels of one name and shape are told apart by where the program was.
        " > ".join(one.ranges),
    )


def _with_unit(value: object, name: str) -> str:
    unit = find_unit(name)
    return format_value(value, unit) if isinstance(value, float) and unit is not None else UNKNOWN


def _stall(one: Fingerprint) -> str:
    shares = {
        name.removeprefix(_STALL).replace("_", " "): float(value)
        for name, value in one.metrics.items()
        if name.startswith(_STALL)
    }
    if not shares:
        return UNKNOWN
    most = max(shares, key=lambda name: shares[name])
    return f"{most} {ratio_in_words(shares[most])}"


def _run_numbers(run: Run) -> str:
    """The numbers of the whole run; what did not happen in it is left out."""
    rows = run_numbers({name: value for name, value in run.metrics.items() if value != 0.0})
    return plain_table(("run", ""), rows, right=(1,)) if rows else ""


def _closing(imported: Imported, verbose: bool) -> list[str]:
    run = imported.run
    matched = sum(one.identity.path is not None for one in run.fingerprints)
    names = {one.identity.name for one in run.fingerprints}
    found = "none found in the project's source"
    if matched:
        all_of_them = matched == len(run.fingerprints)
        found = f"{'all' if all_of_them else matched} found in the project's source"
    kept = "not kept" if run.id is None else f"kept as run {run.id}"
    lines = [
        f"{run.facts.label}: {counted(len(names), 'kernel')} in {counted(len(run.fingerprints), 'shape')}, "
        f"{found}; {run.facts.executed_on}; {kept}."
    ]
    if imported.unused:
        shown = imported.unused if verbose else imported.unused[:_MOST_NAMES]
        more = (
            ""
            if len(shown) == len(imported.unused)
            else f" and {len(imported.unused) - len(shown)} more (-v)"
        )
        lines.append(
            f"{counted(len(imported.unused), 'metric')} of the report not used: {', '.join(shown)}{more}."
        )
    lines += [
        f"{name} says nothing alone; with {other} it gives {metric}: add it to `ncu --metrics`."
        for name, (other, metric) in imported.lacking.items()
    ]
    lines += [f"{name} not used: {reason}." for name, reason in imported.refused.items()]
    return lines


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None

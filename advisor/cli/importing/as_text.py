"""What an import found, for people: findings first, then the run and what was left out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.check_options import CheckOptions
from advisor.cli.pages.tables import plain_table
from advisor.history.fingerprint import Fingerprint, Run
from advisor.measured.reports.kernel_names import shortened
from advisor.outputs import RenderOptions, options_for, render_report

if TYPE_CHECKING:
    from advisor.cli.importing.imported_run import Imported

_MOST_KERNELS = 15
_MOST_NAMES = 8
_HEADER = ("kernel", "grid", "block", "launches", "time", "SM", "memory", "occupancy", "tensor", "stalled by")
_STALL = "stall_"


def import_text(imported: Imported, options: CheckOptions, verbose: bool) -> str:
    """The findings as `check` prints them, a table of the kernels, and what was not used."""
    from advisor.pages.catalogue import load_catalogue

    shown = RenderOptions() if sys.stdout is None else options_for(sys.stdout)
    parts = [render_report("text", imported.report, load_catalogue(options.settings), shown).rstrip()]
    parts.append(_kernels(imported.run))
    if imported.run.metrics:
        parts.append(_run_numbers(imported.run))
    parts.append("\n".join(_closing(imported, verbose)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _kernels(run: Run) -> str:
    ordered = sorted(run.fingerprints, key=lambda one: -float(one.metrics.get("latency_ms", 0.0)))
    counted = [one for one in ordered if one.launches]
    if not counted:
        return ""
    rows = [_row(one) for one in counted[:_MOST_KERNELS]]
    table = plain_table(_HEADER, rows, right=(3, 4, 5, 6, 7, 8))
    rest = len(counted) - _MOST_KERNELS
    return f"{table}\nand {rest} more, with less time" if rest > 0 else str(table)


def _row(one: Fingerprint) -> tuple[str, ...]:
    metrics = one.metrics
    return (
        shortened(one.identity.name, 48),
        _shape(one.identity.grid),
        _shape(one.identity.block),
        str(one.launches),
        _time(metrics.get("latency_ms")),
        *(
            _share(metrics.get(name))
            for name in ("sm_throughput", "memory_throughput", "achieved_occupancy", "tensor_utilization")
        ),
        _stall(one),
    )


def _stall(one: Fingerprint) -> str:
    shares = {
        name.removeprefix(_STALL): float(value)
        for name, value in one.metrics.items()
        if name.startswith(_STALL)
    }
    if not shares:
        return ""
    most = max(shares, key=lambda name: shares[name])
    return f"{most} {_share(shares[most])}"


def _run_numbers(run: Run) -> str:
    from advisor.config import Config
    from advisor.rulebook import rulebook_for
    from advisor.rules.units import format_value

    rulebook = rulebook_for(Config())
    lines = []
    for name, value in run.metrics.items():
        metric = rulebook.metric("run", name)
        lines.append(f"  {name} = {value if metric is None else format_value(value, metric.unit)}")
    return "\n".join(["The run:", *lines])


def _closing(imported: Imported, verbose: bool) -> list[str]:
    run = imported.run
    matched = sum(one.identity.path is not None for one in run.fingerprints)
    names = {one.identity.name for one in run.fingerprints}
    kept = "not kept" if run.id is None else f"kept as run {run.id}"
    lines = [
        f"{run.facts.label}: {_counted(len(names), 'kernel')} in {_counted(len(run.fingerprints), 'shape')}, "
        f"{matched} of these matched to the project; {run.facts.executed_on}; {kept}."
    ]
    if imported.unused:
        shown = imported.unused if verbose else imported.unused[:_MOST_NAMES]
        more = (
            ""
            if len(shown) == len(imported.unused)
            else f" and {len(imported.unused) - len(shown)} more (-v)"
        )
        lines.append(
            f"{_counted(len(imported.unused), 'metric')} of the report not used: {', '.join(shown)}{more}."
        )
    lines += [f"{name} not used: {reason}." for name, reason in imported.refused.items()]
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _shape(extent: Sequence[int] | None) -> str:
    numbers = list(extent or ())
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers)) if numbers else "?"


def _time(value: object) -> str:
    if not isinstance(value, float):
        return ""
    return f"{value:.3g} ms" if value >= 1.0 else f"{value * 1e3:.3g} us"


def _share(value: object) -> str:
    return f"{value * 100:.1f}%" if isinstance(value, float) else ""

"""What a watch sees, for a terminal and for a log."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.cli.monitoring.watch import Watch
from advisor.evidence.measured.nvml import Facts, Sample
from advisor.model.findings import Finding
from advisor.rules.units import find_unit, format_value

_UNKNOWN = "-"
_BARS = "▁▂▃▄▅▆▇█"
_COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}
_HERTZ_PER_MHZ = 1e6


def live_view(watch: Watch) -> RenderableType:
    """A table of the latest values with the trend of each, and the findings below."""
    table = Table(title=f"{watch.facts.name}, driver {watch.facts.driver}", title_justify="left", box=None)
    for name in ("", "now", "of", "trend"):
        table.add_column(name, justify="right" if name in ("now", "of") else "left", no_wrap=name != "trend")
    for row in _rows(watch):
        table.add_row(*row)
    found: list[RenderableType] = [table, Text()]
    if watch.findings:
        found += [_finding(one) for one in watch.findings]
    else:
        found.append(Text("The rules have nothing to say of this."))
    return Group(*found)


def _finding(one: Finding) -> Text:
    text = Text()
    text.append(f"{one.severity}[{one.rule}]", style=_COLORS[one.severity])
    text.append(f" {one.message}")
    return text


def _rows(watch: Watch) -> Iterable[tuple[str, str, str, str]]:
    now, facts, samples = watch.samples[-1], watch.facts, list(watch.samples)
    memory = None if facts.memory is None else float(facts.memory)
    used = [None if one.memory_used is None else float(one.memory_used) for one in samples]
    yield "utilisation", _share(now.utilization), "", trend([one.utilization for one in samples], 1.0)
    yield (
        "memory traffic",
        _share(now.memory_utilization),
        "",
        trend([one.memory_utilization for one in samples], 1.0),
    )
    yield "memory in use", _bytes(used[-1]), _bytes(memory), trend(used, memory)
    yield (
        "SM clock",
        _clock(now.sm_clock),
        _clock(facts.max_sm_clock),
        trend([one.sm_clock for one in samples], facts.max_sm_clock),
    )
    yield "memory clock", _clock(now.memory_clock), _clock(facts.max_memory_clock), ""
    yield "temperature", _number(now.temperature, "°C"), "", trend([one.temperature for one in samples], None)
    yield (
        "power",
        _number(now.power, "W"),
        _number(facts.power_limit, "W"),
        trend([one.power for one in samples], facts.power_limit),
    )
    yield "clocks held by", _reasons(now), "", ""
    yield "processes", _processes(now), "", ""


def log_line(facts: Facts, sample: Sample, findings: Iterable[Finding]) -> str:
    """One sample in one line, with the names of the rules that speak."""
    when = datetime.fromtimestamp(sample.time, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    used = None if sample.memory_used is None else float(sample.memory_used)
    parts = [
        when,
        facts.name,
        f"utilisation {_share(sample.utilization)}",
        f"memory {_bytes(used)}",
        f"SM clock {_clock(sample.sm_clock)}",
        f"temperature {_number(sample.temperature, '°C')}",
        f"power {_number(sample.power, 'W')}",
        f"clocks held by {_reasons(sample)}",
        f"processes {_processes(sample)}",
    ]
    rules = ", ".join(dict.fromkeys(one.rule for one in findings))
    return ", ".join(parts) + (f"; rules: {rules}" if rules else "")


def trend(values: Iterable[float | None], highest: float | None) -> str:
    """The values as bars, blanks for those not known; `highest` is the tallest bar, else their own."""
    given = list(values)
    known = [value for value in given if value is not None]
    top = highest or max(known, default=0.0)
    if top <= 0.0:
        return ""
    steps = [None if one is None else min(len(_BARS) - 1, int(one / top * len(_BARS))) for one in given]
    return "".join(" " if step is None else _BARS[step] for step in steps)


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value * 100:.0f}%"


def _bytes(value: float | None) -> str:
    unit = find_unit("byte")
    assert unit is not None
    return _UNKNOWN if value is None else format_value(value, unit)


def _clock(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value / _HERTZ_PER_MHZ:.0f} MHz"


def _number(value: float | None, unit: str) -> str:
    return _UNKNOWN if value is None else f"{value:.0f} {unit}"


def _reasons(sample: Sample) -> str:
    if sample.reasons is None:
        return _UNKNOWN
    return " and ".join(sample.reasons) or "nothing"


def _processes(sample: Sample) -> str:
    return _UNKNOWN if sample.processes is None else str(len(sample.processes))

"""What NVML saw of the GPU while workloads ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from advisor.model.history.fingerprint import Run
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.canvas import Sheet, picture
from advisor.reports.html_report.charts.line_chart import Line, Panel, draw_panels
from advisor.reports.html_report.material import Material
from advisor.reports.html_report.parts import Part, Table, cells
from advisor.reports.html_report.series import drawn_positions
from advisor.reports.html_report.wording import percent, shown, value_text
from advisor.reports.outputs.wording.counts import counted

_PANEL, _FOOT = 92.0, 60.0
_Text = Callable[[float], str]


def _hertz(value: float) -> str:
    return f"{value / 1e6:,.0f} MHz"


def _watts(value: float) -> str:
    return f"{value:.0f} W"


def _degrees(value: float) -> str:
    return f"{value:.0f} °C"


def _bytes(value: float) -> str:
    return value_text(value, "byte")


# Of a sample: its key, how it is called, its words, and the fact that is its highest value.
_LINES: tuple[tuple[str, str, _Text, str], ...] = (
    ("utilization", "utilisation", percent, ""),
    ("memory_utilization", "utilisation of the memory", percent, ""),
    ("sm_clock", "SM clock", _hertz, "max_sm_clock"),
    ("memory_clock", "memory clock", _hertz, "max_memory_clock"),
    ("power", "power", _watts, "power_limit"),
    ("temperature", "temperature", _degrees, ""),
    ("memory_used", "memory in use", _bytes, "memory"),
)
_DRAWN = ("utilization", "sm_clock", "power", "temperature")


def nvml_part(material: Material) -> Part:
    """The part on the latest run of which NVML has samples; without one it says why."""
    runs = [run for ranking in material.rankings for run in ranking.runs]
    seen = [(run, _samples(run)) for run in runs]
    run, samples = next(((run, found) for run, found in seen if found), (None, []))
    if run is None:
        return Part("nvml", "GPU while it ran (NVML)", _why_not(runs))
    facts = run.host["nvml"].get("facts") or {}
    known = [one for one in _LINES if _values(samples, one[0])]
    named = ", ".join(
        text
        for text in (str(facts.get("name") or ""), f"driver {facts['driver']}" if facts.get("driver") else "")
        if text
    )
    paragraphs = [f"Run {run.id or '–'}: {counted(len(samples), 'sample')}{', ' if named else ''}{named}."]
    drawn = None
    panels = [_panel(samples, facts, *one) for one in known if one[0] in _DRAWN]
    if panels:
        alt = "Charts over time: " + "; ".join(panel.heading for panel in panels) + "."
        heights = (len(panels) * _PANEL + _FOOT,) * 2

        def draw(sheet: Sheet) -> None:
            draw_panels(sheet, panels, "seconds since the first sample")

        drawn = picture("nvml", alt, "What NVML reported while the workloads ran.", heights, draw)
    return Part(
        "nvml", "GPU while it ran (NVML)", tuple(paragraphs), drawn, tables=_tables(samples, facts, known)
    )


def _why_not(runs: Sequence[Run]) -> tuple[str, ...]:
    notes = tuple(dict.fromkeys(note for run in runs for note in run.notes if "NVML" in note))
    if notes:
        return notes
    if any(run.facts.executed_on == "simt" for run in runs):
        return ("There was no GPU to ask: kernels were run on the simulated GPU.",)
    return (
        "No run that is shown has samples of NVML; `advisor profile` takes them on a machine with a GPU.",
    )


def _samples(run: Run) -> list[Mapping[str, Any]]:
    """The samples of a run in the order of time; what is no sample is left out."""
    data = run.host.get("nvml") if isinstance(run.host, Mapping) else None
    found = data.get("samples") if isinstance(data, Mapping) else None
    if not isinstance(found, list):
        return []
    good = [one for one in found if isinstance(one, Mapping) and _number(one.get("time")) is not None]
    return sorted(good, key=lambda one: float(one["time"]))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _values(samples: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [value for value in (_number(one.get(key)) for one in samples) if value is not None]


def _panel(
    samples: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    key: str,
    name: str,
    text: _Text,
    limit: str,
) -> Panel:
    begin = float(samples[0]["time"])
    pairs = [
        (float(one["time"]) - begin, value) for one in samples if (value := _number(one.get(key))) is not None
    ]
    chosen = drawn_positions([value for _, value in pairs], (), amounts().samples)
    values = [value for _, value in pairs]
    top = 1.0 if text is percent else _number(facts.get(limit))
    heading = f"{name}: {text(min(values))} to {text(max(values))}"
    line = Line(
        name, tuple(pairs[at][0] for at in chosen), tuple(pairs[at][1] for at in chosen), hint=heading
    )
    return Panel(heading, line, text, top)


def _tables(
    samples: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    known: Sequence[tuple[str, str, _Text, str]],
) -> tuple[Table, ...]:
    rows = []
    for key, name, text, limit in known:
        values = _values(samples, key)
        top = _number(facts.get(limit))
        rows.append(
            cells(
                name,
                text(min(values)),
                text(fmean(values)),
                text(max(values)),
                "" if top is None else text(top),
            )
        )
    of_samples = Table(
        "Samples of NVML.",
        ("of the GPU", "least", "mean", "most", "limit"),
        tuple(rows),
        frozenset({1, 2, 3, 4}),
    )
    held = _reasons(samples)
    if not held:
        return (of_samples,)
    body = tuple(cells(shown(name), percent(count / len(samples))) for name, count in held)
    return of_samples, Table("Why clocks were held down.", ("reason", "of the samples"), body, frozenset({1}))


def _reasons(samples: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for one in samples:
        for reason in one.get("reasons") or ():
            counts[str(reason)] = counts.get(str(reason), 0) + 1
    return sorted(counts.items(), key=lambda pair: -pair[1])

"""Where the numbers come from: runs, tools, notes."""

from __future__ import annotations

from advisor.model.history.fingerprint import Run
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.material import Material
from advisor.reports.html_report.parts import Cell, Part, Table, cells
from advisor.reports.html_report.wording import date
from advisor.reports.outputs.wording.counts import counted
from advisor.runs.comparison.ranking.ranking import Ranking

_COMMIT = 10


def origin(material: Material) -> Part:
    """The part with the notes of the runs that are shown, their tools, and the latest runs of the history."""
    notes = dict.fromkeys(note for ranking in material.rankings for note in ranking.notes)
    shown = {run.id for ranking in material.rankings for run in ranking.runs}
    rows = tuple(_row(run, run.id in shown) for run in material.runs[: amounts().runs])
    runs = Table(
        "The latest runs of the history; those of this report are marked.",
        ("run", "of this report", "kind", "label", "started", "device", "executed on", "commit", "ended"),
        rows,
        frozenset({0}),
    )
    tools = [(ranking, run) for ranking in material.rankings for run in ranking.runs]
    return Part(
        "origin",
        "Where the numbers come from",
        (*(_basis(ranking) for ranking in material.rankings), *material.notices),
        items=(*notes, *dict.fromkeys(_tools(run) for _, run in tools if run.facts.toolchain)),
        tables=(runs,) if rows else (),
    )


def _basis(ranking: Ranking) -> str:
    runs = counted(len(ranking.runs), "run")
    if ranking.is_measured:
        return f"{ranking.device_name}: measured, from {runs}."
    return (
        f"{ranking.device_name}: predicted by a model from counts of the simulated GPU, from {runs}. "
        "Nothing of it was measured."
    )


def _row(run: Run, is_shown: bool) -> tuple[Cell, ...]:
    facts = run.facts
    commit = (facts.commit or "")[:_COMMIT] + (" with changes" if facts.commit and facts.dirty else "")
    return cells(
        "" if run.id is None else str(run.id),
        "yes" if is_shown else "",
        facts.kind,
        Cell(facts.label or facts.command, style="name"),
        date(facts.started),
        facts.device,
        "the simulated GPU" if facts.executed_on == "simt" else facts.executed_on,
        commit,
        run.status,
    )


def _tools(run: Run) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in sorted(run.facts.toolchain.items()))
    return f"Tools: {tools}."

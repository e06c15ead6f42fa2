"""Which rules can speak of a report: those whose condition its metrics can decide."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from advisor.evidence.measured.reports.fingerprints import TIME_METRICS
from advisor.evidence.measured.reports.mapping import ENTITIES, entries, shapes_are_judged
from advisor.evidence.metrics.derived import derive_all
from advisor.model.devices import find_device
from advisor.model.records import Record, Source, Value
from advisor.model.text.source_text import Span
from advisor.reports.rule_pages.evidence import least_evidence
from advisor.rules.model import Rule, Rulebook
from advisor.runs.profiling.rates import achieved_rates

# The kinds of reports and the tables that map them: counters and lines of Nsight Compute are two exports.
REPORTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ncu": ("ncu", ("run", "kernel")),
    "ncu, lines": ("ncu", ("line",)),
    "nsys": ("nsys", ENTITIES),
    "torch": ("torch", ENTITIES),
    "rocprof": ("rocprof", ENTITIES),
    "nvidia-smi": ("nvidia_smi", ("run",)),
}
_SHAPES = ("grid_blocks", "block_threads")
# Every report is a run, and what it tells of belongs to kernels.
_ALWAYS = {"run", "kernel"}
# Where no report tells it, the time of the kernels stands for it.
_LENGTH = "run.total_latency_ms"
_NUMBERS = {"registers": 32.0}


def import_table(rulebook: Rulebook, default: str) -> str:
    """A table in Markdown with a row for each rule that some report can make speak."""
    known = {report: _known(*table, default) for report, table in REPORTS.items()}
    rows = []
    for rule in sorted(rulebook.rules, key=lambda one: one.id):
        marks = [_speaks(rule, rulebook, metrics) for metrics in known.values()]
        if any(marks):
            cells = ["yes" if mark else "" for mark in marks]
            rows.append(f"| `{rule.id}` | {' | '.join(cells)} |")
    head = f"| rule | {' | '.join(REPORTS)} |\n|---|{'---|' * len(REPORTS)}"
    return "\n".join([head, *rows]) + "\n"


def _speaks(rule: Rule, rulebook: Rulebook, known: frozenset[str]) -> bool:
    def sources(name: str) -> tuple[Source, ...]:
        return ("measured",) if name in known or name.startswith("device.") else ()

    entities = {entity for _, entity in rule.variables} - _ALWAYS
    if not entities <= {name.partition(".")[0] for name in known} or not known & set(rule.metrics_used) - {
        _LENGTH
    }:
        return False
    return least_evidence(rule, rulebook, sources) is not None


@cache
def _known(tool: str, parts: tuple[str, ...], default: str) -> frozenset[str]:
    """The metrics, with their entities, that a report of a tool gives at most."""
    found = {
        f"{entity}.{entry.metric}"
        for entity in ENTITIES
        if entity in parts
        for entry in entries(tool, entity)
    }
    if "kernel" in parts:
        record = Record("kernel", "k", "report", Span(1), "k")
        given: dict[str, Value] = {entry.metric: 1.0 for entry in entries(tool, "kernel")}
        given |= dict.fromkeys(TIME_METRICS, 1.0)
        given |= dict.fromkeys(_SHAPES, 128.0) if shapes_are_judged(tool) else {}
        device = find_device(default)
        given |= {name: value for name, value in _NUMBERS.items() if name in given}
        given |= achieved_rates(1.0, given, device)
        record.know("measured", (), **given)
        derive_all([record], device)
        measured = [name for name, reading in record.readings.items() if reading.source == "measured"]
        found |= {f"kernel.{name}" for name in measured} | {_LENGTH}
    return frozenset(found)

"""What stands over a kernel: registers, occupancy, intensity, measured and predicted time, age of the run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.check.speedup_bounds.bound import limiter_by_use
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.model.text.source_text import SourceText, Span
from advisor.rules.units import RATIO, format_value
from lsp_server.analysis.checked_text import Analysis
from lsp_server.numbers.cards import Quantities
from lsp_server.numbers.known import Known, known_of
from lsp_server.numbers.rows import BEFORE_EDIT, Row

_WORKLOAD = "workload "


@dataclass(frozen=True)
class Lens:
    """The numbers of one kernel as a text, the line to show it over, and the device's name."""

    line: int
    kernel: Row
    numbers: str
    device: str


def lenses(analysis: Analysis) -> list[Lens]:
    """A lens for each kernel of the document, also of those of which no number is known."""
    known, source = known_of(analysis), analysis.document.source
    quantities, device = Quantities(analysis.settings), known.device.name if known.device else ""
    return [
        Lens(first_line(source, kernel.span), kernel, _numbers(kernel, known, quantities), device)
        for kernel in known.rows("kernel")
    ]


def first_line(source: SourceText, kernel: Span) -> int:
    """The line of a kernel's first decorator, its own where none stands directly above."""
    lines, found = source.lines, kernel.line
    if not 1 <= kernel.line <= len(lines):
        return kernel.line
    indent = _indent(lines[kernel.line - 1])
    for number in range(kernel.line - 1, 0, -1):
        text = lines[number - 1]
        if not text.strip() or _indent(text) < indent:
            break
        if _indent(text) == indent and text.lstrip()[0] not in "@)]}#":
            break
        if _indent(text) == indent and text.lstrip().startswith("@"):
            found = number
    return found


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _numbers(kernel: Row, known: Known, quantities: Quantities) -> str:
    """The numbers of a kernel; those of the text before it was edited follow and are called so."""
    now: list[str] = []
    before: list[str] = []
    for metric, part in _parts(kernel, known, quantities):
        (before if kernel.from_before(metric) else now).append(part)
    if before:
        before[0] = f"{BEFORE_EDIT}: {before[0]}"
    return " · ".join([*now, *before])


def _parts(kernel: Row, known: Known, quantities: Quantities) -> Iterator[tuple[str, str]]:
    """The parts, each with the metric that it rests on."""
    registers, spilled = kernel.amount("registers"), kernel.amount("spill_store_bytes")
    if registers is not None:
        yield "registers", f"{registers:.0f} registers"
    if spilled:
        yield "spill_store_bytes", f"spills {quantities.written(kernel, 'spill_store_bytes')}"
    occupancy = kernel.amount("theoretical_occupancy")
    if occupancy is not None:
        limiter = kernel.text("occupancy_limiter")
        limited = f" ({limiter})" if limiter else ""
        yield "theoretical_occupancy", f"occupancy {format_value(occupancy, RATIO)}{limited}"
    if kernel.value("ai_flops_per_byte") is not None:
        yield "ai_flops_per_byte", quantities.written(kernel, "ai_flops_per_byte")
    if kernel.value("predicted_ms") is not None:
        device = f" on {known.device.name}" if known.device else ""
        limiter = kernel.text("time_limiter")
        limited = f" ({diagnosis_tree().limit_in_words(limiter)})" if limiter else ""
        predicted = quantities.written(kernel, "predicted_ms")
        yield "predicted_ms", f"predicted {predicted}{device}{limited}"
    if kernel.value("time_mean_ms") is not None:
        measured = quantities.written(kernel, "time_mean_ms")
        yield "time_mean_ms", f"measured {measured}{_bound_by_use(kernel)}"
    run = known.owner(kernel, "run")
    if run is not None and kernel.value("launches") is not None:
        yield "launches", _origin(run)


def _bound_by_use(kernel: Row) -> str:
    """What a measured kernel waits for by the use of the GPU's halves, as `advisor explain` says it."""
    memory, compute = kernel.amount("memory_throughput"), kernel.amount("sm_throughput")
    if memory is None or compute is None:
        return ""
    found = diagnosis_tree().class_of(limiter_by_use(memory, compute))
    return f" ({found.title})" if found is not None else ""


def _origin(run: Row) -> str:
    """Where the numbers of the launch come from, and how old they are."""
    from advisor.evidence.measured.evidence import measured_at
    from advisor.evidence.simulated.launches.evidence import age, run_started

    measured = measured_at(run.key)
    started = run_started(run.key) if measured is None else measured
    old = f", {age(max(0.0, time.time() - started))} old" if started is not None else ""
    if measured is not None:
        return f"from measured run{old}"
    return f"from {'its workload' if run.label.startswith(_WORKLOAD) else 'recorded run'}{old}"

"""Rankings for people: as text, or as Markdown."""

from __future__ import annotations

from collections.abc import Container, Sequence

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.cli.reporting.difference_page import add_difference
from advisor.cli.reporting.page import Page
from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.evidence.measured.run_times import launch_time
from advisor.reports.changes.runs_in_words import run_in_words
from advisor.reports.diagnosis.actions_in_words import action_in_words, estimate_in_words, place_in_words
from advisor.reports.outputs.wording.numbers import (
    UNKNOWN,
    counted,
    factor_in_words,
    ratio_in_words,
    share_in_words,
    time_in_words,
)
from advisor.reports.outputs.wording.run_metrics import run_numbers
from advisor.runs.comparison.differences import Difference
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.order import Advice, Step
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking
from advisor.runs.comparison.ranking.scaling import Scaling

_MOST_ADVICE = 5
_MOST_RUNS = 5
_MOST_LINES = 6


def ranking_page(
    found: Sequence[Ranking],
    gone: Sequence[str],
    scalings: Sequence[Scaling],
    differences: Sequence[Difference],
    top: int,
    markdown: bool,
) -> str:
    """All rankings under each other, the kernels that several of them have, then what changed."""
    page = Page(markdown)
    for one in found:
        _ranking(page, one, top, one is found[0])
    _side_by_side(page, found, top)
    page.lines([scaling_in_words(one) for one in scalings])
    if gone:
        more = f" and {len(gone) - top} more" if len(gone) > top else ""
        page.paragraph(f"No longer in the source and left out: {', '.join(gone[:top])}{more}.")
    for difference in differences:
        add_difference(page, difference)
    return page.text()


def _ranking(page: Page, one: Ranking, top: int, with_all_steps: bool) -> None:
    page.heading(_head(one))
    page.lines(_runs(one))
    page.paragraph(_totals(one))
    _kernels(page, one.kernels, top)
    page.lines(_remarks(one))
    _first(page, one)
    _order(page, one, with_all_steps)
    numbers = run_numbers(one.runs[0].metrics) if len(one.runs) == 1 else []
    page.table(("run", ""), numbers, (1,))
    page.lines([f"note: {note}" for note in one.notes])


def _head(one: Ranking) -> str:
    if one.is_measured:
        return f"Measured on {one.device_name}"
    return f"PREDICTED for {one.device_name}: every time below is a model's, none was measured"


def _runs(one: Ranking) -> list[str]:
    shown = [f"from {run_in_words(run)}" for run in one.runs[:_MOST_RUNS]]
    rest = len(one.runs) - _MOST_RUNS
    return [*shown, f"and {counted(rest, 'earlier run')}"] if rest > 0 else shown


def _totals(one: Ranking) -> str:
    if not one.kernels:
        return "No kernel was kept."
    text = counted(len(one.kernels), "kernel")
    if one.known_ms is None:
        text += ", whose times are not known" if len(one.kernels) > 1 else ", whose time is not known"
    else:
        text += f", {time_in_words(one.known_ms)} together"
        text += f" without {one.untimed} whose time is not known" if one.untimed else ""
    if one.known_ms is not None and one.wall_ms is not None:
        text += f", {share_in_words(one.known_ms / one.wall_ms)} of {time_in_words(one.wall_ms)} of wall time"
    if one.device is None and any(run.facts.kind != "import" for run in one.runs):
        # The notes of an import say it.
        text += f"; this GPU has no device file, rules were judged for {one.judged_for}"
    return f"{text}."


_HEADER = (
    "",
    "kernel",
    "time",
    "share",
    "launches",
    "each",
    "CV",
    "limit",
    "headroom",
    "of the run",
    "findings",
)


# What a narrow terminal does without, first to go first: CV, time of each, findings, launches, of the run.
_OPTIONAL = (6, 5, 10, 4, 9)


def _kernels(page: Page, kernels: Sequence[RankedKernel], top: int) -> None:
    rows = [_row(number, kernel) for number, kernel in enumerate(kernels[:top], 1)]
    page.table(_HEADER, rows, (0, 2, 3, 4, 5, 6, 8, 9, 10), _OPTIONAL)
    rest = kernels[top:]
    if rest:
        time = sum(kernel.time_ms or 0.0 for kernel in rest)
        page.paragraph(
            f"and {counted(len(rest), 'more kernel')} with {time_in_words(time)} together (--top shows them)."
        )


def _row(number: int, kernel: RankedKernel) -> tuple[str, ...]:
    main = kernel.main.fingerprint
    variation = main.timing.variation if main.timing and main.source == "measured" else None
    return (
        str(number),
        shortened(kernel.name, 40),
        time_in_words(kernel.time_ms),
        share_in_words(kernel.share),
        str(sum(shape.fingerprint.launches for shape in kernel.shapes)),
        time_in_words(launch_time(main)) if len(kernel.shapes) == 1 else f"{len(kernel.shapes)} shapes",
        share_in_words(variation),
        kernel.main.limit or UNKNOWN,
        factor_in_words(kernel.headroom),
        factor_in_words(kernel.gain_of_run),
        str(len(kernel.findings)),
    )


def _remarks(one: Ranking) -> list[str]:
    """The slowest kernels, those of high variance and outliers, and those that changed since."""
    found = []
    limits = comparing_numbers().kernels
    for mark, words in (
        ("slow", f"Slow, more than {time_in_words(limits.slow_ms)} a launch"),
        ("high variance", f"High variance, CV above {ratio_in_words(limits.high_variation)}"),
        ("outliers", f"Outliers, launches of more than {limits.outlier:g} times the mean"),
    ):
        named = [kernel.name for kernel in one.kernels if mark in kernel.marks]
        if named:
            found.append(f"{words}: {_some(named)}.")
    changed = [kernel.name for kernel in one.kernels if kernel.place.state == "changed"]
    if changed:
        found.append(f"Changed in the source since: {_some(changed)}.")
    return found


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(dict.fromkeys(names[:_MOST_LINES]))
    return f"{shown} and {len(names) - _MOST_LINES} more" if len(names) > _MOST_LINES else shown


def _first(page: Page, one: Ranking) -> None:
    """Show the first actions, which are those of `advisor check` and `advisor explain`."""
    shown = one.actions[: diagnosis_tree().first]
    if shown:
        page.paragraph("Do first:")
        page.numbered([(action_in_words(each, place_in_words(each, one.nowhere)), []) for each in shown])


def _order(page: Page, one: Ranking, with_all: bool) -> None:
    """Show the steps with their findings; those without any once on a page."""
    shown = [step for step in one.steps if with_all or step.advice]
    if shown:
        page.paragraph("Recommended order:")
        page.numbered([(f"{step.title}. {step.text}", _advice_of(page, step, one.nowhere)) for step in shown])
    else:
        page.paragraph("The rules have nothing to say of these kernels.")


def _advice_of(page: Page, step: Step, nowhere: Container[str]) -> list[str]:
    """The step's findings by rule and kernel; `nowhere` are paths of what no file is known of."""
    groups = _groups(step.advice)
    lines = [_advice(page, group, nowhere) for group in groups[:_MOST_ADVICE]]
    rest = sum(map(len, groups[_MOST_ADVICE:]))
    return [*lines, f"and {counted(rest, 'more finding')}"] if rest else lines


def _groups(advice: Sequence[Advice]) -> list[list[Advice]]:
    """Findings of one rule in one kernel together."""
    found: dict[tuple[str, str | None, str], list[Advice]] = {}
    for one in advice:
        found.setdefault((one.finding.rule, one.kernel, one.finding.path), []).append(one)
    return list(found.values())


def _advice(page: Page, group: Sequence[Advice], nowhere: Container[str]) -> str:
    first = group[0]
    lines = sorted({each.span.line for one in group for each in one.finding.at_each_place()})
    places = ", ".join(map(str, lines[:_MOST_LINES])) + (", …" if len(lines) > _MOST_LINES else "")
    said = estimate_in_words(first.action)
    gain = f" {said[:1].upper()}{said[1:]}." if said else ""
    effort = f" Effort: {first.finding.effort}." if first.finding.effort else ""
    rule = page.code(f"[{first.finding.rule}]")
    is_placed = first.kernel is not None and first.finding.path not in nowhere
    place = f" {first.finding.path}:{places}:" if is_placed else ""
    return f"{rule}{place} {first.finding.message}{gain}{effort}"


def scaling_in_words(one: Scaling) -> str:
    """How a kernel's time grows, and whether that is what its work does."""
    texts = comparing_numbers().scaling
    sizes = f"{len(one.points)} sizes from {one.points[0].threads} to {one.points[-1].threads} threads"
    time = "time" if one.source == "measured" else "predicted time"
    text = f"{one.name}: over {sizes} its {time} grows with the threads to the power of {one.exponent:.2f}"
    work = f"its work ({one.work}) to that of {one.expected:.2f}"
    text += f", {work}" if one.work else f"; {one.expected:.2f} is expected"
    if one.growth == "as expected":
        return f"{text}: as expected."
    return f"{text}: {one.growth} than expected. {getattr(texts, one.growth)}"


def _side_by_side(page: Page, found: Sequence[Ranking], top: int) -> None:
    """Show the kernels that several devices ran, each with its time there."""
    if len(found) < 2:
        return
    times = [{(one.path, one.name): one.time_ms for one in ranking.kernels} for ranking in found]
    common = [key for key in times[0] if sum(key in one for one in times) > 1]
    rows = [(key[1], *(time_in_words(one.get(key)) for one in times)) for key in common[:top]]
    if rows:
        page.heading("The same kernels on several devices")
        heads = [f"{one.device_name}{'' if one.is_measured else ' (predicted)'}" for one in found]
        page.table(("kernel", *heads), rows, range(1, len(heads) + 1))

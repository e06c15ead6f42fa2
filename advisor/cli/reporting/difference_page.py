"""The difference of two runs for people: as text, or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli.reporting.chosen_runs import run_in_words
from advisor.cli.reporting.page import Page
from advisor.cli.reporting.run_numbers import metric_in_words
from advisor.cli.reporting.wording import counted, factor_in_words, shape_in_words, time_in_words
from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.differences import Difference, KernelChange
from advisor.runs.comparison.metric_changes import MetricChange
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.time_changes import TimeChange
from advisor.runs.comparison.times import launch_time

_MOST_TOLD = 10
_HASH = 8
_MOVED = ("slower", "faster")
# A predicted time that is another, whether or not the model's error leaves open which way.
_PREDICTED_OTHERWISE = (*_MOVED, "cannot tell")


def difference_page(found: Difference, markdown: bool) -> str:
    """What changed: conditions, a table of times, then each kernel that changed, and what the rules say."""
    page = Page(markdown)
    page.heading(f"From {run_in_words(found.before)} to {run_in_words(found.after)}")
    if found.before.id is not None and found.before.id == found.after.id:
        page.paragraph("Both names mean the same run: nothing was compared with another.")
    page.lines([f"{one.name}: {_short(one.before)} -> {_short(one.after)}" for one in found.conditions])
    if found.why_not:
        page.paragraph(f"The times are shown beside each other and not judged: {found.why_not}.")
    predicted = [one for one in found.kernels if one.after.source != "measured"]
    if predicted and not found.why_not:
        page.paragraph("PREDICTED: every time below is a model's, none was measured.")
    _times(page, found.kernels)
    page.paragraph(_summary(found))
    page.paragraph(_moved_predictions(found))
    for one in _told(found.kernels)[:_MOST_TOLD]:
        _kernel(page, one)
    rest = len(_told(found.kernels)) - _MOST_TOLD
    if rest > 0:
        page.paragraph(f"and {counted(rest, 'more kernel')} that changed (--format json has them all).")
    _run(page, found)
    page.lines([*_only(found.gone, "only in the earlier run"), *_only(found.new, "only in the later run")])
    return page.text()


def _short(text: str) -> str:
    is_hash = len(text) == 40 and all(letter in "0123456789abcdef" for letter in text)
    return text[:_HASH] if is_hash else text


_SHARED = "dynamic shared memory"


def _times(page: Page, kernels: Sequence[KernelChange]) -> None:
    """Show the kernels that changed in a table; count the others."""
    predicted = all(one.after.source != "measured" for one in kernels)
    share = prediction_error().share if predicted else comparing_numbers().changes.confidence
    level = f"{share:.0%} interval"
    header: tuple[str, ...] = ("kernel", "before", "after", "speed-up", level, "verdict", "changed")
    shown = [one for one in kernels if one.changed or one.time is None or one.time.verdict != "no difference"]
    rows: list[tuple[str, ...]] = [_row(one) for one in shown]
    if rows and not any(row[4] for row in rows):
        header, rows = (*header[:4], *header[5:]), [(*row[:4], *row[5:]) for row in rows]
    page.table(header, rows, (1, 2, 3))
    rest = len(kernels) - len(shown)
    if rest:
        noun = "more kernel" if shown else "kernel"
        page.paragraph(f"{counted(rest, noun)} without a difference of time.")


def _row(one: KernelChange) -> tuple[str, ...]:
    changed = ", ".join(one.changed)
    name = shortened(one.name, 40)
    time = one.time
    if time is None:
        sides = [time_in_words(launch_time(side)) for side in (one.before, one.after)]
        return name, *sides, "-", "", "a time is missing" if sides != ["-", "-"] else "no time", changed
    interval = ""
    if time.interval is not None:
        interval = f"{1.0 / time.interval.high:.2f} .. {1.0 / time.interval.low:.2f}"
    before, after = time_in_words(time.before), time_in_words(time.after)
    return name, before, after, factor_in_words(1.0 / time.ratio), interval, _verdict(one, time), changed


def _verdict(one: KernelChange, time: TimeChange) -> str:
    alert = "ALERT: " if time.alert else ""
    if time.verdict == "not known":
        return f"{alert}significance not known"
    how = " (predicted)" if one.after.source != "measured" and time.verdict != "not comparable" else ""
    return f"{alert}{time.verdict}{how}"


def _moved(count: int, verdict: str, predicted: bool) -> str:
    if not predicted:
        return f"{counted(count, 'kernel')} became {verdict}."
    return f"{counted(count, 'kernel')} {'is' if count == 1 else 'are'} predicted to be {verdict}."


def _within_error(verdicts: Sequence[str]) -> str:
    """Of how many predicted changes the model's error leaves open whether they are there at all."""
    left_open = verdicts.count("cannot tell")
    if not left_open:
        return ""
    those = "One change lies" if left_open == 1 else f"{left_open} changes lie"
    factor = prediction_error().ratio
    return f" {those} within the model's error, a factor of {factor:g}: cannot tell."


def _summary(found: Difference) -> str:
    if not found.kernels:
        return "No kernel is in both runs."
    verdicts = [one.time.verdict for one in found.kernels if one.time]
    predicted = all(one.after.source != "measured" for one in found.kernels)
    parts = [
        _moved(verdicts.count(verdict), verdict, predicted)
        for verdict in ("slower", "faster")
        if verdict in verdicts
    ]
    alerts = [one.name for one in found.kernels if one.time and one.time.alert]
    text = " ".join(parts)
    if not parts and ("no difference" in verdicts or "cannot tell" in verdicts):
        text = (
            "No kernel is predicted to be slower or faster."
            if predicted
            else "No kernel became slower or faster beyond chance."
        )
    text += _within_error(verdicts)
    if alerts:
        limit = comparing_numbers().changes.alert
        took = "predicted to take" if predicted else "took"
        text += f" ALERT: {', '.join(alerts)} {took} at least {limit:g} times as long as before."
    unknown = [one for one in found.kernels if one.time and one.time.verdict == "not known"]
    if unknown:
        those = "the change of time is" if len(unknown) == 1 else f"{len(unknown)} changes of time are"
        least = found.needed_times
        text += f" Whether {those} chance is not known: that takes at least {least} times of each run."
    return text.strip()


def _moved_predictions(found: Difference) -> str:
    """What to think of predicted times that changed while source and launch did not."""
    moved = [
        one.name
        for one in found.kernels
        if one.after.source != "measured"
        and not one.changed
        and one.time
        and one.time.verdict in _PREDICTED_OTHERWISE
    ]
    if not moved:
        return ""
    names = f"{', '.join(moved[:_MOST_TOLD])}{', …' if len(moved) > _MOST_TOLD else ''}"
    return (
        f"Source and launch are the same as before, so the data or this program's model is another: {names}."
    )


def _told(kernels: Sequence[KernelChange]) -> list[KernelChange]:
    return [one for one in kernels if one.changed or one.metrics or one.ended or one.begun]


def _kernel(page: Page, one: KernelChange) -> None:
    place = f"{one.after.identity.path}:{one.after.line}: " if one.after.identity.path else ""
    lines = [f"{place}{one.name}"]
    lines += [f"  {text}" for text in _changes(one)]
    lines += [f"  {_metric(change, 'kernel')}" for change in one.metrics[: _most_metrics()]]
    rest = len(one.metrics) - _most_metrics()
    if rest > 0:
        lines.append(f"  and {counted(rest, 'more metric')}")
    lines += _findings(page, one.ended, one.begun, "  ")
    page.block(lines)


def _most_metrics() -> int:
    return comparing_numbers().changes.most_metrics


def _changes(one: KernelChange) -> list[str]:
    before, after = one.before.identity, one.after.identity
    found = {
        "source": "its source changed",
        "path": f"path: {before.path} -> {after.path}",
        "types": f"types: {', '.join(before.types)} -> {', '.join(after.types)}",
        "grid": f"grid: {shape_in_words(before.grid)} -> {shape_in_words(after.grid)}",
        "block": f"block: {shape_in_words(before.block)} -> {shape_in_words(after.block)}",
        "dynamic shared memory": f"{_SHARED}: {before.dynamic_shared} B -> {after.dynamic_shared} B",
    }
    texts = [found[name] for name in one.changed]
    if one.before.launches != one.after.launches:
        texts.append(f"launches: {one.before.launches} -> {one.after.launches}")
    return texts


def _metric(change: MetricChange, entity: str) -> str:
    before, after = (metric_in_words(entity, change.name, value) for value in (change.before, change.after))
    return f"{change.name}: {before} -> {after}"


def _findings(page: Page, ended: Sequence[Finding], begun: Sequence[Finding], indent: str) -> list[str]:
    found = [(word, one) for word, those in (("no longer", ended), ("new", begun)) for one in those]
    return [f"{indent}{word} {page.code(f'[{one.rule}]')}: {one.message}" for word, one in found]


def _run(page: Page, found: Difference) -> None:
    lines = [f"  {_metric(change, 'run')}" for change in found.metrics]
    lines += _findings(page, found.ended, found.begun, "  ")
    if lines:
        page.block(["The run", *lines])


def _only(those: Sequence[Fingerprint], words: str) -> list[str]:
    names = list(dict.fromkeys(shortened(one.identity.name, 40) for one in those))
    if not names:
        return []
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return [f"{words}: {', '.join(names[:_MOST_TOLD])}{more}"]

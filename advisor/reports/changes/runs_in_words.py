"""A run, and what two runs differ in, in the words that text, Markdown and the HTML page share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.model.history.fingerprint import Run
from advisor.reports.outputs.wording.numbers import counted, shape_in_words
from advisor.reports.outputs.wording.run_metrics import metric_in_words
from advisor.runs.comparison.differences import Difference, KernelChange
from advisor.runs.comparison.metric_changes import MetricChange
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.time_changes import TimeChange

_MOST_NAMED = 10
_HASH = 8
_MOVED = ("slower", "faster")
# A predicted time that is another, whether or not the model's error leaves open which way.
_PREDICTED_OTHERWISE = (*_MOVED, "cannot tell")
_ENDINGS = {
    "running": "it is still running",
    "broken off": "it was aborted, what it had kept is shown",
    "failed": "it failed",
}


def run_in_words(run: Run) -> str:
    """A run in a line: number, label, when, commit, and how it ended unless well."""
    facts = run.facts
    when = datetime.fromtimestamp(facts.started, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    parts = [facts.label, when]
    if facts.commit:
        parts.append(f"commit {facts.commit[:_HASH]}{' with changes' if facts.dirty else ''}")
    name = f"run {run.id}" if run.id is not None else "report"
    ended = "" if run.status == "done" else f"; {_ENDINGS.get(run.status, run.status)}"
    return f"{name} ({', '.join(part for part in parts if part)}){ended}"


def notices(found: Difference) -> list[str]:
    """What to know before the times are read: runs that are the same or cannot be compared, predictions."""
    told = []
    if found.before.id is not None and found.before.id == found.after.id:
        told.append("Both names mean the same run: nothing was compared with another.")
    if found.why_not:
        told.append(f"The times are shown beside each other and not judged: {found.why_not}.")
    elif any(one.after.source != "measured" for one in found.kernels):
        told.append("PREDICTED: every time below is a model's, none was measured.")
    return told


def conditions(found: Difference) -> list[str]:
    """What holds for the runs as a whole and is another in both, one line each."""
    return [f"{one.name}: {_short(one.before)} -> {_short(one.after)}" for one in found.conditions]


def _short(text: str) -> str:
    is_hash = len(text) == 40 and all(letter in "0123456789abcdef" for letter in text)
    return text[:_HASH] if is_hash else text


def is_shown(one: KernelChange) -> bool:
    """Whether a kernel is of those that a table of changes has: all but those that took the same time."""
    return bool(one.changed) or one.time is None or one.time.verdict != "no difference"


def is_explained(one: KernelChange) -> bool:
    """Whether more than its time is another: its code, launch, metrics or findings."""
    return bool(one.changed or one.metrics or one.ended or one.begun)


def interval_in_words(time: TimeChange) -> str:
    """The interval of the speed-up, empty for one that is not known."""
    if time.interval is None:
        return ""
    return f"{1.0 / time.interval.high:.2f} .. {1.0 / time.interval.low:.2f}"


def interval_heading(kernels: Sequence[KernelChange]) -> str:
    """What the intervals of these kernels are: of the model's error, or of chance."""
    predicted = all(one.after.source != "measured" for one in kernels)
    share = prediction_error().share if predicted else comparing_numbers().changes.confidence
    return f"{share:.0%} interval"


def verdict_in_words(one: KernelChange, without: str) -> str:
    """What became of a kernel's time, `without` where one of its times is not known."""
    time = one.time
    if time is None:
        return without
    alert = "ALERT: " if time.alert else ""
    if time.verdict == "not known":
        return f"{alert}significance not known"
    how = " (predicted)" if one.after.source != "measured" and time.verdict != "not comparable" else ""
    return f"{alert}{time.verdict}{how}"


def summary(found: Difference) -> str:
    """How many kernels became slower or faster, which of them by too much, what is left open."""
    if not found.kernels:
        return "No kernel is in both runs."
    verdicts = [one.time.verdict for one in found.kernels if one.time]
    predicted = all(one.after.source != "measured" for one in found.kernels)
    parts = [_moved(verdicts.count(verdict), verdict, predicted) for verdict in _MOVED if verdict in verdicts]
    text = " ".join(parts)
    if not parts and ("no difference" in verdicts or "cannot tell" in verdicts):
        text = (
            "No kernel is predicted to be slower or faster."
            if predicted
            else "No kernel became slower or faster beyond chance."
        )
    return (text + _within_error(verdicts) + _alerts(found, predicted) + _open(found)).strip()


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


def _alerts(found: Difference, predicted: bool) -> str:
    alerts = [one.name for one in found.kernels if one.time and one.time.alert]
    if not alerts:
        return ""
    limit = comparing_numbers().changes.alert
    took = "predicted to take" if predicted else "took"
    return f" ALERT: {', '.join(alerts)} {took} at least {limit:g} times as long as before."


def _open(found: Difference) -> str:
    unknown = [one for one in found.kernels if one.time and one.time.verdict == "not known"]
    if not unknown:
        return ""
    those = "the change of time is" if len(unknown) == 1 else f"{len(unknown)} changes of time are"
    least = found.needed_times
    return f" Whether {those} chance is not known: that takes at least {least} times of each run."


def moved_predictions(found: Difference) -> str:
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
    names = f"{', '.join(moved[:_MOST_NAMED])}{', …' if len(moved) > _MOST_NAMED else ''}"
    return (
        f"Source and launch are the same as before, so the data or this program's model is another: {names}."
    )


def launch_changes(one: KernelChange) -> list[tuple[str, str, str]]:
    """What of a kernel's code and launch is another: its name, and both values, empty for the source."""
    before, after = one.before.identity, one.after.identity
    found = {
        "source": ("its source changed", "", ""),
        "path": ("path", before.path or "", after.path or ""),
        "types": ("types", ", ".join(before.types), ", ".join(after.types)),
        "grid": ("grid", shape_in_words(before.grid), shape_in_words(after.grid)),
        "block": ("block", shape_in_words(before.block), shape_in_words(after.block)),
        "dynamic shared memory": (
            "dynamic shared memory",
            f"{before.dynamic_shared} B",
            f"{after.dynamic_shared} B",
        ),
    }
    told = [found[name] for name in one.changed]
    if one.before.launches != one.after.launches:
        told.append(("launches", str(one.before.launches), str(one.after.launches)))
    return told


def metric_change(change: MetricChange, entity: str) -> tuple[str, str]:
    """A metric's values before and after, with their units."""
    return metric_in_words(entity, change.name, change.before), metric_in_words(
        entity, change.name, change.after
    )

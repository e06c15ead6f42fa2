"""What a search found, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from advisor.cli.pages.tables import plain_table
from advisor.evidence.metrics.prediction_error import ratio_interval
from advisor.reports.outputs.wording.numbers import time_in_words
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.search import TuningResult
from advisor.runs.tuning.slots.numbers_in_source import NO_LIMIT, REGISTERS
from advisor.runs.tuning.trials.trials import Trial

_LEFT_COLUMNS = 1


def result_text(result: TuningResult, quiet: bool = False) -> str:
    """The head, the table of all tried configurations, and what follows from it."""
    return "\n".join([*_head(result, quiet), "", _table(result), "", *_verdict(result)])


def _head(result: TuningResult, quiet: bool) -> list[str]:
    target = result.target
    size = ", ".join(f"{name} {_shape(shape) or kind}" for name, kind, shape in result.arguments)
    lines = [f"{target.path}:{target.line}: {target.kernel} on {result.device.name}", f"  with {size}"]
    if result.kept and not quiet:
        lines.append("  from the cache: nothing has changed since this search; --fresh searches again")
    return lines


def _shape(shape: Sequence[int] | None) -> str:
    return " x ".join(map(str, shape)) if shape else ""


def _table(result: TuningResult) -> str:
    constants = [name for name, _ in result.present.configuration.values if name != REGISTERS]
    block = {slot.name for slot in result.target.block.axes}
    # A block that is written as numbers in the launch, or as one tuple, has its own column already.
    constants = [name for name in constants if name not in block or name.isidentifier()]
    header = ("block", *constants, "registers", "occupancy", "predicted", "vs. current", "")
    rows = [_row(trial, constants, result) for trial in result.trials]
    return plain_table(header, rows, right=range(_LEFT_COLUMNS, len(header) - 1))


def _row(trial: Trial, constants: Sequence[str], result: TuningResult) -> tuple[str, ...]:
    present, limit = result.present.predicted_ms, _limit(trial)
    ratio = trial.predicted_ms / present if trial.predicted_ms is not None and present else None
    registers = "" if trial.registers is None else str(trial.registers)
    return (
        _block(trial, result),
        *(str(trial.configuration[name]) for name in constants),
        f"{registers} (limit {limit})" if limit else registers,
        "" if trial.occupancy is None else f"{trial.occupancy:.0%}",
        "" if trial.predicted_ms is None else time_in_words(trial.predicted_ms),
        "" if ratio is None else f"{ratio:.2f}",
        _remark(trial, result),
    )


def _limit(trial: Trial) -> int:
    return dict(trial.configuration.values).get(REGISTERS, NO_LIMIT)


def _block(trial: Trial, result: TuningResult) -> str:
    threads = trial.block or tuple(trial.configuration[slot.name] for slot in result.target.block.axes)
    found = list(threads)
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    return " x ".join(map(str, found))


def _remark(trial: Trial, result: TuningResult) -> str:
    if trial.outcome != "equal":
        return f"{trial.outcome}: {trial.reason}"
    if trial is result.present:
        return "current"
    return "best" if trial is result.best else ""


def _verdict(result: TuningResult) -> list[str]:
    tried, plural = len(result.trials), "" if len(result.trials) == 1 else "s"
    lines = [
        f"{tried} configuration{plural} tried by predicted time, results compared with the present ones."
    ]
    if not result.complete:
        lines.append(f"The time limit of {result.seconds:g} s ended the search; --seconds sets another one.")
    lines += [*_rounded(result), *result.notes]
    if not result.edited:
        return [*lines, "Nothing better was found that is worth an edit."]
    best, present = result.best, result.present
    gain = (present.predicted_ms or 0.0) / (best.predicted_ms or 1.0)
    interval = ratio_interval(gain)
    lines.append(
        f"Best: {_changes(result)}: predicted {time_in_words(best.predicted_ms)} instead of "
        f"{time_in_words(present.predicted_ms)}, {gain:.2f} times as fast ({interval.low:.2f} to "
        f"{interval.high:.2f} within the model's error), with equal results for this workload."
    )
    if interval.holds_one:
        lines.append("That is within the model's error: only a measurement tells whether it is faster.")
    return [*lines, *_others(result)]


def _rounded(result: TuningResult) -> list[str]:
    """How configurations could be judged whose results differ by little, as sums in another order do."""
    most = tuning_numbers().rounding
    found = [one.deviation for one in result.trials if one.deviation and one.deviation <= most]
    if not found:
        return []
    accepting = 10.0 ** math.ceil(math.log10(max(found)))
    return [
        f"The results of {len(found)} deviate by at most {max(found):.1e} of the largest value. Where that "
        f"is the rounding of sums in another order, --tolerance {accepting:.0e} accepts it."
    ]


def _changes(result: TuningResult) -> str:
    pairs = zip(result.present.configuration.values, result.best.configuration.values, strict=True)
    return ", ".join(f"{name} = {now}" for (name, before), (_, now) in pairs if before != now)


def _others(result: TuningResult) -> list[str]:
    """Kernels of the workload whose predicted time changes with the same constants."""
    found = []
    for name, before in result.present.others.items():
        after = result.best.others.get(name)
        if after is not None and after != before:
            times = f"{time_in_words(after)} instead of {time_in_words(before)}"
            found.append(f"This changes {name} too: {times}.")
    return found

"""The ranked configurations of a Triton kernel, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from advisor.cli.pages.tables import plain_table
from advisor.evidence.metrics.prediction_error import ratio_interval, time_interval
from advisor.runs.tuning.numbers import tuning_numbers
from advisor.runs.tuning.triton.ranking import Ranked, Ranking

_NUMBERS = ("registers", "occupancy", "predicted ms", "of first")


def ranking_text(ranking: Ranking) -> str:
    """The head, the table by predicted time, and what follows from it."""
    return "\n".join([*_head(ranking), "", _table(ranking), "", *_verdict(ranking)])


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """The ranking for programs; times are in ms, occupancies from 0 to 1, `ratio` is to the first's time."""
    target = ranking.target
    return {
        "kernel": target.kernel,
        "path": target.path,
        "line": target.line,
        "device": ranking.device.id,
        "arguments": [
            {"name": name, "type": kind, "shape": shape} for name, kind, shape in ranking.arguments
        ],
        "ranked": [_ranked_json(one, ranking) for one in ranking.ranked],
        "first": dict(ranking.first.values),
        "best": dict(ranking.best.values),
        "complete": ranking.complete,
        "seconds": ranking.seconds,
    }


def _ranked_json(one: Ranked, ranking: Ranking) -> dict[str, Any]:
    predicted = one.predicted_ms
    interval = None if predicted is None else time_interval(predicted)
    return {
        **asdict(one),
        "predicted_interval_ms": None if interval is None else [interval.low, interval.high],
        "ratio": _ratio(one, ranking),
    }


def _ratio(one: Ranked, ranking: Ranking) -> float | None:
    first = ranking.first.predicted_ms
    return one.predicted_ms / first if one.predicted_ms is not None and first else None


def _head(ranking: Ranking) -> list[str]:
    target = ranking.target
    sizes = [
        f"{name} {' x '.join(map(str, shape)) if shape else kind}"
        for name, kind, shape in ranking.arguments
        if not kind.startswith("constexpr")
    ]
    return [
        f"{target.path}:{target.line}: {target.kernel} on {ranking.device.name}",
        f"  with {', '.join(sizes)}",
    ]


def _told(ranking: Ranking) -> list[str]:
    """The names that differ between configurations; all where there is one configuration only."""
    names = list(dict.fromkeys(name for one in ranking.ranked for name in one.values))
    differ = [name for name in names if len({str(one.values.get(name)) for one in ranking.ranked}) > 1]
    return differ or names


def _table(ranking: Ranking) -> str:
    names = _told(ranking)
    header = (*names, *_NUMBERS, "limit", "")
    rows = [_row(one, names, ranking) for one in ranking.ranked]
    return plain_table(header, rows, right=range(len(names) + len(_NUMBERS)))


def _row(one: Ranked, names: Sequence[str], ranking: Ranking) -> tuple[str, ...]:
    ratio = _ratio(one, ranking)
    registers = "" if one.registers is None else str(one.registers)
    return (
        *(str(one.values.get(name, "")) for name in names),
        f"{registers} (spills)" if one.spilled_bytes else registers,
        "" if one.occupancy is None else f"{one.occupancy:.0%}",
        "" if one.predicted_ms is None else f"{one.predicted_ms:.4g}",
        "" if ratio is None else f"{ratio:.2f}",
        one.limiter,
        _remark(one, ranking),
    )


def _remark(one: Ranked, ranking: Ranking) -> str:
    said = [f"{one.outcome}: {one.reason}"] if one.outcome != "equal" else []
    said += ["first"] if one is ranking.first else []
    said += ["best"] if one is ranking.best and one is not ranking.first else []
    return ", ".join(said)


def _verdict(ranking: Ranking) -> list[str]:
    tried, plural = len(ranking.ranked), "" if len(ranking.ranked) == 1 else "s"
    lines = [f"{tried} configuration{plural} simulated, each with its results compared with the first's."]
    if not ranking.complete:
        lines.append(f"The time limit of {ranking.seconds:g} s left some out; --seconds sets another one.")
    if any(one.spilled_bytes for one in ranking.ranked):
        lines.append("What spilled registers cost is not in the predicted time.")
    best, first = ranking.best, ranking.first
    alike = _alike(ranking)
    if best is first:
        return [*lines, "None of them is predicted to be faster than the first.", *alike]
    gain = (first.predicted_ms or 0.0) / (best.predicted_ms or 1.0)
    interval = ratio_interval(gain)
    named = ", ".join(f"{name} = {best.values.get(name)}" for name in _told(ranking))
    lines.append(
        f"Best: {named}: predicted {best.predicted_ms:.4g} ms, {gain:.2f} times as fast as the first "
        f"({interval.low:.2f} to {interval.high:.2f} within the model's error)."
    )
    if interval.holds_one:
        lines.append("That is within the model's error: only a measurement tells whether it is faster.")
    return [*lines, *alike]


def _alike(ranking: Ranking) -> list[str]:
    """How many others are predicted to take as long as the best."""
    most = (ranking.best.predicted_ms or 0.0) * tuning_numbers().step_gain
    others = [
        one
        for one in ranking.ranked
        if one is not ranking.best and one.may_be_chosen and (one.predicted_ms or 0.0) <= most
    ]
    if not others:
        return []
    number = "Another one is" if len(others) == 1 else f"{len(others)} others are"
    return [f"{number} predicted to take as long, within {tuning_numbers().step_gain - 1:.0%}."]

"""Kernels beside their budgets: as text, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from advisor.cli.reporting.page import Page
from advisor.reports.outputs.wording.numbers import (
    UNKNOWN,
    counted,
    ratio_in_words,
    shape_in_words,
    share_in_words,
    time_in_words,
)
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.budgets import Line

_WORDS_OF: Mapping[str, Callable[[float], str]] = {
    "ms": time_in_words,
    "ratio": ratio_in_words,
    "count": "{:.2f}".format,
}
_HEADER = ("kernel", "device", "what", "budget", "measured", "used", "status")


def budget_page(lines: Sequence[Line], markdown: bool, quiet: bool = False) -> str:
    """A table with a row for each limit, the fullest first, and how many are within, near and over."""
    page = Page(markdown)
    ordered = sorted(lines, key=_order)
    page.table(_HEADER, [_row(line) for line in ordered], (3, 4, 5))
    if not quiet:
        page.paragraph(_summary(lines))
    if any(line.would_be for line in lines):
        page.paragraph(
            "Predicted times are a model's and decide nothing: `advisor profile` on the GPU measures."
        )
    return page.text()


def _order(line: Line) -> tuple[int, float, str]:
    rank = ("over", "near", "within", "no measurement").index(line.status)
    return rank, -(line.value or 0.0) / line.limit, line.budget.pattern


def _row(line: Line) -> tuple[str, ...]:
    words = _WORDS_OF[line.unit]
    is_predicted = line.would_be is not None
    value = UNKNOWN if line.value is None or is_predicted else words(line.value)
    used = UNKNOWN if line.value is None or is_predicted else share_in_words(line.value / line.limit)
    return (_name(line), _device(line), line.kind, words(line.limit), value, used, _status(line))


def _status(line: Line) -> str:
    if line.would_be is None or line.value is None:
        return line.status + _fitting(line)
    words = _WORDS_OF[line.unit]
    return f"no measurement (predicted {words(line.value)}: {line.would_be}{_fitting(line)})"


def _fitting(line: Line) -> str:
    """Which of the kernel's other shapes keeps the limit: what a caller may choose its batch by."""
    if line.fitting is None:
        return ""
    one, value = line.fitting
    return f"; grid {shape_in_words(one.identity.grid)} keeps it with {_WORDS_OF[line.unit](value)}"


def _name(line: Line) -> str:
    return line.fingerprint.identity.name if line.fingerprint else line.budget.pattern


def _device(line: Line) -> str:
    return line.run.facts.device if line.run else line.budget.device or UNKNOWN


def _summary(lines: Sequence[Line]) -> str:
    parts = []
    for status in ("over", "near", "within", "no measurement"):
        number = sum(line.status == status for line in lines)
        if number:
            parts.append(f"{number} {_WORDS[status]}")
    near = share_in_words(comparing_numbers().near)
    return f"{counted(len(lines), 'limit')}: {', '.join(parts)}. Near is above {near} of the budget."


_WORDS = {
    "over": "over budget",
    "near": "near the limit",
    "within": "within budget",
    "no measurement": "without a measurement",
}


def budget_json(lines: Sequence[Line]) -> str:
    """The lines as a JSON object; a predicted value stands under `predicted`, never under `measured`."""
    return json.dumps({"version": 1, "budgets": [_content(line) for line in lines]}, indent=2)


def _content(line: Line) -> dict[str, Any]:
    is_predicted = line.would_be is not None
    return {
        "kernel": _name(line),
        "path": line.fingerprint.identity.path if line.fingerprint else None,
        "device": line.run.facts.device if line.run else None,
        "run": line.run.id if line.run else None,
        "what": line.kind,
        "unit": line.unit,
        "budget": line.limit,
        "measured": None if is_predicted else line.value,
        "predicted": line.value if is_predicted else None,
        "status": line.status,
        "would_be": line.would_be,
        "fitting": line.fitting
        and {"grid": list(line.fitting[0].identity.grid or ()), "value": line.fitting[1]},
        "place": f"{line.budget.file}:{line.budget.line}",
    }

"""What the `without` clauses of a rule say of one row: the counts that its remedy changes, with numbers."""

from __future__ import annotations

from typing import cast

import numpy as np

from advisor.model.remedies import OF_BLOCKS, Count, CountChange
from advisor.model.text.source_text import Span
from advisor.rules.checking.changeable_counts import Counts, changeable
from advisor.rules.evaluation.evaluate import Evaluation
from advisor.rules.language.expressions import Expression, Operation, Reference
from advisor.rules.model import CountAfter, Rule


def count_changes(rule: Rule, evaluation: Evaluation) -> tuple[CountChange, ...] | None:
    """The changes that the rule states for the one row of an evaluation; None where a number is missing."""
    found: list[CountChange] = []
    for item in rule.without:
        changes = _changes(item, evaluation)
        if changes is None:
            return None
        found += changes
    return tuple(found)


def _changes(item: CountAfter, evaluation: Evaluation) -> list[CountChange] | None:
    metric = evaluation.metric_of(item.count.parts)
    counts = None if metric is None else changeable(metric)
    after = None if counts is None else _after(item, counts, evaluation)
    if counts is None or after is None or after < 0.0:
        return None
    found = []
    for count, share in counts.items():
        part = _share((*item.count.parts[:-1], share), evaluation) if share else (1.0, 1.0)
        if part is None:
            return None
        kind, place = _place(item.count.parts[:-1], evaluation) if share else ("", "")
        most = _after_most(item, after, evaluation)
        found.append(CountChange(cast("Count", count), after, part, kind, place, most))
    return found


def _after(item: CountAfter, counts: Counts, evaluation: Evaluation) -> float | None:
    """The factor of a count, or the new value of one that blocks are made of."""
    if OF_BLOCKS.issuperset(counts):
        return _number(item.value, evaluation)
    factor = _factor_of(item.count, item.value)
    if factor is not None:
        return _number(factor, evaluation)
    after = _number(item.value, evaluation)
    if after == 0.0:
        return 0.0
    before = _number(item.count, evaluation)
    return after / before if after is not None and before else None


def _after_most(item: CountAfter, after: float, evaluation: Evaluation) -> float | None:
    """The factor where the count is as small as it may be; None where it is what it is."""
    if after >= 1.0 or _factor_of(item.count, item.value) is not None:
        return None
    column, rows, _ = evaluation.view.column(item.count.parts)
    row = evaluation.view.start if rows is None else int(rows[0])
    least = None if column is None else column.least.get(row)
    before = _number(item.count, evaluation)
    return min(1.0, after * before / least) if least and before else None


def _factor_of(count: Reference, value: Expression) -> Expression | None:
    """What a count is multiplied with in `10% of k.issue_slots`, which need not be known for it."""
    while isinstance(value, Operation) and value.operator == "group":
        value = value.operands[0]
    if not isinstance(value, Operation) or value.operator != "*":
        return None
    left, right = value.operands
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Reference) and one.parts == count.parts:
            return other
    return None


def _share(parts: tuple[str, ...], evaluation: Evaluation) -> tuple[float, float] | None:
    """The least and the most part that the record has in the kernel's count."""
    least = _number(Reference(parts, Span(1)), evaluation)
    if least is None:
        return None
    column, rows, _ = evaluation.view.column(parts)
    row = evaluation.view.start if rows is None else int(rows[0])
    most = None if column is None else column.most.get(row)
    return least, least if most is None else most


def _place(owner: tuple[str, ...], evaluation: Evaluation) -> tuple[str, str]:
    """What an access does, and where: its line with its array."""
    table, row = evaluation.view.row_of(owner, 0)
    kind, array = (str(evaluation.view.texts((*owner, name))[0] or "") for name in ("kind", "array"))
    if table is None or row < 0:
        return kind, ""
    return kind, f"{table.paths[row]}:{table.spans[row].line}:{array}:{kind}"


def _number(expression: Expression, evaluation: Evaluation) -> float | None:
    value = float(np.asarray(evaluation.number(expression)).reshape(-1)[0])
    return None if np.isnan(value) else value

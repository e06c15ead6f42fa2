"""What two rulebooks say differently of the same kernels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from advisor.evidence.metrics.tables import Tables
from advisor.rules.evaluation.columns import View
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.model import Rule, Rulebook
from advisor.rules.settings import RuleSettings

_GONE = "no such rule"


@dataclass(frozen=True, slots=True)
class Change:
    """A row of which a rule says something else: it fires, is silent or unknown, or there is no such rule."""

    rule: str
    entity: str
    label: str
    kernel: str
    path: str
    line: int
    before: str
    after: str


def differences(
    before: tuple[Rulebook, RuleSettings],
    after: tuple[Rulebook, RuleSettings],
    tables: Tables,
    rules: Collection[str] | None = None,
) -> list[Change]:
    """The rows whose verdict changes, of some rules or of all, in order of rule and place."""
    names = {rule.id for book, _ in (before, after) for rule in book.rules}
    found: list[Change] = []
    for name in sorted(names if rules is None else names & set(rules)):
        old, new = (verdicts_of(book, settings, name, tables) for book, settings in (before, after))
        entity = next(rule.entity for book in (after[0], before[0]) if (rule := book.rule(name)) is not None)
        table = tables.get(entity)
        if table is None:
            continue
        for row in range(len(table)):
            verdicts = old.get(row, _GONE), new.get(row, _GONE)
            if verdicts[0] != verdicts[1] and set(verdicts) != {"silent", _GONE}:
                place = table.paths[row], table.spans[row].line
                kernel = _kernel_of(tables, entity, row)
                found.append(Change(name, entity, table.labels[row], kernel, *place, *verdicts))
    return sorted(found, key=lambda one: (one.rule, one.path, one.line, one.label))


def verdicts_of(book: Rulebook, settings: RuleSettings, name: str, tables: Tables) -> dict[int, str]:
    """By row of its entity the verdict of a rule; empty where there is no such rule."""
    rule = book.rule(name)
    if rule is None or not len(tables.get(rule.entity, ())):
        return {}
    return _of_rule(book, rule, settings, tables)


def _of_rule(book: Rulebook, rule: Rule, settings: RuleSettings, tables: Tables) -> dict[int, str]:
    judge = RuleJudge(book, rule, settings)
    view = View(tables, dict(rule.variables), book.owner_entity())
    found: dict[int, str] = {}
    for rows in judge.rows_by_variant(view):
        if not judge.enabled:
            found.update(dict.fromkeys(rows, "silent"))
            continue
        true, possible = judge.masks(view)
        words = np.where(true, "fires", np.where(possible, "unknown", "silent"))
        found.update((row, str(words[row])) for row in rows)
    return found


def _kernel_of(tables: Tables, entity: str, row: int) -> str:
    kernels, table = tables.get("kernel"), tables[entity]
    if entity == "kernel":
        return table.labels[row]
    owner = int(table.owners[row])
    return kernels.labels[owner] if kernels is not None and 0 <= owner < len(kernels) else ""

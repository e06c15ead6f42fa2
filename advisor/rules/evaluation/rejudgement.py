"""Judging tables again and again: a rule is only judged anew where a table that it looks at has changed."""

from __future__ import annotations

import re

import numpy as np

from advisor.evidence.metrics.tables import Column, Table, Tables
from advisor.rules.evaluation.judgement import Judgement, RuleJudge
from advisor.rules.model import Rule, Rulebook
from advisor.rules.settings import RuleSettings, check_settings


class Rejudgement:
    """The verdicts on one set of tables while it changes, each as `judge` gives it."""

    def __init__(self) -> None:
        self._rulebook: Rulebook | None = None
        self._settings: RuleSettings | None = None
        self._tables: Tables = {}
        self._known: dict[str, Judgement] = {}
        self._looks_at: dict[str, frozenset[str]] = {}

    def judge(self, rulebook: Rulebook, tables: Tables, settings: RuleSettings) -> Judgement:
        """The verdicts of the selected rules. Raises UsageError for settings that name what is not there."""
        if rulebook is not self._rulebook or settings != self._settings:
            check_settings(rulebook, settings)
            self._rulebook, self._settings, self._known = rulebook, settings, {}
            self._looks_at = {rule.id: _entities(rule, rulebook) for rule in rulebook.rules}
        changed = {
            entity
            for entity in {*tables, *self._tables}
            if not _alike(tables.get(entity), self._tables.get(entity))
        }
        self._tables = tables
        result = Judgement()
        for rule in rulebook.rules:
            if settings.select is not None and rule.id not in settings.select:
                continue
            known = self._known.get(rule.id)
            if known is None or not self._looks_at[rule.id].isdisjoint(changed):
                known = self._known[rule.id] = Judgement()
                RuleJudge(rulebook, rule, settings).judge(tables, known)
            result.matches += known.matches
            result.undecided += known.undecided
            result.suppressed += known.suppressed
        return result


def _entities(rule: Rule, rulebook: Rulebook) -> frozenset[str]:
    """The entities whose tables may decide what a rule says: all that it names, and what owns these."""
    owners = rulebook.owner_entity()
    words = set(re.findall(r"\w+", repr(rule)))
    changes = [one for one in rulebook.overrides if one.rule == rule.id]
    accepted = [one for one in rulebook.suppressions if one.rule == rule.id]
    words |= set(re.findall(r"\w+", repr((changes, accepted))))
    found = {entity for entity in owners if entity in words} | {"kernel"}
    waiting = list(found)
    while waiting:
        owner = owners.get(waiting.pop())
        if owner is not None and owner not in found:
            found.add(owner)
            waiting.append(owner)
    return frozenset(found)


def _alike(one: Table | None, other: Table | None) -> bool:
    """Whether two tables say the same, wherever their rows stand."""
    if one is None or other is None or one is other:
        return one is other
    return (
        len(one) == len(other)
        and one.labels == other.labels
        and one.paths == other.paths
        and np.array_equal(one.owners, other.owners)
        and one.columns.keys() == other.columns.keys()
        and all(_same(column, other.columns[name]) for name, column in one.columns.items())
    )


def _same(one: Column, other: Column) -> bool:
    if one.values.dtype != other.values.dtype or one.most != other.most:
        return False
    if one.assumptions != other.assumptions:
        return False
    if not np.array_equal(one.sources, other.sources):
        return False
    if one.values.dtype == object:
        return bool((one.values == other.values).all())
    return bool(np.array_equal(one.values, other.values, equal_nan=True))

"""Judging tables again and again: a rule is only judged again where a table that it looks at has changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from advisor.evidence.metrics.tables import Table, Tables
from advisor.model.storage.memo import Memo, SameObject
from advisor.rules.evaluation.judgement import Judgement, RuleJudge
from advisor.rules.model import Rule, Rulebook
from advisor.rules.settings import RuleSettings, check_settings

_Entities = Mapping[str, tuple[str, ...]]


class IncrementalJudge:
    """The verdicts on one set of tables while it changes, each as `judge` gives it."""

    def __init__(self) -> None:
        self._entities = Memo[str, _Entities](most=1)
        self._verdicts = Memo[str, Judgement]()

    def judge(self, rulebook: Rulebook, tables: Tables, settings: RuleSettings) -> Judgement:
        """The verdicts of the selected rules. Raises UsageError for settings that name what is not there."""

        def entities() -> _Entities:
            check_settings(rulebook, settings)
            return {rule.id: _entities(rule, rulebook) for rule in rulebook.rules}

        looks_at = self._entities.value("rules", (SameObject(rulebook), settings), entities)
        contents = {entity: _content(table) for entity, table in tables.items()}
        result = Judgement()
        for rule in rulebook.rules:
            if settings.select is not None and rule.id not in settings.select:
                continue
            seen = [contents.get(entity) for entity in looks_at[rule.id]]
            key = SameObject(looks_at), seen
            verdict = self._verdicts.find(rule.id, key)
            if verdict is None:
                verdict = Judgement()
                RuleJudge(rulebook, rule, settings).judge(tables, verdict)
                self._verdicts.keep(rule.id, key, verdict)
            result.matches += verdict.matches
            result.undecided += verdict.undecided
            result.suppressed += verdict.suppressed
        return result


def _entities(rule: Rule, rulebook: Rulebook) -> tuple[str, ...]:
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
    return tuple(sorted(found))


def _content(table: Table) -> bytes:
    """A digest of all that a table says, wherever its rows stand in their files."""
    digest = hashlib.blake2b(digest_size=16)

    def add(*values: object) -> None:
        digest.update(repr(values).encode(errors="surrogatepass"))

    add(table.labels, table.paths)
    digest.update(table.owners.tobytes())
    for name, column in table.columns.items():
        add(name, column.values.dtype.char, column.assumptions, column.most, column.least)
        if column.values.dtype == object:
            add(column.values.tolist())
        else:
            digest.update(column.values.tobytes())
        digest.update(column.sources.tobytes())
    return digest.digest()

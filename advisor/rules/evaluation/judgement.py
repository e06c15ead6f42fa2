"""Verdicts of rules over tables of records: fires, silent or unknown, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from advisor.evidence.metrics.tables import KERNEL_ENTITIES, Tables
from advisor.model.findings import Undecided
from advisor.model.records import Source
from advisor.rules.evaluation.columns import View
from advisor.rules.evaluation.evaluate import Evaluation
from advisor.rules.evaluation.matches import Match, Telling
from advisor.rules.language.expressions import Expression, Operation, Reference
from advisor.rules.model import Rule, Rulebook, Suppress
from advisor.rules.overrides import Overrides, Place, Variant, has_ended
from advisor.rules.policy import Circumstance, policy_for
from advisor.rules.settings import RuleSettings, check_settings, project_overrides
from advisor.rules.units import TEXT

_BLOCK = 32_768
Mask = npt.NDArray[np.bool_]
Unchecked = list[tuple[str, Mask]]


@dataclass
class Judgement:
    """Matches in order of rule and row, what stayed undecided, and how many matches packs accept."""

    matches: list[Match] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    suppressed: int = 0


def judge(rulebook: Rulebook, tables: Tables, *, settings: RuleSettings | None = None) -> Judgement:
    """The verdicts of the selected rules. Raises UsageError for settings that name what does not exist."""
    settings = settings or RuleSettings()
    check_settings(rulebook, settings)
    result = Judgement()
    for rule in rulebook.rules:
        if settings.select is not None and rule.id not in settings.select:
            continue
        RuleJudge(rulebook, rule, settings).judge(tables, result)
    return result


def _places(tables: Tables, entity: str, view: View, settings: RuleSettings) -> list[Place]:
    """The place of each row; without a name where it has no kernel."""
    table, owner_entity = tables.get(entity), view.owner_entity.get(entity) or ""
    kernels = tables.get(owner_entity) if owner_entity in KERNEL_ENTITIES else None
    if table is None:
        return [("", "")] * view.size
    found: list[Place] = []
    paths = {path: settings.matched_path(path) for path in set(table.paths)}
    for row, written in enumerate(table.paths):
        path = paths[written]
        if entity in KERNEL_ENTITIES:
            found.append((path, table.labels[row]))
            continue
        owner = int(table.owners[row])
        found.append((path, kernels.labels[owner] if kernels is not None and owner >= 0 else ""))
    return found


class RuleJudge:
    """Judges one rule, with its overrides applied."""

    def __init__(self, rulebook: Rulebook, rule: Rule, settings: RuleSettings) -> None:
        self.rulebook, self.rule = rulebook, rule
        self.settings = settings
        self.policy = policy_for(settings.policy)
        own = project_overrides(rule, settings)
        changes = [*rulebook.overrides, *own]
        self.overrides = Overrides(rule, changes, settings.device, settings.today)
        self.suppressions = [
            one for one in rulebook.suppressions if one.rule == rule.id and not has_ended(one, settings.today)
        ]
        self._use(self.overrides.variant())

    def _use(self, variant: Variant) -> None:
        self.changes = variant.changes
        self.params, self.severity, self.enabled = variant.params, variant.severity, variant.enabled

    def judge(self, tables: Tables, result: Judgement) -> None:
        """Add the matches and the undecided rows of this rule to `result`."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        if self.rule.entity not in tables and view.owner_entity.get(self.rule.entity) is not None:
            if self.enabled:
                self._unseen(tables, view, result)
            return
        if self.overrides.same_everywhere:
            if self.enabled:
                self._judge(view, None, result)
            return
        for variant, rows in self._variants(view):
            if variant.enabled:
                self._use(variant)
                chosen = np.zeros(view.size, dtype=bool)
                chosen[rows] = True
                self._judge(view, chosen, result)

    def rows_by_variant(self, view: View) -> Iterator[list[int]]:
        """The rows of each variant of the rule; the judge is that variant's until the next are asked for."""
        for variant, rows in self._variants(view):
            self._use(variant)
            yield rows

    def _variants(self, view: View) -> list[tuple[Variant, list[int]]]:
        return self.overrides.variants(_places(view.tables, self.rule.entity, view, self.settings))

    def _judge(self, view: View, chosen: Mask | None, result: Judgement) -> None:
        places, needs = 0, set[str]()
        for block in self._blocks(view):
            evaluation = self._evaluation(block)
            true, possible, unchecked = self._except(evaluation, *evaluation.condition(self.rule.when))
            if chosen is not None:
                here = chosen[block.start : block.stop]
                true, possible = true & here, possible & here
            unknown = possible & ~true
            if unknown.any():
                places += int(unknown.sum())
                needs |= self._missing(evaluation, unknown)
            if self.rule.entity in view.tables:
                true = self._without_accepted(evaluation, true, result)
                # Most rules fire nowhere, and what tells of matches is not made for them.
                result.matches += self._matches(evaluation, true, unchecked) if true.any() else []
        if places:
            result.undecided.append(Undecided(self.rule.id, places, tuple(sorted(needs)), ()))

    def _without_accepted(self, evaluation: Evaluation, true: Mask, result: Judgement) -> Mask:
        for one in self.suppressions:
            if not true.any():
                break
            accepted = true & evaluation.condition(one.condition)[0]
            result.suppressed += int(accepted.sum())
            true = true & ~accepted
        return true

    def _unseen(self, tables: Tables, view: View, result: Judgement) -> None:
        """Note that no source speaks of the rule's entity: it stays open for each kernel of its kind."""
        owners, at = self.rulebook.owner_entity(), self.rule.entity
        while at not in KERNEL_ENTITIES and (owner := owners.get(at)) is not None:
            at = owner
        kernels = len(tables.get(at if at in KERNEL_ENTITIES else "kernel", ()))
        if kernels:
            evaluation = self._evaluation(view)
            metrics = [evaluation.metric_of(reference.parts) for reference in self.condition_references]
            needs = {f"{metric.entity}.{metric.name}" for metric in metrics if metric is not None}
            result.undecided.append(Undecided(self.rule.id, kernels, tuple(sorted(needs)), ()))

    def masks(self, view: View) -> tuple[Mask, Mask]:
        """For each row of a view whether the rule certainly fires, and whether it may."""
        parts = []
        for block in self._blocks(view):
            evaluation = self._evaluation(block)
            parts.append(self._except(evaluation, *evaluation.condition(self.rule.when))[:2])
        return np.concatenate([true for true, _ in parts]), np.concatenate([maybe for _, maybe in parts])

    def _blocks(self, view: View) -> Iterator[View]:
        for start in range(0, view.size, _BLOCK):
            yield view.block(start, min(start + _BLOCK, view.size))

    def match_of(self, view: View) -> Match | None:
        """The match of a view of one row, None where the rule does not fire there."""
        evaluation = self._evaluation(view)
        true, _, unchecked = self._except(evaluation, *evaluation.condition(self.rule.when))
        return next(iter(self._matches(evaluation, true, unchecked)), None)

    def accepted_by(self, view: View) -> Suppress | None:
        """The suppression of a pack that accepts a match in a view of one row."""
        evaluation = self._evaluation(view)
        return next((one for one in self.suppressions if evaluation.condition(one.condition)[0][0]), None)

    def _matches(self, evaluation: Evaluation, true: Mask, unchecked: Unchecked) -> list[Match]:
        level_given = any(one.level is not None for one in self.changes.values())
        telling = Telling(
            self.rule, self.params, self.severity, self.condition_references, self.policy, level_given
        )
        places = np.flatnonzero(true)
        heeded = self.policy.heeded_by(self.rule, self.rulebook) if len(places) else []
        holding = [(evaluation.condition(reference)[0], one) for reference, one in heeded]
        found = []
        for at in places:
            notes = [f"Exception not checkable: {reason}." for reason, mask in unchecked if mask[at]]
            circumstances = [one for mask, one in holding if mask[at]]
            match = telling.match(evaluation, int(at), tuple(notes), circumstances)
            if match is not None:
                found.append(match)
        return found

    def circumstances(self, view: View) -> list[Circumstance]:
        """The circumstances of the policy that hold for a view of one row."""
        evaluation = self._evaluation(view)
        heeded = self.policy.heeded_by(self.rule, self.rulebook)
        return [one for reference, one in heeded if evaluation.condition(reference)[0][0]]

    def rests_on(self, source: Source, tables: Tables) -> bool:
        """Whether the rule looks at a metric that a source tells, or that follows from others."""
        evaluation = self._evaluation(View(tables, dict(self.rule.variables), self.rulebook.owner_entity()))
        metrics = [evaluation.metric_of(reference.parts) for reference in self.condition_references]
        return any(one is not None and (one.computed or source in one.provided_by) for one in metrics)

    def rows(self, tables: Tables) -> list[int]:
        """The rows where the rule fires, in order; nothing is told of them."""
        return _Rows(self.rulebook, self.rule, self.settings).found(tables)

    def match_in_row(self, tables: Tables, row: int) -> Match | None:
        """The match in one row of a table, None where the rule does not fire there."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        for rows in self.rows_by_variant(view):
            if row in rows:
                return self.match_of(view.block(row, row + 1))
        return None

    def _evaluation(self, view: View) -> Evaluation:
        return Evaluation(view, self.params, dict(self.rule.lets), self.rulebook.metrics)

    def verdict(self, tables: Tables, row: int = 0) -> str:
        """fires, info, silent or unknown for one row; a table that nothing filled counts as one unknown row.

        "info" is a rule that fires where one of its `doubt` conditions certainly holds.
        """
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        evaluation = self._evaluation(view)
        true, possible, _ = self._except(evaluation, *evaluation.condition(self.rule.when))
        if true[row]:
            doubts = (evaluation.condition(one.condition)[0][row] for one in self.rule.doubts)
            return "info" if any(doubts) else "fires"
        return "unknown" if possible[row] else "silent"

    def _except(self, evaluation: Evaluation, true: Mask, possible: Mask) -> tuple[Mask, Mask, Unchecked]:
        unchecked: Unchecked = []
        for item in self.rule.unless:
            if not possible.any():
                break
            excepted, maybe = evaluation.condition(item.condition)
            unchecked.append((item.reason, maybe & ~excepted))
            true, possible = true & ~excepted, possible & ~excepted
        return true, possible, unchecked

    def _missing(self, evaluation: Evaluation, unknown: Mask) -> set[str]:
        found: set[str] = set()
        for reference in self.condition_references:
            metric = evaluation.metric_of(reference.parts)
            if metric is None:
                continue
            if metric.unit == TEXT:
                absent = np.array([value is None for value in evaluation.view.texts(reference.parts)])
            else:
                absent = np.isnan(evaluation.view.numbers(reference.parts))
            if (absent & unknown).any():
                found.add(f"{metric.entity}.{metric.name}")
        return found

    @cached_property
    def condition_references(self) -> list[Reference]:
        """The metric references of `when`, those inside lets included, quantified ones left out."""
        lets = dict(self.rule.lets)
        found: dict[tuple[str, ...], Reference] = {}

        def visit(expression: Expression) -> None:
            if isinstance(expression, Reference):
                if len(expression.parts) > 1:
                    found.setdefault(expression.parts, expression)
                elif expression.parts[0] in lets:
                    visit(lets[expression.parts[0]])
            elif isinstance(expression, Operation):
                for operand in expression.operands:
                    visit(operand)

        visit(self.rule.when)
        return list(found.values())


class _Rows(RuleJudge):
    """Finds the rows where a rule fires."""

    def __init__(self, rulebook: Rulebook, rule: Rule, settings: RuleSettings) -> None:
        super().__init__(rulebook, rule, settings)
        self._found: list[int] = []

    def found(self, tables: Tables) -> list[int]:
        """The rows, in order."""
        self.judge(tables, Judgement())
        return sorted(self._found)

    def _matches(self, evaluation: Evaluation, true: Mask, unchecked: Unchecked) -> list[Match]:  # noqa: ARG002
        self._found += (evaluation.view.start + np.flatnonzero(true)).tolist()
        return []

"""Verdicts of rules over tables of records: fires, silent or unknown, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from advisor.config import RuleSetting
from advisor.findings import Undecided
from advisor.metrics.tables import Tables
from advisor.rules.columns import View
from advisor.rules.evaluate import Evaluation
from advisor.rules.matches import Match, Telling
from advisor.rules.model import Expression, Operation, Reference, Rule, Rulebook
from advisor.rules.settings import RuleSettings, check_settings, param_value
from advisor.rules.units import TEXT

_BLOCK = 32_768
Mask = npt.NDArray[np.bool_]
Unchecked = list[tuple[str, Mask]]


@dataclass
class Judgement:
    """All matches in order of rule and row, and what stayed undecided."""

    matches: list[Match] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)


def judge(rulebook: Rulebook, tables: Tables, *, settings: RuleSettings | None = None) -> Judgement:
    """The verdicts of the selected rules. Raises UsageError for settings that name what does not exist."""
    settings = settings or RuleSettings()
    check_settings(rulebook, settings)
    result = Judgement()
    for rule in rulebook.rules:
        if settings.select is not None and rule.id not in settings.select:
            continue
        judged = RuleJudge(rulebook, rule, settings)
        if judged.enabled:
            judged.judge(tables, result)
    return result


class RuleJudge:
    """Judges one rule, with its overrides applied."""

    def __init__(self, rulebook: Rulebook, rule: Rule, settings: RuleSettings) -> None:
        self.rulebook, self.rule = rulebook, rule
        self.params = {param.name: param.value for param in rule.params}
        self.severity, self.enabled = rule.severity, True
        for override in sorted(rulebook.overrides, key=lambda item: bool(item.device)):
            if override.rule == rule.id and override.device in ("", settings.device):
                self.params.update(override.params)
                self.severity = override.level or self.severity
                self.enabled = self.enabled and not override.disabled
        setting = settings.config.get(rule.id)
        if setting is not None:
            self._configure(setting)

    def _configure(self, setting: RuleSetting) -> None:
        for name, text in setting.params.items():
            self.params[name] = param_value(self.rule, name, text)
        if setting.level == "off":
            self.enabled = False
        elif setting.level is not None:
            self.severity = setting.level

    def judge(self, tables: Tables, result: Judgement) -> None:
        """Adds the matches and the undecided rows of this rule to `result`."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        if self.rule.entity not in tables and view.owner_entity.get(self.rule.entity) is not None:
            self._unseen(tables, view, result)
            return
        places, needs = 0, set[str]()
        for block in self._blocks(view):
            evaluation = self._evaluation(block)
            true, possible, unchecked = self._except(evaluation, *evaluation.condition(self.rule.when))
            unknown = possible & ~true
            if unknown.any():
                places += int(unknown.sum())
                needs |= self._missing(evaluation, unknown)
            if self.rule.entity in tables:
                result.matches += self._matches(evaluation, true, unchecked)
        if places:
            result.undecided.append(Undecided(self.rule.id, places, tuple(sorted(needs)), ()))

    def _unseen(self, tables: Tables, view: View, result: Judgement) -> None:
        """Notes that no source told of the rule's entity: it stays open for each kernel."""
        kernels = len(tables.get("kernel", ()))
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

    def _matches(self, evaluation: Evaluation, true: Mask, unchecked: Unchecked) -> list[Match]:
        telling = Telling(self.rule, self.params, self.severity, self.condition_references)
        found = []
        for at in np.flatnonzero(true):
            notes = tuple(f"Exception not checkable: {reason}." for reason, mask in unchecked if mask[at])
            found.append(telling.match(evaluation, int(at), notes))
        return found

    def _evaluation(self, view: View) -> Evaluation:
        return Evaluation(view, self.params, dict(self.rule.lets), self.rulebook.metrics)

    def verdict(self, tables: Tables, row: int = 0) -> str:
        """fires, silent or unknown for one row; a table that nothing filled counts as one unknown row."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        evaluation = self._evaluation(view)
        true, possible, _ = self._except(evaluation, *evaluation.condition(self.rule.when))
        return "fires" if true[row] else "unknown" if possible[row] else "silent"

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

"""The verdict of every rule on every row, and the findings that come of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from advisor.config import RuleSetting
from advisor.errors import UsageError
from advisor.findings import SEVERITIES, Evidence, Finding, Fix, Gain, Related, Severity, Undecided
from advisor.metrics.tables import Tables
from advisor.records import Source
from advisor.rules.columns import View
from advisor.rules.evaluate import Evaluation
from advisor.rules.model import Expression, Metric, Operation, Reference, Rule, Rulebook
from advisor.rules.units import TEXT, TRUTH, Unit, find_unit, format_value
from advisor.selectors import suggestion

_BLOCK = 32_768
_FIELD = re.compile(r"\{([^{}]*)\}")
_QUANTITY = re.compile(r"\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(.*?)\s*")
# These lie in host code, beside the kernels they belong to.
_HOST_ENTITIES = frozenset({"launch"})
_COMPARISONS = ("<", "<=", ">", ">=", "=", "!=", "between")
_LARGEST_SHARE = 0.999


@dataclass(frozen=True)
class RuleSettings:
    """What a run asks of the rules: the ids to judge (None for all), the device, and the configured changes."""

    select: tuple[str, ...] | None = None
    device: str = ""
    config: Mapping[str, RuleSetting] = field(default_factory=dict)


@dataclass
class Match:
    """A rule that fires on one row."""

    rule: Rule
    row: int
    severity: Severity
    say: str
    why: str
    advice: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    gain: Gain | None


@dataclass
class Judgement:
    """All matches in order of rule and row, and what stayed undecided."""

    matches: list[Match] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)


def judge(rulebook: Rulebook, tables: Tables, *, settings: RuleSettings | None = None) -> Judgement:
    """The verdicts of the selected rules. Raises UsageError for settings that name what does not exist."""
    settings = settings or RuleSettings()
    _check_settings(rulebook, settings)
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
            self.params[name] = _param_value(self.rule, name, text)
        if setting.level == "off":
            self.enabled = False
        elif setting.level is not None:
            self.severity = setting.level

    def judge(self, tables: Tables, result: Judgement) -> None:
        """Adds the matches and the undecided rows of this rule to `result`."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        if self.rule.entity not in tables and view.owner_entity.get(self.rule.entity) is not None:
            return
        places, needs = 0, set[str]()
        for start in range(0, view.size, _BLOCK):
            block = view.block(start, min(start + _BLOCK, view.size))
            evaluation = self._evaluation(block)
            true, possible = evaluation.condition(self.rule.when)
            true, possible, unchecked = self._except(evaluation, true, possible)
            unknown = possible & ~true
            if unknown.any():
                places += int(unknown.sum())
                needs |= self._missing(evaluation, unknown)
            if self.rule.entity in tables:
                result.matches += [self._match(evaluation, int(at), unchecked) for at in np.flatnonzero(true)]
        if places:
            result.undecided.append(Undecided(self.rule.id, places, tuple(sorted(needs)), ()))

    def _evaluation(self, view: View) -> Evaluation:
        return Evaluation(view, self.params, dict(self.rule.lets), self.rulebook.metrics)

    def verdict(self, tables: Tables, row: int = 0) -> str:
        """fires, silent or unknown for one row; a table that nothing filled counts as one unknown row."""
        view = View(tables, dict(self.rule.variables), self.rulebook.owner_entity())
        evaluation = self._evaluation(view)
        true, possible, _ = self._except(evaluation, *evaluation.condition(self.rule.when))
        return "fires" if true[row] else "unknown" if possible[row] else "silent"

    def _except(self, evaluation: Evaluation, true: np.ndarray, possible: np.ndarray):  # type: ignore[no-untyped-def, type-arg]
        unchecked: list[tuple[str, np.ndarray]] = []  # type: ignore[type-arg]
        for item in self.rule.unless:
            if not possible.any():
                break
            excepted, maybe = evaluation.condition(item.condition)
            unchecked.append((item.reason, maybe & ~excepted))
            true, possible = true & ~excepted, possible & ~excepted
        return true, possible, unchecked

    def _missing(self, evaluation: Evaluation, unknown: np.ndarray) -> set[str]:  # type: ignore[type-arg]
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

    # -- matches ---------------------------------------------------------------------------------------

    def _match(self, evaluation: Evaluation, at: int, unchecked: list[tuple[str, np.ndarray]]) -> Match:  # type: ignore[type-arg]
        view = evaluation.view
        block = view.block(view.start + at, view.start + at + 1)
        single = self._evaluation(block)
        evidence = self._evidence(single, self.rule.when)
        assumptions = self._assumptions(single)
        severity = self.severity
        if assumptions and self.rule.severity_when_assumed is not None:
            severity = min(severity, self.rule.severity_when_assumed, key=SEVERITIES.index)
        notes = tuple(f"Exception not checkable: {reason}." for reason, mask in unchecked if mask[at])
        return Match(
            self.rule, view.start + at, severity, self._text(self.rule.say, single), self._text(self.rule.why, single),
            tuple(self._text(line, single) for line in self.rule.advice), tuple(evidence),
            (*assumptions, *notes), self._gain(single),
        )  # fmt: skip

    def _evidence(self, evaluation: Evaluation, expression: Expression) -> list[Evidence]:
        found: list[Evidence] = []
        if isinstance(expression, Operation) and expression.operator in _COMPARISONS:
            left, right = expression.operands[0], expression.operands[-1]
            for side, other in ((left, right), (right, left)):
                for reference in _references(side):
                    threshold = self._value(evaluation, other) if side is reference else None
                    found += self._piece(evaluation, reference, threshold)
            return found
        if isinstance(expression, Reference):
            return self._piece(evaluation, expression, None)
        if isinstance(expression, Operation) and expression.operator not in (
            "one_of",
            "like",
            "known",
            "missing",
        ):
            for operand in expression.operands:
                found += self._evidence(evaluation, operand)
        if isinstance(expression, Operation) and expression.operator == "one_of":
            found += self._piece(evaluation, expression.operands[0], None)
        unique = {item.metric: item for item in reversed(found)}
        return list(reversed(unique.values()))

    def _piece(
        self, evaluation: Evaluation, expression: Expression, threshold: float | None
    ) -> list[Evidence]:
        metric = evaluation.metric_of(expression.parts) if isinstance(expression, Reference) else None
        if metric is None or not isinstance(expression, Reference):
            return []
        value = self._reading(evaluation, expression, metric)
        column, rows, _ = evaluation.view.column(expression.parts)
        row = evaluation.view.start if rows is None else int(rows[0])
        source: Source | None = column.source(row) if column is not None and row >= 0 else None
        if value is None or source is None:
            return []
        text = format_value(value, metric.unit)
        return [Evidence(metric.name, value, _unit_name(metric.unit), threshold, source, text)]

    def _reading(
        self, evaluation: Evaluation, reference: Reference, metric: Metric
    ) -> float | str | bool | None:
        if metric.unit == TEXT:
            found: str | None = evaluation.view.texts(reference.parts)[0]
            return found
        value = float(evaluation.view.numbers(reference.parts)[0])
        if np.isnan(value):
            return None
        return bool(value) if metric.unit == TRUTH else value

    def _value(self, evaluation: Evaluation, expression: Expression) -> float | None:
        if evaluation._is_text(expression):
            return None
        if isinstance(expression, Operation) and expression.operator in ("and", "or", "not", *_COMPARISONS):
            return None
        value = float(np.asarray(evaluation.number(expression)).reshape(-1)[0])
        return None if np.isnan(value) else value

    def _assumptions(self, evaluation: Evaluation) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for reference in self.condition_references:
            column, rows, _ = evaluation.view.column(reference.parts)
            if column is not None:
                row = evaluation.view.start if rows is None else int(rows[0])
                found.update(dict.fromkeys(column.assumptions.get(row, ())))
        return tuple(found)

    def _gain(self, evaluation: Evaluation) -> Gain | None:
        if self.rule.gain is None:
            return None
        share = self._value(evaluation, self.rule.gain)
        if share is None or not share > 0:
            return None
        speedup = 1 / (1 - min(share, _LARGEST_SHARE))
        return Gain(round(speedup, 3), "at most" if self.rule.gain_at_most else "about")

    def _text(self, template: str, evaluation: Evaluation) -> str:
        return _FIELD.sub(lambda match: self._filled(match[1], evaluation), template)

    def _filled(self, name: str, evaluation: Evaluation) -> str:
        parts = tuple(name.split("."))
        if len(parts) == 1 and (parts[0] in evaluation.view.variables or parts[0] in ("run", "device")):
            table, row = evaluation.view.row_of(parts, 0)
            return f"`{table.labels[row]}`" if table is not None and row >= 0 else parts[0]
        if len(parts) == 1 and parts[0] in self.params:
            unit = next(param.unit for param in self.rule.params if param.name == parts[0])
            return format_value(self.params[parts[0]], unit)
        if len(parts) == 1:
            value = self._value(evaluation, Reference(parts, self.rule.span))
            return "unknown" if value is None else format_value(value, find_unit("count") or TEXT)
        metric = evaluation.metric_of(parts)
        reading = self._reading(evaluation, Reference(parts, self.rule.span), metric) if metric else None
        if reading is None or metric is None:
            return "unknown"
        shown = format_value(reading, metric.unit)
        return f"`{shown}`" if metric.unit == TEXT and metric.name in ("array", "call", "name") else shown


def to_finding(match: Match, rulebook: Rulebook, tables: Tables) -> Finding:
    """The finding of a match, at the place of its row."""
    del rulebook
    rule = match.rule
    table = tables[rule.entity]
    kernel = table.labels[match.row] if rule.entity == "kernel" else None
    related: tuple[Related, ...] = ()
    owner = int(table.owners[match.row]) if len(table.owners) else -1
    if owner >= 0 and "kernel" in tables and "kernel" in dict(rule.variables).values():
        kernels = tables["kernel"]
        if rule.entity in _HOST_ENTITIES:
            message = f"kernel `{kernels.labels[owner]}`"
            related = (Related(kernels.paths[owner], kernels.spans[owner], message),)
        else:
            kernel = kernels.labels[owner]
    return Finding(
        rule=rule.id,
        path=table.paths[match.row],
        span=table.spans[match.row],
        kernel=kernel,
        severity=match.severity,
        confidence=rule.confidence,
        message=match.say,
        why=match.why,
        advice=match.advice,
        evidence=match.evidence,
        gain=match.gain,
        effort=rule.effort,
        assumptions=match.assumptions,
        fixes=tuple(Fix(fix.title, fix.safety) for fix in rule.fixes),
        related=related,
        url=rule.url,
        title=rule.title,
        category=rule.category,
    )


def _references(expression: Expression) -> list[Reference]:
    if isinstance(expression, Reference):
        return [expression]
    if isinstance(expression, Operation):
        return [reference for operand in expression.operands for reference in _references(operand)]
    return []


def _unit_name(unit: Unit) -> str:
    return unit.name


def _check_settings(rulebook: Rulebook, settings: RuleSettings) -> None:
    known = {rule.id: rule for rule in rulebook.rules}
    for name, setting in settings.config.items():
        if name not in known:
            raise UsageError(f"[tool.advisor.rules]: unknown rule `{name}`.{suggestion(name, known)}")
        for param, text in setting.params.items():
            _param_value(known[name], param, text)


def _param_value(rule: Rule, name: str, text: str) -> float:
    param = next((item for item in rule.params if item.name == name), None)
    place = f"[tool.advisor.rules.{rule.id}]"
    if param is None:
        raise UsageError(
            f"{place}: unknown parameter `{name}`.{suggestion(name, [p.name for p in rule.params])}"
        )
    match = _QUANTITY.fullmatch(str(text))
    unit = find_unit(match[2]) if match and match[2] else find_unit("count")
    if match is None or unit is None or unit.dimension != param.unit.dimension:
        raise UsageError(
            f"{place}: {name} = {text!r} is no {param.unit.described}; write it like {format_value(param.value, param.unit)}."
        )
    value = float(match[1]) * unit.scale
    if (param.low is not None and value < param.low) or (param.high is not None and value > param.high):
        low = "" if param.low is None else format_value(param.low, param.unit)
        high = "" if param.high is None else format_value(param.high, param.unit)
        raise UsageError(f"{place}: {name} = {text!r} is outside its range {low} .. {high}.")
    return value

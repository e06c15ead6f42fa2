"""One rule checked: its clauses, names, units, parameters, texts and examples."""

from __future__ import annotations

import re
from pathlib import PurePath

from advisor.model.text.source_text import Span
from advisor.rules.checking.changeable_counts import changeable, changeable_of
from advisor.rules.checking.examples_with_given import check_given, examples_with_given
from advisor.rules.checking.expansion import Definitions as Definitions
from advisor.rules.checking.expansion import Extent, expand_within_bounds, expanded_extent
from advisor.rules.checking.typing import Typing
from advisor.rules.checking.vocabulary import Vocabulary, hint_for
from advisor.rules.language.drafts import RuleDraft, WrittenText
from advisor.rules.language.expressions import Expression, Operation, Quantified
from advisor.rules.language.problems import Complaints
from advisor.rules.loading.packs import RULE_SUFFIX
from advisor.rules.model import CountAfter, Rule, Sentence, Unless
from advisor.rules.units import format_value

_ONCE = (
    "for_each", "when", "once", "severity", "confidence", "effort", "say", "why", "gain", "without_nothing",
    "deprecated", "given",
)  # fmt: skip
_NEEDED = {
    "for_each": "begin with `for each kernel k`.", "when": "state the condition: `when …`.",
    "severity": "write `severity info`, `warning` or `error`.",
    "confidence": "write `confidence low`, `medium` or `high`.",
    "effort": "write `effort low`, `medium` or `high`.",
    "say": "state the fact with its numbers: `say \"…\"`.",
    "why": "explain the mechanism: `why \"…\"`.", "try": "give the advice: `try \"…\"`.",
    "source": "name where it comes from: `source \"…\" url \"…\"`.",
}  # fmt: skip
_FIELD = re.compile(r"\{([^{}]*)\}")
_BRACES = re.compile(r"\{[^{}]*\}|(?P<open>\{[\w.]*)|(?P<close>\})")


class RuleChecker:
    """Checks one rule and gives its model."""

    def __init__(
        self, draft: RuleDraft, complaints: Complaints, vocabulary: Vocabulary, definitions: Definitions
    ) -> None:
        self.draft, self.complaints, self.vocabulary, self.definitions = (
            draft,
            complaints,
            vocabulary,
            definitions,
        )
        self.typing = Typing(
            vocabulary, complaints, dict(draft.variables), {param.name: param for param in draft.params},
            names_lost=bool({"param", "let"} & draft.broken),
        )  # fmt: skip
        self.lets: dict[str, Extent] = {}
        # Whether something calls what has its error elsewhere.
        self.lost = False

    def rule(self, category: str, shared: tuple[Unless, ...] = ()) -> Rule | None:
        """The rule with its own exceptions and checked ones that it shares, None when it has errors."""
        draft, before = self.draft, len(self.complaints.errors)
        self._clauses()
        if not self._variables():
            # Without its entity no name of the rule can be looked up.
            return None
        self._names()
        self._params()
        lets = tuple((name, self._let(name, value)) for name, value, _ in draft.lets)
        when = self._condition(draft.when)
        unless, doubts = (*self._exceptions(draft.unless), *shared), self._exceptions(draft.doubts)
        sentences = self._sentences(draft.sentences)
        gain = self._expanded(draft.gain) if draft.gain else None
        if gain is not None:
            self.typing.number(gain)
        once, without = self._once(), self._without()
        self._texts()
        self._unused()
        exceptions = (one.condition for one in (*unless, *doubts))
        said = (one.condition for one in sentences)
        later = (one.value for one in without)
        self._examples([when, gain, *later, *exceptions, *said, *(v for _, v in lets)])
        if len(self.complaints.errors) > before or when is None or self.lost or draft.broken:
            return None
        words = draft.words
        return Rule(
            draft.id, draft.title, category, draft.path, draft.span, draft.doc, tuple(draft.variables), when,
            unless, doubts, tuple(draft.params), lets,
            words["severity"], words.get("severity_when_assumed"), words["confidence"],  # type: ignore[arg-type]
            words["effort"], words["say"], words["why"], tuple(draft.advice), gain, draft.gain_at_most,
            tuple(draft.sources), tuple(draft.patterns), tuple(draft.see), tuple(draft.fixes),
            examples_with_given(draft), words.get("deprecated", ""), once, sentences, without,
            words.get("without_nothing", ""),
        )  # fmt: skip

    def _once(self) -> Expression | None:
        """The number of `once per kernel by …`, for rules about what belongs to a kernel."""
        draft = self.draft
        if draft.once is None or draft.once_for is None:
            return None
        entity, span = draft.once_for
        if entity not in dict(draft.variables[1:]).values():
            self.complaints.add("E330", span, entity=entity)
            return None
        once = self._expanded(draft.once)
        if once is not None:
            self.typing.number(once)
        return once

    def _without(self) -> tuple[CountAfter, ...]:
        """The counts that the remedy changes; each must be one that the time model knows."""
        draft = self.draft
        if draft.without and "without_nothing" in draft.words:
            self.complaints.add("E336", draft.clauses["without_nothing"][0])
        found = []
        for item in draft.without:
            unit, metric = self.typing.unit(item.count), self.typing.metric(item.count.parts)
            value = self._expanded(item.value)
            after = None if value is None else self.typing.number(value)
            if metric is None or unit is None or value is None or after is None:
                continue
            name = ".".join(item.count.parts)
            if changeable(metric) is None:
                known = changeable_of(metric.entity)
                hint = hint_for(metric.name, known) if known else 'write `without nothing because "…"`.'
                self.complaints.add("E334", item.count.span, name=name, hint=hint)
            elif not after.fits(unit):
                self.complaints.add(
                    "E335", value.span, name=name, wanted=unit.described, found=after.described
                )
            else:
                found.append(CountAfter(item.count, value))
        return tuple(found)

    def _expanded(self, expression: Expression) -> Expression | None:
        owner = f"the rule `{self.draft.id}`"
        found = expand_within_bounds(expression, self.definitions, self.complaints, owner, self.lets)
        # What is not put in is not looked through for names either.
        self.typing.names_lost = self.typing.names_lost or found is None
        self.lost = self.lost or found is None
        return found

    def _condition(self, expression: Expression | None) -> Expression | None:
        if expression is None:
            return None
        expanded = self._expanded(expression)
        if expanded is not None:
            self.typing.condition(expanded)
        return expanded

    def _exceptions(self, written: list[Unless]) -> tuple[Unless, ...]:
        return tuple(
            Unless(condition, item.reason)
            for item in written
            if (condition := self._condition(item.condition))
        )

    def _sentences(self, written: list[Sentence]) -> tuple[Sentence, ...]:
        return tuple(
            Sentence(item.text, condition)
            for item in written
            if (condition := self._condition(item.condition))
        )

    def _let(self, name: str, value: Expression) -> Expression:
        expanded = self._expanded(value)
        if expanded is None:
            return value
        unit = self.typing.unit(expanded)
        if unit is not None:
            self.typing.add_let(name, unit, expanded)
        self.lets[name] = expanded_extent(expanded, {}, self.lets)
        return expanded

    def _clauses(self) -> None:
        draft = self.draft
        for clause, hint in _NEEDED.items():
            if clause not in draft.clauses and clause.split("_")[0] not in draft.broken:
                shown = "for each" if clause == "for_each" else clause
                self.complaints.add("E301", draft.span, rule=draft.id, clause=shown, hint=hint)
        for clause in _ONCE:
            spans = draft.clauses.get(clause, [])
            if len(spans) > 1:
                self.complaints.add("E302", spans[1], clause=clause.replace("_", " "), rule=draft.id)
        for verdict in ("fires", "silent"):
            if "example" not in draft.broken and not any(
                example.verdict == verdict for example in draft.examples
            ):
                self.complaints.add("E307", draft.span, rule=draft.id, verdict=verdict)
        file = PurePath(draft.path)
        if file.suffix.lower() == RULE_SUFFIX and file.stem != draft.id and len(file.parts) > 1:
            self.complaints.add("E308", draft.span, file=file.name, rule=draft.id)

    def _variables(self) -> bool:
        if not self.draft.variables:
            return False
        for (_, entity), (_, span) in zip(self.draft.variables, self.draft.variable_spans, strict=True):
            if entity not in self.vocabulary.entities:
                self.complaints.add(
                    "E204", span, name=entity, hint=hint_for(entity, self.vocabulary.entities)
                )
                return False
        if len(self.draft.variables) == 2:
            (_, entity), (variable, given) = self.draft.variables
            owner = self.vocabulary.entities[entity].owner
            if owner != given:
                span = self.draft.variable_spans[1][1]
                self.complaints.add("E312", span, name=entity, owner=owner, given=given, variable=variable)
                return False
        return True

    def _names(self) -> None:
        """Note names that are given twice: each would hide the other."""
        draft = self.draft
        params = [(param.name, draft.param_spans[param.name]) for param in draft.params]
        lets = [(name, span) for name, _, span in draft.lets]
        names = zip(draft.variables, draft.variable_spans, strict=True)
        for kind, given in (
            ("a variable", [(name, span) for (name, _), (span, _) in names]),
            ("a param or let", [*params, *lets]),
        ):
            seen: set[str] = set()
            for name, span in given:
                if name in seen:
                    self.complaints.add("E303", span, kind=kind, name=name, place="this rule")
                seen.add(name)
        self._former_names({name for name, _ in (*params, *lets)})

    def _former_names(self, today: set[str]) -> None:
        """Complain about former names of parameters that something of the rule has, or had as well."""
        known: dict[str, str] = {}
        for param, name, span in self.draft.former_spans:
            if name == param:
                reason = "this is its name today"
            elif name in today:
                reason = "another param or let of the rule is called so"
            elif name in known:
                reason = f"`{known[name]}` was called so"
            else:
                known[name] = param
                continue
            self.complaints.add("E331", span, name=name, param=param, reason=reason)

    def _params(self) -> None:
        for param in self.draft.params:
            span = self.draft.param_spans[param.name]
            low = "" if param.low is None else format_value(param.low, param.unit)
            high = "" if param.high is None else format_value(param.high, param.unit)
            if param.low is not None and param.high is not None and param.low > param.high:
                self.complaints.add("E305", span, name=param.name, low=low, high=high)
            elif (param.low is not None and param.value < param.low) or (
                param.high is not None and param.value > param.high
            ):
                self.complaints.add(
                    "E304",
                    span,
                    name=param.name,
                    value=format_value(param.value, param.unit),
                    low=low,
                    high=high,
                )

    def _texts(self) -> None:
        for text in self.draft.texts:
            self._braces(text)
            for field in _FIELD.finditer(text.raw):
                name, span = field[1], text.place(*field.span())
                parts = tuple(name.split("."))
                self.typing.used.add(parts[0])
                known = {*self.typing.variables, *self.typing.params, *self.typing.lets, "device", "run"}
                if len(parts) == 1 and self.typing.names_lost:
                    continue
                if parts[0] not in known or (len(parts) > 1 and self.typing.metric(parts) is None):
                    hint = hint_for(parts[-1], self._known_names(parts))
                    self.complaints.add("E311", span, name=name, hint=hint)

    def _braces(self, text: WrittenText) -> None:
        """Complain about braces of a text that belong to no placeholder."""
        for field in _BRACES.finditer(text.raw):
            if field["open"]:
                found = field["open"]
                name = found[1:].split(" ")[0]
                self.complaints.add("E323", text.place(*field.span()), found=found, name=name or "k.metric")
            elif field["close"]:
                self.complaints.add("E324", text.place(*field.span()))

    def _known_names(self, parts: tuple[str, ...]) -> list[str]:
        if len(parts) > 1 and parts[0] in self.typing.variables:
            return self.vocabulary.names_of(self.typing.variables[parts[0]])
        return [*self.typing.variables, *self.typing.params, *self.typing.lets]

    def _unused(self) -> None:
        if self.draft.broken or self.typing.names_lost:
            # The use may stand in what could not be read.
            return
        for param in self.draft.params:
            if param.name not in self.typing.used:
                self.complaints.add("E306", self.draft.param_spans[param.name], name=param.name)
        for name, _, span in self.draft.lets:
            if name not in self.typing.used:
                self.complaints.add("E306", span, name=name)

    def _examples(self, written: list[Expression | None]) -> None:
        """Note what examples name and is no metric, of the rule or of its quantifiers' rows."""
        bound = dict(one for expression in written for one in _bound_variables(expression))
        for (parts, _), span in self.draft.given:
            self._named_metric(parts, span, bound, "`given`")
        for example, spans in zip(self.draft.examples, self.draft.example_spans, strict=True):
            for (parts, _), span in zip(example.values, spans, strict=True):
                self._named_metric(parts, span, bound, "an example")
        check_given(self.draft, self.complaints)

    def _named_metric(self, parts: tuple[str, ...], span: Span, bound: dict[str, str], place: str) -> None:
        stem = parts[0].rstrip("0123456789")
        if parts[0] in self.typing.variables or stem not in bound:
            known, entity = self.typing.metric(parts), self.typing.variables.get(parts[0], parts[0])
        else:
            entity = bound[stem]
            reached = self.vocabulary.walk(entity, parts[1:-1])
            known = self.vocabulary.metrics.get((reached or "", parts[-1]))
        if known is None:
            hint = hint_for(parts[-1], self.vocabulary.names_of(entity))
            self.complaints.add("E310", span, name=".".join(parts), place=place, hint=hint)


def _bound_variables(expression: Expression | None) -> list[tuple[str, str]]:
    """The names of the rows that quantifiers go over, with their entities."""
    if isinstance(expression, Quantified):
        return [(expression.variable, expression.entity), *_bound_variables(expression.condition)]
    if isinstance(expression, Operation):
        return [one for operand in expression.operands for one in _bound_variables(operand)]
    return []

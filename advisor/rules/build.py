"""Syntax trees turned into the model: expressions, clauses, declarations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from advisor.rules.model import (
    Citation,
    Entity,
    Example,
    Expression,
    Macro,
    Metric,
    Number,
    Operation,
    Override,
    Param,
    Quantified,
    Reference,
    RuleFix,
    Text,
    Truth,
    Unless,
)
from advisor.rules.syntax import Chunk, Reader
from advisor.rules.units import COUNT, Unit, find_unit, unit_names
from advisor.text import Span

if TYPE_CHECKING:
    from lark import Token, Tree

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "negative": "neg", "otherwise": "otherwise",
    "between": "between", "like": "like", "known": "known", "is_missing": "missing", "conjunction": "and",
    "disjunction": "or", "negated": "not", "grouped": "group",
}  # fmt: skip
_QUANTITY = re.compile(r"([\d.]+(?:e[+-]?\d+)?)\s*(.*)")


@dataclass
class RuleDraft:
    """The clauses of a rule as written, before names and units are checked."""

    id: str
    title: str
    span: Span
    doc: str
    path: str
    clauses: dict[str, list[Span]] = field(default_factory=dict)
    variables: list[tuple[str, str]] = field(default_factory=list)
    params: list[Param] = field(default_factory=list)
    param_spans: dict[str, Span] = field(default_factory=dict)
    lets: list[tuple[str, Expression, Span]] = field(default_factory=list)
    when: Expression | None = None
    unless: list[Unless] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    advice: list[str] = field(default_factory=list)
    texts: list[tuple[str, Span]] = field(default_factory=list)
    gain: Expression | None = None
    gain_at_most: bool = False
    sources: list[Citation] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    see: list[str] = field(default_factory=list)
    fixes: list[RuleFix] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)


@dataclass
class Definition:
    """A pure macro of one variable."""

    name: str
    variable: str
    body: Expression
    span: Span


@dataclass
class FileContent:
    """Everything one file declares."""

    path: str
    edition: tuple[float, Span] | None = None
    metrics: list[tuple[Metric, Span]] = field(default_factory=list)
    entities: list[tuple[Entity, Span]] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    rules: list[RuleDraft] = field(default_factory=list)
    overrides: list[tuple[Override, Span]] = field(default_factory=list)


class Builder:
    """Builds the content of one file."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.content = FileContent(reader.path)
        self.offset = 0

    def build(self) -> FileContent:
        """The content of the file; faults are noted in the reader's complaints."""
        for chunk, tree in self.reader.items():
            self.offset = chunk.start
            item: Tree[Token] = tree.children[0]  # type: ignore[assignment]
            getattr(self, f"_{item.data}")(item.children, self._span(item), chunk)
        return self.content

    # -- places and tokens -----------------------------------------------------------------------------

    def _span(self, node: Any) -> Span:
        if hasattr(node, "data"):
            if node.meta.empty:
                return self.reader.span(self.offset, self.offset + 1)
            return self.reader.span(self.offset + node.meta.start_pos, self.offset + node.meta.end_pos)
        return self.reader.span(self.offset + node.start_pos, self.offset + node.end_pos)

    def _text(self, token: Any) -> str:
        return "" if token is None else re.sub(r"\\(.)", r"\1", str(token)[1:-1])

    def _unit(self, name: str, span: Span) -> Unit:
        unit = find_unit(name)
        if unit is None:
            import difflib

            close = difflib.get_close_matches(name, unit_names(), n=1, cutoff=0.5)
            hint = (
                f"did you mean `{close[0]}`?"
                if close
                else f"known are {', '.join(unit_names())}, and quotients of them."
            )
            self.reader.complaints.add("E206", span, name=name, hint=hint)
            return COUNT
        return unit

    def _number(self, token: Any) -> tuple[float, Unit]:
        match = _QUANTITY.fullmatch(str(token))
        assert match is not None
        if not match[2]:
            return float(match[1]), COUNT
        unit = self._unit(match[2].strip(), self._span(token))
        value = float(match[1]) * unit.scale
        return value, Unit("ratio", 1.0, ()) if match[2].strip() == "%" else unit

    def _quantity(self, tree: Any) -> tuple[float, Unit]:
        tokens = [child for child in tree.children if child is not None]
        value, unit = self._number(tokens[-1])
        return (-value if str(tokens[0]) == "-" else value), unit

    def _range(self, tree: Any) -> tuple[float | None, float | None, Unit | None]:
        if tree is None:
            return None, None, None
        low, unit = self._quantity(tree.children[0])
        high = self._quantity(tree.children[1])[0] if tree.children[1] is not None else None
        return low, high, unit

    # -- items -----------------------------------------------------------------------------------------

    def _edition(self, children: list[Any], span: Span, _: Chunk) -> None:
        self.content.edition = (float(children[0]), span)

    def _pack(self, *_: Any) -> None:
        """A pack's name and version say nothing about its rules."""

    def _metric(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, unit, entity, limits, doc = children
        self._add_metric(str(name), unit, str(entity), limits, self._text(doc), span)

    def _add_metric(self, name: str, unit: Any, entity: str, limits: Any, doc: str, span: Span) -> None:
        written = "/".join(str(child) for child in unit.children if child is not None)
        known = self._unit(written, self._span(unit))
        low, high, _ = self._range(limits)
        self.content.metrics.append((Metric(name, entity, known, low, high, doc), span))

    def _entity(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, owner, doc, *fields = children
        entity = Entity(str(name), None if owner is None else str(owner), self._text(doc))
        self.content.entities.append((entity, span))
        for item in fields:
            metric, unit, limits, text = item.children
            self._add_metric(str(metric), unit, str(name), limits, self._text(text), self._span(item))

    def _define(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, variable, _, body = children
        self.content.definitions.append(Definition(str(name), str(variable), self.expression(body), span))

    def _suppress(self, *_: Any) -> None:
        """Suppressions in rule files are kept by the project's configuration in this edition."""

    def _override(self, children: list[Any], span: Span, _: Chunk) -> None:
        rule, device, *changes = children
        params: list[tuple[str, float]] = []
        level, disabled, reason, until = None, False, "", ""
        for change in changes:
            given = change.children[-1].children
            reason, until = self._text(given[0]), str(given[1] or "")
            if change.data == "set_param":
                params.append((str(change.children[0]), self._quantity(change.children[2])[0]))
            elif change.data == "set_level":
                level = str(change.children[0])
            else:
                disabled = True
        self.content.overrides.append(
            (Override(str(rule), self._text(device), tuple(params), level, disabled, reason, until), span)  # type: ignore[arg-type]
        )

    def _rule(self, children: list[Any], span: Span, chunk: Chunk) -> None:
        name, title, *clauses = children
        draft = RuleDraft(str(name), self._text(title), self._span(name), chunk.doc, self.reader.path)
        for clause in clauses:
            kind = clause.data.rstrip("_")
            draft.clauses.setdefault(kind, []).append(self._span(clause))
            getattr(self, f"_clause_{kind}")(clause.children, draft, clause)
        self.content.rules.append(draft)

    # -- clauses ---------------------------------------------------------------------------------------

    def _clause_for_each(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        entity, variable, owner, owner_variable = children
        draft.variables = [(str(variable), str(entity))]
        if owner is not None:
            draft.variables.append((str(owner_variable), str(owner)))

    def _clause_param(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        name, _, quantity, limits, reason = children
        value, unit = self._quantity(quantity)
        low, high, range_unit = self._range(limits)
        if range_unit is not None and range_unit.dimension != unit.dimension:
            self.reader.complaints.add(
                "E316", self._span(clause), name="range", found=range_unit.described, wanted=unit.described
            )
        draft.params.append(Param(str(name), value, unit, low, high, self._text(reason)))
        draft.param_spans[str(name)] = self._span(name)

    def _clause_let(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        draft.lets.append((str(children[0]), self.expression(children[2]), self._span(children[0])))

    def _clause_when(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.when = self.expression(children[0])

    def _clause_unless(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.unless.append(Unless(self.expression(children[0]), self._text(children[1])))

    def _clause_severity(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["severity"] = str(children[0])
        if children[1] is not None:
            draft.words["severity_when_assumed"] = str(children[1])

    def _clause_confidence(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["confidence"] = str(children[0])

    def _clause_effort(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["effort"] = str(children[0])

    def _clause_say(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        draft.words["say"] = self._text(children[0])
        draft.texts.append((draft.words["say"], self._span(clause)))

    def _clause_why(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        draft.words["why"] = self._text(children[0])
        draft.texts.append((draft.words["why"], self._span(clause)))

    def _clause_try(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        for child in children:
            draft.advice.append(self._text(child))
            draft.texts.append((draft.advice[-1], self._span(child)))

    def _clause_gain(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.gain_at_most = str(children[0]) != "about"
        draft.gain = self.expression(children[1])

    def _clause_source(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.sources.append(Citation(*(self._text(child) for child in children)))

    def _clause_covers(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.patterns += [str(child) for child in children]

    def _clause_see(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.see += [str(child) for child in children]

    def _clause_fix(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        safety = " ".join(str(children[1]).split())
        draft.fixes.append(RuleFix(self._text(children[0]), safety))  # type: ignore[arg-type]

    def _clause_example(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        verdict, name, file, *assignments = children
        values = tuple(self._assignment(item) for item in assignments if item is not None)
        draft.examples.append(
            Example(str(verdict), self._text(name), values, self._span(clause), self._text(file))
        )  # type: ignore[arg-type]

    def _assignment(self, tree: Any) -> tuple[tuple[str, ...], float | str | bool | None]:
        *names, _, value = tree.children
        parts = tuple(str(name).lstrip(".") for name in names)
        kind = value.data
        if kind == "text":
            return parts, self._text(value.children[0])
        if kind in ("truth_true", "truth_false"):
            return parts, kind == "truth_true"
        if kind == "missing":
            return parts, None
        return parts, self._quantity(value.children[0])[0]

    # -- expressions -----------------------------------------------------------------------------------

    def expression(self, node: Any) -> Expression:
        """The expression of a syntax tree."""
        kind = str(node.data)
        span = self._span(node)
        children = node.children
        if kind in ("quantity_literal", "number_literal"):
            value, unit = self._number(children[0])
            return Number(value, unit, span)
        if kind == "text_literal":
            return Text(self._text(children[0]), span)
        if kind in ("truth_true", "truth_false"):
            return Truth(kind == "truth_true", span)
        if kind == "reference":
            return Reference(tuple(str(child).lstrip(".") for child in children), span)
        if kind == "macro":
            return Macro(str(children[0]), str(children[1]), span)
        if kind == "function":
            return Operation(str(children[0]), tuple(self.expression(child) for child in children[1:]), span)
        if kind == "compare":
            left, operator, right = children
            return Operation(str(operator), (self.expression(left), self.expression(right)), span)
        if kind == "one_of":
            texts = tuple(Text(self._text(child), self._span(child)) for child in children[1:])
            return Operation("one_of", (self.expression(children[0]), *texts), span)
        if kind == "like":
            pattern = Text(self._text(children[1]), self._span(children[1]))
            return Operation("like", (self.expression(children[0]), pattern), span)
        if kind in ("quantified", "counted"):
            return self._quantified(kind, children, span)
        operands = [child for child in children if not (hasattr(child, "type") and child.type == "SIGN")]
        self._check_mixture(kind, node)
        return Operation(_OPERATORS[kind], tuple(self.expression(child) for child in operands), span)

    def _quantified(self, kind: str, children: list[Any], span: Span) -> Expression:
        if kind == "quantified":
            quantifier, entity, variable, owner, condition = children
        else:
            entity, variable, owner, condition = children
            quantifier = "number"
        return Quantified(
            str(quantifier), str(entity), str(variable), str(owner), self.expression(condition), span
        )

    def _check_mixture(self, kind: str, node: Any) -> None:
        if kind == "disjunction" and any(
            getattr(child, "data", "") == "conjunction" for child in node.children
        ):
            self.reader.complaints.add("E202", self._span(node))

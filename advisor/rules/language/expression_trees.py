"""Syntax trees of numbers, ranges and expressions turned into the model."""

from __future__ import annotations

import re
from typing import Any

from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import (
    Expression,
    Macro,
    Number,
    Operation,
    Quantified,
    Reference,
    Text,
    Truth,
)
from advisor.rules.language.syntax import Reader
from advisor.rules.units import NO_UNIT, PLAIN, RATIO, Unit, find_unit, unit_names

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "negative": "neg", "otherwise": "otherwise",
    "between": "between", "like": "like", "known": "known", "is_missing": "missing", "conjunction": "and",
    "disjunction": "or", "negated": "not", "grouped": "group",
}  # fmt: skip
# Beyond it lies what has no digits; no metric comes near.
_LARGEST = 1e300
_ESCAPED = re.compile(r"\\(.)")
_QUANTITY = re.compile(r"([\d.]+(?:e[+-]?\d+)?)\s*(.*)")


class ExpressionTrees:
    """Builds expressions from the trees of one file, whose items start at `offset` in turn."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.offset = 0

    def _span(self, node: Any) -> Span:
        return self.reader.span(self.offset + node.start, self.offset + node.end)

    def _text(self, token: Any) -> str:
        if token is None:
            return ""
        written: str = token.text[1:-1]
        return _ESCAPED.sub(r"\1", written) if "\\" in written else written

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
            return NO_UNIT
        return unit

    def _number(self, token: Any) -> tuple[float, Unit]:
        match = _QUANTITY.fullmatch(token.text)
        assert match is not None
        unit = self._unit(match[2].strip(), self._span(token)) if match[2] else PLAIN
        value = unit.in_base(float(match[1]))
        if value > _LARGEST:
            self.reader.complaints.add("E325", self._span(token), found=token.text)
            return _LARGEST, NO_UNIT
        return value, RATIO if match[2].strip() == "%" else unit

    def _quantity(self, tree: Any) -> tuple[float, Unit]:
        tokens = [child for child in tree.children if child is not None]
        value, unit = self._number(tokens[-1])
        return (-value if tokens[0].text == "-" else value), unit

    def _range(self, tree: Any) -> tuple[float | None, float | None, Unit | None]:
        if tree is None:
            return None, None, None
        low, unit = self._quantity(tree.children[0])
        high = self._quantity(tree.children[1])[0] if tree.children[1] is not None else None
        return low, high, unit

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
            return Reference(tuple(child.text.lstrip(".") for child in children), span)
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

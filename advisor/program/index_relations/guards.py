"""What holds where an expression is evaluated: bounds of variables, by the tests around it and before it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from advisor.program.index_relations.collected_relations import CollectedRelations
from advisor.program.index_relations.index_values import (
    Bound,
    Elements,
    Items,
    Number,
    Root,
    Term,
    Value,
    Variable,
    divided,
    wholes,
)
from advisor.program.index_relations.relations import Extent, ScalarSize

_MOST_BOUNDS = 16
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
# A variable, or the terms of a sum that a test compares.
_Bounded: TypeAlias = "Variable | tuple[Term, ...]"


class Guards:
    """The bounds of variables that hold now; a block that ends takes those back that it added."""

    def __init__(self, value: Callable[[ast.expr], Value], collected: CollectedRelations) -> None:
        self._value, self._collected = value, collected
        self._bounds: dict[_Bounded, list[Bound]] = {}
        self._added: list[_Bounded] = []

    def mark(self) -> int:
        """How much has been added until now."""
        return len(self._added)

    def take_back(self, mark: int) -> None:
        """Take back what was added since a mark."""
        while len(self._added) > mark:
            self._bounds[self._added.pop()].pop()

    # -- what is known of a number -------------------------------------------------------------------------
    def resolved(self, value: Value) -> Value:
        """The value with the bounds that hold now, without the variables that have them."""
        if isinstance(value, Items):
            return Items(tuple(self.resolved(one) for one in value.items))
        return self.number(value) if isinstance(value, Number) else value

    def number(self, number: Number) -> Number:
        """The same of a number."""
        if number.uniform or not (number.roots or number.terms):
            return replace(number, roots=frozenset())
        whole = {bound.moved(-number.offset) for bound in self._of(number.roots)}
        if len(number.terms) > 1:
            whole.update(self._bounds.get(number.terms, ()))
        if whole and number.single is None:
            term = Term(frozenset(whole), position=number.position)
            return replace(number, terms=(term,), roots=frozenset())
        terms = [self._term(one) for one in number.terms]
        if whole:
            terms = [replace(terms[0], bounds=terms[0].bounds | whole)]
        return replace(number, terms=tuple(terms), roots=frozenset())

    def _term(self, term: Term) -> Term:
        if not term.roots:
            return term
        return replace(term, bounds=term.bounds | self._of(term.roots), roots=frozenset())

    def _of(self, roots: frozenset[Root]) -> frozenset[Bound]:
        """The bounds of variables, moved by what is added to them."""
        return frozenset(
            divided(bound, one.divisor).moved(one.offset)
            for one in roots
            for bound in self._bounds.get(one.variable, ())[:_MOST_BOUNDS]
        )

    def bounds_from(self, number: Number, beyond: int = 0) -> frozenset[Bound]:
        """What bounds a number that stays below another one and `beyond`."""
        if number.uniform:
            return frozenset({Bound(number.uniform, number.offset + beyond).moved(0)})
        number = self.number(number)
        terms = [one for one in number.terms if not one.widths]
        if number.single is None:
            # A window around a position: `range(i - r, i + r + 1)`.
            terms = [one for one in terms if one.position is not None] or terms[:1]
            beyond -= number.offset
        # What is below a number that is itself below a bound is at least two below that.
        found = {bound.moved(number.offset + beyond - 1) for one in terms for bound in one.bounds}
        arrays = {name for one in terms for name in one.elements | one.differences}
        found |= {Bound(Elements(name), beyond) for name in arrays}
        return frozenset(found)

    # -- tests ---------------------------------------------------------------------------------------------
    def assume(self, test: ast.expr, holds: bool) -> None:
        """Add what a test says of the places where it holds, or where it does not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.assume(test.operand, not holds)
        elif isinstance(test, ast.BoolOp):
            # Of an `and` that fails, and an `or` that holds, it is not known which part does.
            if isinstance(test.op, ast.And) == holds:
                for one in test.values:
                    self.assume(one, holds)
        elif isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
            sides = [test.left, *test.comparators]
            for left, operator, right in zip(sides, test.ops, sides[1:], strict=False):
                kind = type(operator)
                self._compare(left, kind if holds else _OPPOSITE.get(kind, ast.In), right)

    def _compare(self, left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> None:
        one, other = self._value(left), self._value(right)
        if not isinstance(one, Number) or not isinstance(other, Number):
            return
        if operator is ast.Eq:
            self._same(one, other)
        if operator in (ast.Lt, ast.LtE, ast.Eq):
            self._below(one, other, 0 if operator is ast.Lt else 1)
        if operator in (ast.Gt, ast.GtE, ast.Eq):
            self._below(other, one, 0 if operator is ast.Gt else 1)

    def _same(self, one: Number, other: Number) -> None:
        """Note two sizes that are compared."""
        sizes = [number.uniform[0] for number in (one, other) if len(number.uniform) == 1]
        if len(sizes) == 2 and one.offset == other.offset:
            first, second = sizes
            if isinstance(first, Extent | ScalarSize) and isinstance(second, Extent | ScalarSize):
                self._collected.equal(first, second)

    def _below(self, number: Number, limit: Number, beyond: int) -> None:
        """Note that a number stays below a limit and `beyond`."""
        if number.constant is not None:
            if len(limit.uniform) == 1 and isinstance(size := limit.uniform[0], Extent | ScalarSize):
                self._collected.at_least(size, number.constant + 1 - beyond - limit.offset)
            return
        if number.uniform:
            return
        self._row_bounds(number, limit)
        bounds = self.bounds_from(limit, beyond)
        self.size_of_axis(number, limit)
        roots = set(number.roots)
        if number.single is None:
            # In `i + k < n` the position is what n bounds; k has its own loop.
            self._sum(number, limit, beyond)
            for bound in bounds:
                self.add(number.terms, bound.moved(-number.offset))
            positions = [one for one in number.terms if one.position is not None and not one.widths]
            inner = {root for one in positions for root in one.roots}
        else:
            inner = set(number.single.roots)
        roots |= {replace(root, offset=root.offset + number.offset) for root in inner}
        for root in roots:
            for bound in bounds if not root.divisor else ():
                self.add(root.variable, bound.moved(-root.offset))

    def _sum(self, number: Number, limit: Number, beyond: int) -> None:
        only = limit.uniform[0] if len(limit.uniform) == 1 else None
        if isinstance(only, Extent | ScalarSize):
            moved = number.offset - limit.offset - beyond
            self._collected.sum_below(
                only, replace(self.number(replace(number, roots=frozenset())), offset=moved)
            )

    def _row_bounds(self, number: Number, limit: Number) -> None:
        """Note an array of which one element is where a counter begins and another where it ends."""
        counter = any(len(root.variable.definitions) > 1 for root in number.roots)
        both = number.elements & limit.elements
        if counter and len(limit.elements) == 1:
            self._collected.row_bounds |= both

    def size_of_axis(self, number: Number, limit: Number) -> None:
        """Note the sizes that a limit consists of, and the axis of the launch that runs up to them."""
        self._collected.mention(limit.uniform)
        factors = wholes(limit.uniform)
        only = factors[0] if len(factors) == 1 else None
        if number.position is not None and isinstance(only, Extent | ScalarSize):
            self._collected.runs_along(only, number.position.axis)

    def add(self, bounded: _Bounded, bound: Bound) -> None:
        """Add a bound of a variable or a sum, until it is taken back."""
        self._bounds.setdefault(bounded, []).append(bound)
        self._added.append(bounded)

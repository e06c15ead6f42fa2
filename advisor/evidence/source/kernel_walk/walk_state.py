"""The state of the walk through one kernel, and what its values depend on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Form, Outcomes
from advisor.evidence.source.kernel_walk.index_bounds import UNKNOWN, Case
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Condition,
    KernelFacts,
    Kind,
    LoopContext,
    Place,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.named_values import NamedValues
from advisor.evidence.source.warps.thread_use import counts_threads
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.constants import Constants

_THREADS = frozenset(THREAD)
_Orders = tuple[type[ast.cmpop], type[ast.cmpop]]
Resolve = Callable[[str, ModuleSyntax], Declaration | None]


class _MethodNames(dict[type[ast.AST], str]):
    """For each class of nodes the name of the method that knows it, put together once."""

    def __missing__(self, kind: type[ast.AST]) -> str:
        self[kind] = f"_{kind.__name__.lower()}"
        return self[kind]


_METHODS = _MethodNames()


class WalkState:
    """What is known while one kernel is walked: the values of names, the loops and conditions around."""

    def __init__(self, facts: KernelFacts, workspace: Workspace, resolve: Resolve) -> None:
        self.facts, self.workspace, self.resolve = facts, workspace, resolve
        self.atoms = facts.atoms
        self.module = facts.declaration.module
        self.function = facts.declaration.node
        self.env = NamedValues()
        self.loops: tuple[LoopContext, ...] = ()
        self.conditions: tuple[Condition, ...] = ()
        self.constants = Constants(workspace, self.module, self.function)
        # What a call makes a whole number of.
        self.truncated: ast.expr | None = None
        # Whether the loop that was summarised last takes steps of the grid's size.
        self.stepped_by_grid = False
        # Loads that turned out to be rows, of which only elements are loaded.
        self.withdrawn = 0
        # What the elements of an array that each thread has for itself depend on, by the array.
        self.kept: dict[int, frozenset[str]] = {}
        # What the values of loads were loaded from, behind how many barriers.
        self.loaded_from: dict[str, tuple[View, int]] = {}
        # In the test of a while loop, and in any test inside one, an atomic may wait for another thread.
        self.spinning = False
        self.testing = False

    def depends(self, value: Value) -> frozenset[str]:
        """Thread indices, block indices and loops that a value depends on."""
        if isinstance(value, Scalar):
            return self.atoms.depends(value.form)
        if isinstance(value, Tuple):
            return frozenset().union(*(self.depends(item) for item in value.items))
        if isinstance(value, View):
            return frozenset().union(*(self.atoms.depends(index.form) for index in value.prefix))
        return frozenset()

    def loaded(self, value: Value) -> bool:
        """Whether part of a value was read from memory."""
        if isinstance(value, Scalar):
            return self.atoms.loaded(value.form)
        return isinstance(value, Tuple) and any(self.loaded(item) for item in value.items)

    def opaque(
        self,
        values: Sequence[Value],
        kind: Kind = None,
        loaded: bool = False,
        what: str = "value",
        rounds: bool = False,
    ) -> Scalar:
        """A number of which only the dependences are known.

        One that `rounds` leaves out a part of the data, so that different data may give the same.
        """
        depends: frozenset[str] = frozenset()
        for value in values:
            own = self.depends(value)
            if own is not depends:
                depends = depends | own if depends else own
            loaded = loaded or self.loaded(value)
        merges = loaded and (rounds or self._merges(values))
        return Scalar(self.atoms.opaque(depends, loaded, what, merges), kind)

    def _merges(self, values: Sequence[Value]) -> bool:
        """Whether all of some values that differ from thread to thread are many-to-one."""
        varying = [value for value in values if not _THREADS.isdisjoint(self.depends(value))]
        return bool(varying) and all(
            isinstance(value, Scalar) and self.atoms.many_to_one(value.form) for value in varying
        )

    def place(self, node: ast.AST) -> Place:
        """The place of a node with the loops and conditions around it."""
        return Place(self.module, node, self.loops, self.conditions)

    def value(self, node: ast.expr) -> Value:
        """The meaning of an expression."""
        method = getattr(self, _METHODS[node.__class__], None)
        if method is not None:
            result: Value = method(node)
            if isinstance(result, Scalar) and result.form.too_large:
                return self.opaque([result], result.kind)
            return result
        return self.opaque(
            [self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        )

    def scalar(self, node: ast.expr) -> Scalar:
        """The meaning of an expression as a number."""
        return self.as_scalar(self.value(node))

    def as_scalar(self, value: Value) -> Scalar:
        """A number for any value; what is none becomes an unknown one with the same dependences."""
        return value if isinstance(value, Scalar) else self.opaque([value])

    def condition(self, test: Value, node: ast.AST, leaves: bool = False, negated: bool = False) -> Condition:
        """The condition that a test puts on what it encloses, or on all that follows when it `leaves`."""
        single = self._leaves_one_thread(node) if negated else self._selects_one_thread(node)
        outcomes = self.outcomes(test)
        kept = outcomes.negated() if negated else outcomes
        return Condition(
            self.depends(test), self.loaded(test), single, leaves, node, kept.holds, negated, kept.one_holds
        )

    def outcomes(self, test: Value) -> Outcomes:
        """What a truth value bounds, also where a name holds it."""
        terms = test.form.terms if isinstance(test, Scalar) else ()
        if len(terms) != 1 or len(terms[0][0]) != 1:
            return UNKNOWN
        return self.atoms.outcomes.get(terms[0][0][0], UNKNOWN)

    def with_outcomes(self, test: Scalar, outcomes: Outcomes) -> Scalar:
        """A new truth value, of which it is noted what it bounds."""
        if outcomes != UNKNOWN:
            self.atoms.outcomes[test.form.terms[0][0][0]] = outcomes
        return test

    def truth(self, value: Value) -> bool | None:
        """Whether a value is a constant that a test takes for true; None of any other."""
        known = value.form.constant if isinstance(value, Scalar) else None
        return None if known is None else bool(known)

    def case(self, value: Value, path: frozenset[Form]) -> Case:
        """The case in which a truth value is the given one, where what `path` has is at 0 or below."""
        return Case(path, self.truth(value), self.outcomes(value))

    def _selects_one_thread(self, node: ast.AST) -> bool:
        """Whether a test is true for one thread of the block only, as `threadIdx.x == 0` and `i < 1` are."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return any(self._selects_one_thread(item) for item in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._leaves_one_thread(node.operand)
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return False
        if isinstance(node.ops[0], ast.Eq):
            return self._names_a_thread(node)
        return self._is_zero_alone(node, (ast.Lt, ast.LtE), (ast.Gt, ast.GtE))

    def _leaves_one_thread(self, node: ast.AST) -> bool:
        """Whether a test is true for all threads of the block but one, as `threadIdx.x != 0` is."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return any(self._leaves_one_thread(item) for item in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._selects_one_thread(node.operand)
        if not isinstance(node, ast.Compare):
            return counts_threads(self._side(node))
        if len(node.ops) != 1:
            return False
        if isinstance(node.ops[0], ast.NotEq):
            return self._names_a_thread(node)
        return self._is_zero_alone(node, (ast.GtE, ast.Gt), (ast.LtE, ast.Lt))

    def _is_zero_alone(self, node: ast.Compare, with_one: _Orders, mirrored: _Orders) -> bool:
        """Whether a comparison by order parts thread 0 from all others: with 1 by the first operator, with 0
        by the second, or the other way round by the mirrored ones.
        """
        left, right, operator = node.left, node.comparators[0], node.ops[0]
        for index, bound, (at_one, at_zero) in ((left, right, with_one), (right, left, mirrored)):
            wanted = 1 if isinstance(operator, at_one) else 0 if isinstance(operator, at_zero) else None
            if wanted is not None and counts_threads(self._side(index)) and self._number(bound) == wanted:
                return True
        return False

    def _number(self, node: ast.expr) -> object:
        """The number that an expression is, without noting anything; None where it is not known."""
        if isinstance(node, ast.Name) and node.id in self.env:
            value = self.env[node.id]
            return value.form.constant if isinstance(value, Scalar) else None
        return self.constants.value(node) if isinstance(node, ast.Name | ast.Constant) else None

    def _names_a_thread(self, node: ast.Compare) -> bool:
        """Whether a comparison is of the thread's index with what all threads share."""
        if len(node.ops) != 1:
            return False
        left, right = node.left, node.comparators[0]
        return any(
            _follows_thread(self._side(one)) and not self._names_threads(other)
            for one, other in ((left, right), (right, left))
        )

    def _side(self, item: ast.AST) -> Value | None:
        """The value of a name or attribute, without noting anything; None for other expressions."""
        if isinstance(item, ast.Name):
            return self.env.get(item.id)
        return self.value(item) if isinstance(item, ast.Attribute) else None

    def _names_threads(self, expression: ast.expr) -> bool:
        """Whether some name or attribute in an expression depends on the thread."""
        values = [self._side(inner) for inner in below(expression)]
        return any(
            name.startswith("tid.") for value in values if value is not None for name in self.depends(value)
        )

    def view(self, value: Value) -> View | None:
        """The array view behind a value, also behind an element that turns out to be a row."""
        if isinstance(value, View):
            return value
        return value.view if isinstance(value, Scalar) else None


def _follows_thread(value: Value | None) -> bool:
    return isinstance(value, Scalar) and any(
        name.startswith("tid.") for monomial, _ in value.form.terms for name in monomial
    )

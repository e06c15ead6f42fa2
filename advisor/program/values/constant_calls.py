"""What a small function of the source returns, followed path by path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from advisor.program.names.scope_names import parameter_defaults, parameter_names
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below, below_in_scope
from advisor.program.values.constant_folding import UNKNOWN, merge

# The value of an expression in the function's module, given the values of names.
ValueOf: TypeAlias = Callable[[ast.expr, Mapping[str, object]], object]


# What gives names of other functions values, or makes the result a generator.
_NOT_FOLLOWED = (ast.Global, ast.Nonlocal, ast.NamedExpr, ast.Yield, ast.YieldFrom)


class FunctionRun:
    """Follows a small function without loops that count, and gives what it returns."""

    def __init__(self, function: FunctionNode, value_of: ValueOf) -> None:
        self.function, self.value_of = function, value_of
        self.names: dict[str, object] = {}
        self.results: list[object] = []

    def returned(self, arguments: Sequence[object], keywords: Mapping[str, object]) -> object:
        """What every path through the function returns for the given arguments."""
        if any(isinstance(one, _NOT_FOLLOWED) for one in below(self.function)):
            return UNKNOWN
        self.names = _bind(self.function, arguments, keywords, self.value_of)
        ended = self._run(self.function.body)
        if not self.results or not ended:
            return UNKNOWN
        first = self.results[0]
        for other in self.results[1:]:
            first = merge(first, other)
        return first

    def _value(self, node: ast.expr) -> object:
        return self.value_of(node, _Total(self.names, self.function))

    def _run(self, body: list[ast.stmt]) -> bool:
        """Whether every path through `body` returns."""
        for statement in body:
            if isinstance(statement, ast.Return):
                self.results.append(self._value(statement.value) if statement.value else UNKNOWN)
                return True
            if isinstance(statement, ast.Raise):
                return True
            if isinstance(statement, ast.If):
                if self._branch(statement):
                    return True
            elif isinstance(statement, ast.Assign):
                value = self._value(statement.value)
                for target in statement.targets:
                    self._store(target, value)
            else:
                self._other(statement)
        return False

    def _other(self, statement: ast.stmt) -> None:
        """Take as unknown what a statement that is not followed may bind or return."""
        inner = below_in_scope(ast.Module([statement], []))
        if any(isinstance(one, ast.Return) for one in inner):
            self.results.append(UNKNOWN)
        for node in inner:
            self.names.update(dict.fromkeys(bound_names(node), UNKNOWN))

    def _branch(self, statement: ast.If) -> bool:
        test = self._value(statement.test)
        if test is not UNKNOWN:
            return self._run(statement.body if test else statement.orelse)
        before = dict(self.names)
        first_ends = self._run(statement.body)
        first, self.names = self.names, before
        second_ends = self._run(statement.orelse)
        if first_ends and second_ends:
            return True
        if second_ends:
            self.names = first
        elif not first_ends:
            self.names = {
                name: merge(first.get(name, UNKNOWN), self.names.get(name, UNKNOWN))
                for name in {*first, *self.names}
            }
        return False

    def _store(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, tuple) and len(value) == len(target.elts) else None
            for position, inner in enumerate(target.elts):
                self._store(inner, parts[position] if parts else UNKNOWN)


class _Total(dict[str, object]):
    """Bindings in which every local name of a function is present, unknown when it has no value yet."""

    def __init__(self, names: Mapping[str, object], function: FunctionNode) -> None:
        bound = (name for node in below_in_scope(function) for name in bound_names(node))
        super().__init__(dict.fromkeys(bound, UNKNOWN))
        self.update(names)


def _bind(
    function: FunctionNode, arguments: Sequence[object], keywords: Mapping[str, object], value_of: ValueOf
) -> dict[str, object]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    bound: dict[str, object] = dict.fromkeys(parameter_names(function), UNKNOWN)
    for name, default in parameter_defaults(function).items():
        bound[name] = value_of(default, {})
    bound.update(zip(names, arguments, strict=False))
    bound.update({name: value for name, value in keywords.items() if name in bound})
    return bound

"""Unknown names that are computed of others: `half = n // 2` is 16 where `n` is taken to be 32."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.program.names.scope_names import parameter_names, rebound_names
from advisor.program.resolution.constant_values import ConstantValues
from advisor.program.resolution.library_values import Undetermined
from advisor.program.resolution.meanings import ConstantName, FunctionName, Meaning, UnknownName
from advisor.program.resolution.resolution import Names
from advisor.program.syntax.module import ModuleSyntax, Scope, assignments
from advisor.program.syntax.tree_nodes import below

_PLAIN = (
    ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Constant, ast.Tuple, ast.expr_context,
)  # fmt: skip
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """A name in the scope that binds it, which is none for one of a module."""

    name: str
    path: str
    scope: int


@dataclass(frozen=True, slots=True)
class Definition:
    """The one expression that a variable is bound to, with where it stands; None where there is none, or one
    of another kind than arithmetic.
    """

    variable: Variable
    expression: ast.expr | None
    module: ModuleSyntax
    scopes: tuple[Scope, ...]
    reason: str


class DerivedValues:
    """Follows unknown names to those that they are computed of."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def definition(self, name: str, module: ModuleSyntax, scopes: Sequence[Scope]) -> Definition:
        """Where a name is bound that is read inside `scopes` of a module."""
        meaning = self.names.name(name, module, scopes)
        reason = meaning.reason if isinstance(meaning, UnknownName) else ""
        for position, scope in enumerate(scopes):
            if not isinstance(scope, ast.FunctionDef):
                continue
            bound = assignments(scope.body).get(name, [])
            fixed = name in parameter_names(scope) or name in rebound_names(scope)
            if bound or fixed:
                variable = Variable(name, module.path, id(scope))
                expression = bound[0] if len(bound) == 1 and not fixed else None
                return Definition(variable, _arithmetic(expression), module, tuple(scopes[position:]), reason)
        bound = [] if name in module.rebound or name in module.imports else module.assigned.get(name, [])
        expression = bound[0] if len(bound) == 1 else None
        return Definition(Variable(name, module.path, 0), _arithmetic(expression), module, (), reason)

    def roots(self, definition: Definition, depth: int = _DEPTH) -> dict[Variable, Definition] | None:
        """The unknown variables that an unknown one is computed of at last, itself where it is not computed;
        None where that does not end.
        """
        if depth == 0:
            return None
        found: dict[Variable, Definition] = {}
        for inner in self._unknown_in(definition):
            below = self.roots(inner, depth - 1)
            if below is None:
                return None
            found.update(below)
        return found or {definition.variable: definition}

    def value(self, definition: Definition, given: Mapping[Variable, object]) -> object:
        """The value of a variable where its roots have given ones; raises Undetermined."""
        if definition.variable in given:
            return given[definition.variable]
        if definition.expression is None:
            raise Undetermined(definition.reason)

        def resolve(parts: Sequence[str]) -> tuple[Meaning, int]:
            meaning, used = self.names.attribute(parts, definition.module, definition.scopes)
            if isinstance(meaning, UnknownName) and len(parts) == 1:
                inner = self.definition(parts[0], definition.module, definition.scopes)
                return ConstantName(self.value(inner, given)), 1
            return meaning, used

        return ConstantValues(resolve, _no_function).value(definition.expression)

    def _unknown_in(self, definition: Definition) -> list[Definition]:
        expression = definition.expression
        names = {one.id for one in below(expression) if isinstance(one, ast.Name)} if expression else set()
        inner = [self.definition(name, definition.module, definition.scopes) for name in sorted(names)]
        return [one for one in inner if one.reason]


def _arithmetic(expression: ast.expr | None) -> ast.expr | None:
    plain = expression is not None and all(isinstance(one, _PLAIN) for one in below(expression))
    return expression if plain else None


def _no_function(_: FunctionName) -> ConstantValues:
    raise Undetermined("the result of a call")

"""Which definitions of a name reach a place of its scope: the one answer that all analyses ask for.

A structured data flow over the statements of a scope, for one name at a time, as in compilers' textbooks, but
along the syntax tree. Where the tree does not show the way that a run takes (a jump out of a loop, an
exception, a `with` that may swallow it, a function that is called later) more definitions are taken to reach
the place than do: none that reaches it is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from advisor.program.syntax.bound_names import bound_names, target_names
from advisor.program.syntax.definition_flow import (
    START,
    Definition,
    DefinitionFlow,
    State,
    evaluated_at_definition,
    is_star,
)
from advisor.program.syntax.statement_places import (
    COMPREHENSIONS,
    DEFINITIONS,
    Position,
    StatementPlaces,
    begin,
    nodes_around,
)
from advisor.program.syntax.tree_nodes import below, below_in_scope

__all__ = ["START", "Definition", "ReachingDefinitions"]

# Expressions in which a name may be another's than the statement's, or which run later.
_INNER_SCOPES = frozenset({ast.Lambda, *COMPREHENSIONS})
_HEADED = frozenset({*DEFINITIONS, ast.Lambda})


class ReachingDefinitions:
    """The definitions of the names of one scope: a module, the body of a class, or a function."""

    def __init__(self, scope: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.scope = scope
        self._definitions: dict[str, list[ast.AST]] = {}
        nodes = below_in_scope(scope)
        # What stands before the body of an inner function belongs to this scope: defaults, decorators, bases.
        headed = [node for node in nodes if node.__class__ in _HEADED]
        nodes += [one for node in headed for part in evaluated_at_definition(node) for one in below(part)]
        for node in nodes:
            for name in bound_names(node):
                self._definitions.setdefault(name, []).append(node)
        everything = [node for node in nodes if isinstance(node, ast.ImportFrom) and is_star(node)]
        for found in self._definitions.values():
            found.extend(everything)
            found.sort(key=begin)
        # What may bind any name that nothing else in the scope binds.
        self._stars: list[ast.AST] = [*everything]
        self._inner_scopes = [node for node in nodes if node.__class__ in _INNER_SCOPES]
        self._by_others = _bound_by_others(scope, nodes)
        self._flows: dict[str, DefinitionFlow] = {}
        self._known: dict[tuple[str, Position], State | None] = {}

    def of(self, name: str) -> list[ast.AST]:
        """All definitions of a name in this scope, in order of their places."""
        return self._definitions.get(name, self._stars)

    def binds(self, name: str) -> bool:
        """Whether something in this scope binds a name other than by `from m import *`."""
        return name in self._definitions

    def bound_by_others(self, name: str) -> bool:
        """Whether functions may bind the name, by `nonlocal` or `global`, whenever they are called."""
        return name in self._by_others

    def reaching(self, name: str, at: ast.AST) -> State | None:
        """The definitions that may have given a name what it has at a node, which the scope holds.

        START is among them where none may have. Empty for a place that is never reached, None for a node
        outside of the scope's body.
        """
        place = getattr(at, "lineno", 0), getattr(at, "col_offset", 0)
        key = name, place
        if key not in self._known:
            self._known[key] = self._reaching(name, place)
        return self._known[key]

    def at_end(self, name: str) -> State:
        """The definitions that may hold when the scope's body has run."""
        return self._flow(name).at_end

    def _reaching(self, name: str, place: Position) -> State | None:
        statement = self._statements.at(place)
        if statement is None:
            return None
        everything: State = frozenset({START, *self.of(name)})
        if statement.node in self._with_inner_scopes or isinstance(statement.node, DEFINITIONS):
            around = list(nodes_around(statement.node, place))
            if comprehension := _comprehension_of(name, around):
                return frozenset({comprehension})
            if _runs_later(around):
                return everything
        if not self.of(name):
            return frozenset({START})
        found = self._flow(name).reaching(place, statement)
        return everything if found is None else found

    def _flow(self, name: str) -> DefinitionFlow:
        # Names that only `from m import *` may bind have one flow together.
        key = name if name in self._definitions else ""
        if key not in self._flows:
            self._flows[key] = DefinitionFlow(key, self.scope.body, self.of(name), self._statements)
        return self._flows[key]

    @cached_property
    def _statements(self) -> StatementPlaces:
        return StatementPlaces(self.scope.body)

    @cached_property
    def _with_inner_scopes(self) -> set[ast.stmt]:
        """The statements in whose own expressions there are comprehensions and the like."""
        found = (self._statements.at(begin(node)) for node in self._inner_scopes)
        return {one.node for one in found if one is not None}


def _runs_later(around: Sequence[ast.AST]) -> bool:
    """Whether a place, with what lies around it, is in a function or a generator, which run later."""
    for outer, inner in pairwise(around):
        if isinstance(outer, DEFINITIONS) and inner in outer.body:
            return True
        if isinstance(outer, ast.Lambda) and inner is outer.body:
            return True
        if isinstance(outer, ast.GeneratorExp):
            return True
    return False


def _comprehension_of(name: str, around: Sequence[ast.AST]) -> ast.AST | None:
    """The innermost comprehension around a place whose variable a name is."""
    for number in range(len(around) - 1, -1, -1):
        node = around[number]
        if not isinstance(node, COMPREHENSIONS) or _is_outside(node, around[number + 1 :]):
            continue
        if any(name in target_names(one.target) for one in node.generators):
            return node
    return None


def _is_outside(comprehension: ast.AST, inner: Sequence[ast.AST]) -> bool:
    """Whether a place in a comprehension lies in what it first runs over, which is evaluated around it."""
    first: ast.comprehension = comprehension.generators[0]  # type: ignore[attr-defined]
    return len(inner) > 1 and inner[0] is first and inner[1] is first.iter


def _bound_by_others(scope: ast.AST, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names of a scope that other functions declare as theirs, and those of others that it does."""
    kind = ast.Global if isinstance(scope, ast.Module) else ast.Nonlocal
    found: set[str] = set()
    for inner in nodes:
        if isinstance(inner, DEFINITIONS):
            inside = below(inner)
            declared = {name for node in inside if isinstance(node, kind) for name in node.names}
            if declared:
                found |= declared & {name for node in inside for name in bound_names(node)}
    own = (node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal))
    return frozenset(found.union(*(node.names for node in own)))

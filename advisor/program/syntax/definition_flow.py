"""How the definitions of one name flow through the statements of a scope."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from advisor.program.syntax.bound_names import bound_names, target_names
from advisor.program.syntax.statement_places import (
    COMPREHENSIONS,
    LOOPS,
    TRIES,
    PlacedStatement,
    Position,
    StatementPlaces,
    begin,
    end,
    holds,
)


class _Start:
    """What a name has where its scope begins: a parameter's value, what a scope around it has, or nothing."""


START: Final = _Start()
# What binds a name: a statement, `name := value`, an `except` clause, the part of a pattern, or the
# comprehension that has the name for its variable.
Definition = ast.AST | _Start
State = frozenset[Definition]
_NOWHERE: State = frozenset()

_WITHS = (ast.With, ast.AsyncWith)
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class DefinitionFlow:
    """What reaches each place of a scope for one name: the scope is gone through once, from its start.

    `found` are the definitions of the name in order of their places, `at_end` those that may hold when the
    scope's body has run.
    """

    def __init__(
        self, name: str, body: list[ast.stmt], found: Sequence[ast.AST], statements: StatementPlaces
    ) -> None:
        self._name, self._found, self._statements = name, found, statements
        self._places = [begin(one) for one in found]
        self._named = any(isinstance(one, ast.NamedExpr) for one in found)
        # Blocks by their id: the tree outlives its flow.
        self._numbers: dict[int, list[int]] = {}
        self._between: dict[int, list[State]] = {}
        self._gone_through: dict[tuple[int, State], State] = {}
        self._parts: dict[ast.stmt, dict[ast.AST, State]] = {}
        self._number_statements()
        self.at_end = self._block(body, frozenset({START}))

    def _number_statements(self) -> None:
        """Note which statements of each block a definition lies in."""
        for place in self._places:
            statement = self._statements.at(place)
            while statement is not None:
                numbers = self._numbers.setdefault(id(statement.block), [])
                if numbers and numbers[-1] == statement.number:
                    break
                numbers.append(statement.number)
                statement = statement.around

    def reaching(self, place: Position, innermost: PlacedStatement) -> State | None:
        """What reaches a place in a statement; None where the flow does not show it."""
        outermost: PlacedStatement | None = None
        statement: PlacedStatement | None = innermost
        in_loop = False
        while statement is not None and not self._is_inside(statement):
            outermost, in_loop = statement, in_loop or isinstance(statement.node, LOOPS)
            statement = statement.around
        if outermost is None:
            return self._in_parts(place, innermost.node)
        # Nothing in this statement binds the name, so that all of it sees the same.
        between = self._between.get(id(outermost.block))
        if between is None:
            return None
        state = between[bisect_left(self._numbers.get(id(outermost.block), ()), outermost.number)]
        return None if in_loop and not state else state

    def _is_inside(self, statement: PlacedStatement) -> bool:
        """Whether a definition lies in a statement."""
        numbers = self._numbers.get(id(statement.block), ())
        at = bisect_left(numbers, statement.number)
        return at < len(numbers) and numbers[at] == statement.number

    def _in_parts(self, place: Position, node: ast.stmt) -> State | None:
        """What reaches a place in those expressions of a statement that belong to no statement in it."""
        found = [state for part, state in self._parts.get(node, {}).items() if holds(part, place)]
        return _NOWHERE.union(*found) if found else None

    def _block(self, block: list[ast.stmt], state: State) -> State:
        """The state behind a block."""
        key = id(block), state
        if key not in self._gone_through:
            self._gone_through[key] = self._through(block, state)
        return self._gone_through[key]

    def _through(self, block: list[ast.stmt], state: State) -> State:
        """The state behind a block; keeps what lies between its statements that bind the name."""
        reached, between = bool(state), []
        for number in self._numbers.get(id(block), ()):
            between.append(state)
            node = block[number]
            state = self._statement(node, state)
            # Code that nothing reaches still has what it binds itself.
            if reached and not state and self._binds(node):
                state = frozenset({node})
        between.append(state)
        known = self._between.get(id(block))
        if known is not None:
            between = [one | other for one, other in zip(known, between, strict=True)]
        self._between[id(block)] = between
        return state if not _leaves(block) else _NOWHERE

    def _binds(self, node: ast.stmt) -> bool:
        """Whether a statement binds the name itself, whatever happens."""
        return not isinstance(node, (*LOOPS, *_WITHS)) and self._name in bound_names(node)

    def _statement(self, node: ast.stmt, state: State) -> State:
        if isinstance(node, ast.If):
            state = self._expression(node, node.test, state)
            return self._block(node.body, state) | self._block(node.orelse, state)
        if isinstance(node, LOOPS):
            return self._loop(node, state)
        if isinstance(node, _WITHS):
            return self._with(node, state)
        if isinstance(node, ast.Match):
            return self._match(node, state)
        if isinstance(node, TRIES):
            return self._try(node, state)
        return self._simple(node, state)

    def _simple(self, node: ast.stmt, state: State) -> State:
        targets = [one for one in ast.iter_child_nodes(node) if _is_target(one, node)]
        header = evaluated_at_definition(node)
        values = header or [one for one in ast.iter_child_nodes(node) if one not in targets]
        certain = not header and not isinstance(node, ast.Assert)
        for value in values:
            state = self._expression(node, value, state, certain)
        if isinstance(node, ast.ImportFrom) and is_star(node):
            return state | {node}
        return self._bound(node, targets, state, self._name in bound_names(node))

    def _bound(self, owner: ast.stmt, targets: Sequence[ast.AST], state: State, binds: bool) -> State:
        """The state behind the targets of a statement, `binds` where it gives the name a value.

        Targets are bound from left to right, so that one may be in the index of the next.
        """
        if not state:
            return state
        for target in targets:
            state = self._expression(owner, target, state | {owner} if binds else state)
        return self._inside_all(targets) | {owner} if binds else state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        if not state:
            return state
        inside = self._inside_all([node])
        if not isinstance(node, ast.While):
            state = self._expression(node, node.iter, state)
        head = state | inside if self._statements.is_left_by(node, ast.Continue) else state
        # What stands later in the body reaches the next iteration; a third look would change nothing.
        for _ in range(2):
            head |= self._block(node.body, self._targets(node, self._test(node, head)))
        after = self._test(node, head)
        behind = self._block(node.orelse, after)
        return behind | after | inside if self._statements.is_left_by(node, ast.Break) else behind

    def _test(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        return self._expression(node, node.test, state) if isinstance(node, ast.While) else state

    def _targets(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        if isinstance(node, ast.While):
            return state
        return self._bound(node, [node.target], state, self._name in target_names(node.target))

    def _with(self, node: ast.With | ast.AsyncWith, state: State) -> State:
        before = state
        for item in node.items:
            state = self._expression(node, item.context_expr, state)
            if item.optional_vars is not None:
                binds = self._name in target_names(item.optional_vars)
                state = self._bound(node, [item.optional_vars], state, binds)
        # It may swallow an exception that came from anywhere in it.
        return self._block(node.body, state) | before | state | self._inside_all([node])

    def _match(self, node: ast.Match, state: State) -> State:
        state = self._expression(node, node.subject, state)
        behind = _NOWHERE
        for case in node.cases:
            captures = self._inside_all([case.pattern])
            matched = captures or state
            if case.guard is not None:
                matched = self._expression(node, case.guard, matched)
            behind |= self._block(case.body, matched)
            if case.guard is None and _is_irrefutable(case.pattern):
                return behind
            state |= matched
        return behind | state

    def _try(self, node: ast.Try, state: State) -> State:
        anywhere = state | self._inside_all(node.body)
        behind = self._block(node.orelse, self._block(node.body, state))
        handled = self._inside_all(node.handlers)
        # The clauses of `except*` may run one after the other.
        of_group = type(node).__name__ == "TryStar"
        if of_group:
            anywhere |= handled
        caught = _NOWHERE
        for handler in node.handlers:
            if handler.type is not None:
                anywhere = self._expression(node, handler.type, anywhere, certain=False)
                if of_group and caught:
                    caught = self._expression(node, handler.type, caught, certain=False)
            if handler.name != self._name:
                caught |= self._block(handler.body, anywhere)
            elif self._block(handler.body, frozenset({handler})):
                # At its end the clause deletes its name, whatever else was bound to it.
                caught |= {handler}
        behind |= caught
        if not node.finalbody:
            return behind
        # What stands in it runs however the rest has ended; what comes behind it only when that ended well.
        self._block(node.finalbody, anywhere | handled | self._inside_all(node.orelse))
        return self._block(node.finalbody, behind)

    def _expression(self, owner: ast.stmt, node: ast.AST, state: State, certain: bool = True) -> State:
        """The state behind an expression of a statement, in which `name := value` may bind the name."""
        inside = self._inside(node) if self._named else ()
        named = [one for one in inside if isinstance(one, ast.NamedExpr)]
        parts = self._parts.setdefault(owner, {})
        parts[node] = parts.get(node, _NOWHERE).union(state, named)
        if not named:
            return state
        sure = certain and any(_is_certain(one, node) for one in named)
        return frozenset(named) if sure else state.union(named)

    def _inside(self, node: ast.AST) -> Sequence[ast.AST]:
        """The definitions of the name that lie in a node."""
        return self._found[bisect_left(self._places, begin(node)) : bisect_left(self._places, end(node))]

    def _inside_all(self, nodes: Iterable[ast.AST]) -> State:
        """The definitions of the name that lie in some nodes."""
        return frozenset(one for node in nodes for one in self._inside(node))


def evaluated_at_definition(node: ast.AST) -> list[ast.AST]:
    """What a definition evaluates where it stands, its body apart; nothing for other nodes."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    return [node.args] if isinstance(node, ast.Lambda) else []


def is_star(node: ast.ImportFrom) -> bool:
    """Whether a statement imports every name of a module."""
    return any(alias.name == "*" for alias in node.names)


def _is_target(node: ast.AST, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign | ast.Delete):
        return node in statement.targets
    return isinstance(statement, ast.AnnAssign) and node is statement.target


def _is_certain(named: ast.AST, expression: ast.AST) -> bool:
    """Whether `name := value` is evaluated whenever the expression around it is."""
    node = expression
    place = begin(named)
    while node is not named:
        if isinstance(node, (*COMPREHENSIONS, ast.Lambda)):
            return False
        inner = next((one for one in ast.iter_child_nodes(node) if holds(one, place)), None)
        if inner is None:
            return False
        if isinstance(node, ast.BoolOp) and inner is not node.values[0]:
            return False
        if isinstance(node, ast.IfExp) and inner is not node.test:
            return False
        if isinstance(node, ast.Compare) and inner in node.comparators[1:]:
            return False
        node = inner
    return True


def _is_irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(map(_is_irrefutable, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _is_irrefutable(pattern.pattern))


def _leaves(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], _JUMPS)

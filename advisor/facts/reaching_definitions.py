"""Which definitions of a name reach a place of its scope: the one answer that all analyses ask for.

A structured data flow over the statements of a scope, for one name at a time, as in compilers' textbooks, but
along the syntax tree. Where the tree does not show the way that a run takes (a jump out of a loop, an
exception, a `with` that may swallow it, a function that is called later) more definitions are taken to reach
the place than do: none that reaches it is left out.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from advisor.facts.tree_nodes import below, below_in_scope


class _Start:
    """What a name has where its scope begins: a parameter's value, what a scope around it has, or nothing."""


START: Final = _Start()
# What binds a name: a statement, `name := value`, an `except` clause, the part of a pattern, or the
# comprehension that has the name for its variable.
Definition = ast.AST | _Start
_State = frozenset[Definition]
_Position = tuple[int, int]
_NOWHERE: _State = frozenset()

_TRIES = (ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITHS = (ast.With, ast.AsyncWith)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LATER = (*_DEFINITIONS, ast.Lambda, ast.GeneratorExp)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class ReachingDefinitions:
    """The definitions of the names of one scope: a module, the body of a class, or a function."""

    def __init__(self, scope: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.scope = scope
        self._definitions: dict[str, list[ast.AST]] = {}
        self._places: dict[str, list[_Position]] = {}
        nodes = below_in_scope(scope)
        # What stands before the body of an inner function belongs to this scope: defaults, decorators, bases.
        nodes += [one for node in nodes for part in _header(node) for one in below(part)]
        for node in nodes:
            for name in _bound(node):
                self._definitions.setdefault(name, []).append(node)
        everything = [node for node in nodes if isinstance(node, ast.ImportFrom) and _is_star(node)]
        for name, found in self._definitions.items():
            found.extend(everything)
            found.sort(key=_begin)
            self._places[name] = [_begin(one) for one in found]
        self._by_others = _bound_by_others(scope, nodes)
        self._known: dict[tuple[str, _Position], _State | None] = {}
        self._jumps: dict[tuple[ast.AST, type[ast.stmt]], bool] = {}

    def of(self, name: str) -> list[ast.AST]:
        """All definitions of a name in this scope, in order of their places."""
        return self._definitions.get(name, [])

    def bound_by_others(self, name: str) -> bool:
        """Whether functions may bind the name, by `nonlocal` or `global`, whenever they are called."""
        return name in self._by_others

    def reaching(self, name: str, at: ast.AST) -> _State | None:
        """The definitions that may have given a name what it has at a node, which the scope holds.

        START is among them where none may have. Empty for a place that is never reached, None for a node
        outside of the scope's body.
        """
        place = getattr(at, "lineno", 0), getattr(at, "col_offset", 0)
        key = name, place
        if key not in self._known:
            self._known[key] = self._reaching(name, place)
        return self._known[key]

    def at_end(self, name: str) -> _State:
        """The definitions that may hold when the scope's body has run."""
        return _Flow(self, name, None).block(self.scope.body, frozenset({START}))

    def _reaching(self, name: str, place: _Position) -> _State | None:
        statement = _statement_at(self.scope.body, place)
        if statement is None:
            return None
        around = list(_around(statement, place))
        if comprehension := _comprehension_of(name, around):
            return frozenset({comprehension})
        if not self.of(name):
            return frozenset({START})
        if _runs_later(around):
            return frozenset({START, *self.of(name)})
        flow = _Flow(self, name, place)
        flow.block(self.scope.body, frozenset({START}))
        return flow.found if flow.seen else frozenset({START, *self.of(name)})

    def inside(self, name: str, node: ast.AST) -> Sequence[ast.AST]:
        """The definitions of a name that lie in a node."""
        places = self._places.get(name, ())
        begin, end = bisect_left(places, _begin(node)), bisect_left(places, _end(node))
        return self._definitions[name][begin:end] if begin < end else ()

    def inside_all(self, name: str, nodes: Sequence[ast.AST]) -> _State:
        """The definitions of a name that lie in some nodes."""
        return frozenset(one for node in nodes for one in self.inside(name, node))

    def has_jump(
        self, loop: ast.For | ast.AsyncFor | ast.While, kind: type[ast.Break | ast.Continue]
    ) -> bool:
        """Whether a loop of the scope is left, or gone on with, from within its body."""
        key = loop, kind
        if key not in self._jumps:
            self._jumps[key] = _has_own(loop.body, kind)
        return self._jumps[key]

    def statements(self, name: str, block: Sequence[ast.stmt]) -> list[int]:
        """The numbers of those statements of a block that a definition of a name lies in."""
        if not block:
            return []
        places = self._places.get(name, ())
        begin, end = bisect_left(places, _begin(block[0])), bisect_left(places, _end(block[-1]))
        found: list[int] = []
        for place in places[begin:end]:
            if not found or place >= _end(block[found[-1]]):
                found.append(_number_at(block, place))
        return found


class _Flow:
    """What reaches each place for one name; what reaches the place that is asked for is kept in `found`."""

    def __init__(self, definitions: ReachingDefinitions, name: str, place: _Position | None) -> None:
        self.found: _State = _NOWHERE
        self.seen = False
        self._definitions, self._name, self._place = definitions, name, place

    def block(self, block: Sequence[ast.stmt], state: _State) -> _State:
        """The state behind a block."""
        numbers = self._definitions.statements(self._name, block)
        here = self._number(block)
        if here is not None:
            before = numbers[: bisect_left(numbers, here)]
            state = self._statement(block[here], self._through(block, before, state))
            numbers = numbers[bisect_left(numbers, here + 1) :]
        return self._through(block, numbers, state) if not _leaves(block) else _NOWHERE

    def _number(self, block: Sequence[ast.stmt]) -> int | None:
        """The statement of a block that the place which is asked for lies in."""
        if not block or self._place is None or not _begin(block[0]) <= self._place < _end(block[-1]):
            return None
        number = _number_at(block, self._place)
        return number if number >= 0 and self._holds(block[number]) else None

    def _through(self, block: Sequence[ast.stmt], numbers: Sequence[int], state: _State) -> _State:
        """The state behind statements that bind the name; what lies before one that surely does is over."""
        last = next((n for n in range(len(numbers) - 1, -1, -1) if self._binds(block[numbers[n]])), None)
        if last is not None:
            state, numbers = frozenset({block[numbers[last]]}) if state else state, numbers[last + 1 :]
        for number in numbers:
            state = self._statement(block[number], state)
        return state

    def _binds(self, node: ast.stmt) -> bool:
        """Whether a statement binds the name itself, whatever happens."""
        return not isinstance(node, (*_LOOPS, *_WITHS)) and self._name in _bound(node)

    def _statement(self, node: ast.stmt, state: _State) -> _State:
        if isinstance(node, ast.If):
            state = self._expression(node.test, state)
            return self.block(node.body, state) | self.block(node.orelse, state)
        if isinstance(node, _LOOPS):
            return self._loop(node, state)
        if isinstance(node, _WITHS):
            return self._with(node, state)
        if isinstance(node, ast.Match):
            return self._match(node, state)
        if isinstance(node, _TRIES):
            return self._try(node, state)
        return self._simple(node, state)

    def _simple(self, node: ast.stmt, state: _State) -> _State:
        targets = [one for one in ast.iter_child_nodes(node) if _is_target(one, node)]
        header = _header(node)
        values = header or [one for one in ast.iter_child_nodes(node) if one not in targets]
        for value in values:
            state = self._expression(value, state, certain=not header and not isinstance(node, ast.Assert))
        binds = self._name in _bound(node)
        # Targets are bound from left to right, so that one may be in the index of the next.
        for target in targets:
            state = self._expression(target, state | {node} if binds else state)
        if isinstance(node, ast.ImportFrom) and _is_star(node):
            return state | {node}
        return frozenset({node}) if binds and state else state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: _State) -> _State:
        if not state:
            return state
        inside = self._definitions.inside_all(self._name, [node])
        if not isinstance(node, ast.While):
            state = self._expression(node.iter, state)
        head = state | inside if self._definitions.has_jump(node, ast.Continue) else state
        # What stands later in the body reaches the next iteration; a third look would change nothing.
        for _ in range(2):
            head |= self.block(node.body, self._targets(node, self._test(node, head)))
        after = self._test(node, head)
        behind = self.block(node.orelse, after)
        return behind | after | inside if self._definitions.has_jump(node, ast.Break) else behind

    def _test(self, node: ast.For | ast.AsyncFor | ast.While, state: _State) -> _State:
        return self._expression(node.test, state) if isinstance(node, ast.While) else state

    def _targets(self, node: ast.For | ast.AsyncFor | ast.While, state: _State) -> _State:
        if isinstance(node, ast.While):
            return state
        self._expression(node.target, state | {node})
        return frozenset({node}) if self._name in _names(node.target) else state

    def _with(self, node: ast.With | ast.AsyncWith, state: _State) -> _State:
        before = state
        for item in node.items:
            state = self._expression(item.context_expr, state)
            if item.optional_vars is not None and self._name in _names(item.optional_vars):
                state = frozenset({node})
        # It may swallow an exception that came from anywhere in it.
        return (
            self.block(node.body, state) | before | state | self._definitions.inside_all(self._name, [node])
        )

    def _match(self, node: ast.Match, state: _State) -> _State:
        state = self._expression(node.subject, state)
        behind = _NOWHERE
        for case in node.cases:
            captures = self._definitions.inside_all(self._name, [case.pattern])
            matched = captures or state
            if case.guard is not None:
                matched = self._expression(case.guard, matched)
            behind |= self.block(case.body, matched)
            if case.guard is None and _is_irrefutable(case.pattern):
                return behind
            state |= matched
        return behind | state

    def _try(self, node: ast.Try, state: _State) -> _State:
        definitions, name = self._definitions, self._name
        anywhere = state | definitions.inside_all(name, node.body)
        behind = self.block(node.orelse, self.block(node.body, state))
        handled = definitions.inside_all(name, node.handlers)
        if type(node).__name__ == "TryStar":  # the clauses of `except*` may run one after the other
            anywhere |= handled
        for handler in node.handlers:
            if handler.type is not None:
                anywhere = self._expression(handler.type, anywhere, certain=False)
            behind |= self.block(handler.body, frozenset({handler}) if handler.name == name else anywhere)
        if not node.finalbody:
            return behind
        # What stands in it runs however the rest has ended; what comes behind it only when that ended well.
        self.block(node.finalbody, anywhere | handled | definitions.inside_all(name, node.orelse))
        return self.block(node.finalbody, behind)

    def _expression(self, node: ast.AST, state: _State, certain: bool = True) -> _State:
        """The state behind an expression, in which `name := value` may bind the name."""
        inside = [one for one in self._definitions.inside(self._name, node) if isinstance(one, ast.NamedExpr)]
        if not inside:
            self._see(node, state)
            return state
        self._see(node, state.union(inside))
        sure = certain and any(_is_certain(one, node) for one in inside)
        return frozenset(inside) if sure else state.union(inside)

    def _see(self, node: ast.AST, state: _State) -> None:
        if self._holds(node):
            self.found |= state
            self.seen = True

    def _holds(self, node: ast.AST) -> bool:
        return self._place is not None and _begin(node) <= self._place < _end(node)


def _begin(node: ast.AST) -> _Position:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    if decorators:
        node = decorators[0]
    if isinstance(node, ast.arguments | ast.withitem | ast.match_case | ast.comprehension):
        return min((_begin(one) for one in ast.iter_child_nodes(node)), default=(0, 0))
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> _Position:
    if isinstance(node, ast.arguments | ast.withitem | ast.match_case | ast.comprehension):
        return max((_end(one) for one in ast.iter_child_nodes(node)), default=(0, 0))
    return getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0


def _number_at(block: Sequence[ast.stmt], place: _Position) -> int:
    """The number of the last statement of a block that begins at a place or before it, -1 for none."""
    return bisect_left(block, (place[0], place[1] + 1), key=_begin) - 1


def _statement_at(block: Sequence[ast.stmt], place: _Position) -> ast.stmt | None:
    """The statement of a block that a place lies in."""
    number = _number_at(block, place)
    return block[number] if number >= 0 and place < _end(block[number]) else None


def _header(node: ast.AST) -> list[ast.AST]:
    """What a definition evaluates where it stands, its body apart; nothing for other nodes."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    return [node.args] if isinstance(node, ast.Lambda) else []


def _around(statement: ast.stmt, place: _Position) -> Iterator[ast.AST]:
    """The nodes that a place lies in, from a statement to the innermost."""
    node: ast.AST | None = statement
    while node is not None:
        yield node
        node = _child_at(node, place)


def _child_at(node: ast.AST, place: _Position) -> ast.AST | None:
    """The part of a node that a place lies in."""
    for block in _blocks(node) if isinstance(node, ast.stmt) else ():
        if inner := _statement_at(block, place):
            return inner
    return next((one for one in ast.iter_child_nodes(node) if _begin(one) <= place < _end(one)), None)


def _runs_later(around: Sequence[ast.AST]) -> bool:
    """Whether a place, with what lies around it, is in a function or a generator, which run later."""
    for outer, inner in pairwise(around):
        if isinstance(outer, _DEFINITIONS) and inner in outer.body:
            return True
        if isinstance(outer, ast.Lambda) and inner is outer.body:
            return True
        if isinstance(outer, ast.GeneratorExp):
            return True
    return False


def _comprehension_of(name: str, around: Sequence[ast.AST]) -> ast.AST | None:
    """The comprehension around a place whose variable a name is."""
    for node in around:
        if isinstance(node, _COMPREHENSIONS) and any(name in _names(one.target) for one in node.generators):
            return node
    return None


def _bound(node: ast.AST) -> set[str]:
    """The names that a node itself binds in its scope, `del` included."""
    if isinstance(node, ast.Assign | ast.Delete):
        return {name for target in node.targets for name in _names(target)}
    if isinstance(node, ast.AnnAssign):
        return _names(node.target) if node.value is not None else set()
    if isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.NamedExpr):
        return _names(node.target)
    if isinstance(node, ast.With | ast.AsyncWith):
        return {name for item in node.items if item.optional_vars for name in _names(item.optional_vars)}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"}
    if isinstance(node, (*_DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return {node.name} if node.name else set()
    if isinstance(node, ast.MatchMapping):
        return {node.rest} if node.rest else set()
    if type(node).__name__ == "TypeAlias":
        return _names(node.name)  # type: ignore[attr-defined]
    return set()


def _names(target: ast.AST) -> set[str]:
    """The names that a target binds; those in an index or before a dot are only read."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Starred):
        return _names(target.value)
    if isinstance(target, ast.Tuple | ast.List):
        return {name for one in target.elts for name in _names(one)}
    return set()


def _is_target(node: ast.AST, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign | ast.Delete):
        return node in statement.targets
    return isinstance(statement, ast.AnnAssign) and node is statement.target


def _is_star(node: ast.ImportFrom) -> bool:
    return any(alias.name == "*" for alias in node.names)


def _is_certain(named: ast.AST, expression: ast.AST) -> bool:
    """Whether `name := value` is evaluated whenever the expression around it is."""
    node = expression
    while node is not named:
        if isinstance(node, (*_COMPREHENSIONS, ast.Lambda)):
            return False
        place = _begin(named)
        inner = [one for one in ast.iter_child_nodes(node) if _begin(one) <= place < _end(one)]
        if not inner:
            return False
        if isinstance(node, ast.BoolOp) and inner[0] is not node.values[0]:
            return False
        if isinstance(node, ast.IfExp) and inner[0] is not node.test:
            return False
        if isinstance(node, ast.Compare) and inner[0] in node.comparators[1:]:
            return False
        node = inner[0]
    return True


def _is_irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(map(_is_irrefutable, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _is_irrefutable(pattern.pattern))


def _leaves(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], _JUMPS)


def _has_own(body: Sequence[ast.stmt], kind: type[ast.Break | ast.Continue]) -> bool:
    """Whether a jump of a kind in the body of a loop is the loop's own, none of a loop in it."""
    for statement in body:
        if isinstance(statement, kind):
            return True
        if isinstance(statement, _DEFINITIONS):
            continue
        blocks = [statement.orelse] if isinstance(statement, _LOOPS) else list(_blocks(statement))
        if any(_has_own(block, kind) for block in blocks):
            return True
    return False


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _bound_by_others(scope: ast.AST, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names of a scope that other functions declare as theirs, and those of others that it does."""
    kind = ast.Global if isinstance(scope, ast.Module) else ast.Nonlocal
    found: set[str] = set()
    for inner in nodes:
        if isinstance(inner, _DEFINITIONS):
            inside = below(inner)
            declared = {name for node in inside if isinstance(node, kind) for name in node.names}
            if declared:
                found |= declared & {name for node in inside for name in _bound(node)}
    own = (node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal))
    return frozenset(found.union(*(node.names for node in own)))

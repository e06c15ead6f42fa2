"""Variables that a function reads where some way to that place, or every one, gives them no value.

Loops are taken to run at least once: that data are there is the rule. That a search finds something is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from advisor.evidence.source.kernels.wrong_results.searches import is_asked_elsewhere, set_where_found
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below, below_in_scope

_NOT_FOLLOWED = (
    ast.Try, ast.Match, ast.With, ast.Delete, ast.Global, ast.Nonlocal, ast.Lambda, ast.FunctionDef,
    ast.AsyncFunctionDef, ast.ClassDef, ast.NamedExpr, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.AsyncFor,
)  # fmt: skip
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_ORDERS = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=", ast.NotEq: "<>"}
_TURNED = {"<": ">", ">": "<", "=": "="}


@dataclass(frozen=True)
class Unset:
    """A read of a variable that may have no value: on no way to it a value is given, or on one alone by an
    `if` with that `condition`.
    """

    name: ast.Name
    on: Literal["no way", "one way"]
    condition: str | None = None


@dataclass
class _State:
    """What is known at a place: the variables with a value, and those that `if`s set on one side alone, with
    how many conditions lie around the outermost of these.
    """

    known: set[str] = field(default_factory=set)
    partly: dict[str, tuple[tuple[ast.If, ...], int]] = field(default_factory=dict)


def unset_reads(function: FunctionNode) -> list[Unset]:
    """The first read of each such variable of a function; none where not every way is followed."""
    inside = below_in_scope(function)
    if any(isinstance(one, _NOT_FOLLOWED) for one in inside):
        return []
    own = {name for one in inside for name in bound_names(one)}
    given = {one.arg for one in below(function.args) if isinstance(one, ast.arg)}
    return _Ways(own - given, function).unset(function.body)


class _Ways:
    """Walks all ways through a function, along its blocks."""

    def __init__(self, own: set[str], function: FunctionNode) -> None:
        self._own, self._function = own, function
        self._found: dict[str, Unset] = {}
        self._tests: list[ast.expr] = []
        # Of each loop around, how many tests lie outside of it, and what it binds.
        self._loops: list[tuple[int, set[str]]] = []

    def unset(self, body: Sequence[ast.stmt]) -> list[Unset]:
        """Return what a body reads without a value."""
        self._block(body, _State())
        return list(self._found.values())

    def _block(self, body: Sequence[ast.stmt], state: _State) -> bool:
        """Walk statements; whether their end is reached."""
        for statement in body:
            if isinstance(statement, ast.If):
                if not self._if(statement, state):
                    return False
            elif isinstance(statement, ast.For | ast.While):
                self._loop(statement, state)
            else:
                self._plain(statement, state)
                if isinstance(statement, _JUMPS):
                    return False
        return True

    def _plain(self, statement: ast.stmt, state: _State) -> None:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            self._read(statement.target, state)
        self._reads(statement, state)
        for name in (name for one in below(statement) for name in bound_names(one)):
            state.known.add(name)
            state.partly.pop(name, None)

    def _if(self, statement: ast.If, state: _State) -> bool:
        self._reads(statement.test, state)
        sides = []
        for block in (statement.body, statement.orelse):
            side = _State(set(state.known), dict(state.partly))
            self._tests.append(statement.test)
            ends = self._block(block, side)
            self._tests.pop()
            if ends:
                sides.append(side)
        if not sides:
            return False
        known = set.intersection(*(one.known for one in sides))
        set_here = {name for one in sides for name in (*one.known, *one.partly)} - known
        partly = {}
        for name in set_here:
            before, outside = state.partly.get(name, ((), len(self._tests)))
            changed = any(
                name in one.known or one.partly.get(name) != state.partly.get(name) for one in sides
            )
            partly[name] = ((*before, statement) if changed else before, min(outside, len(self._tests)))
        state.known, state.partly = known, partly
        return True

    def _loop(self, loop: ast.For | ast.While, state: _State) -> None:
        self._reads(loop.iter if isinstance(loop, ast.For) else loop.test, state)
        bound = {name for one in below(loop) for name in bound_names(one)}
        inside = _State(set(state.known), dict(state.partly))
        if isinstance(loop, ast.For):
            inside.known |= {one.id for one in below(loop.target) if isinstance(one, ast.Name)}
        self._tests.append(loop.iter if isinstance(loop, ast.For) else loop.test)
        self._loops.append((len(self._tests), bound))
        self._block(loop.body, inside)
        self._loops.pop()
        self._tests.pop()
        # An iteration may set what another one leaves, and a jump out of the loop comes from anywhere in it.
        found = {} if self._loops else self._searches(loop, bound - state.known - state.partly.keys())
        state.known |= bound - found.keys()
        for name in bound:
            state.partly.pop(name, None)
        state.partly |= found
        self._block(loop.orelse, state)

    def _searches(
        self, loop: ast.For | ast.While, names: set[str]
    ) -> dict[str, tuple[tuple[ast.If, ...], int]]:
        """Those of the names that a loop sets only where it finds what it looks for, each with that `if`."""
        found: dict[str, tuple[tuple[ast.If, ...], int]] = {}
        if not isinstance(loop, ast.For):
            return found
        for name in names:
            setting = set_where_found(loop, name)
            if setting is not None and not is_asked_elsewhere(self._function, setting):
                found[name] = ((setting,), len(self._tests))
        return found

    def _reads(self, node: ast.AST, state: _State) -> None:
        for one in below(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                self._read(one, state)

    def _read(self, name: ast.Name, state: _State) -> None:
        if name.id not in self._own or name.id in state.known or name.id in self._found:
            return
        setting = state.partly.get(name.id)
        if setting is not None:
            if not self._comes_later(name.id) and self._leaves_a_case(*setting):
                self._found[name.id] = Unset(name, "one way", ast.unparse(setting[0][0].test))
        elif not self._comes_later(name.id):
            self._found[name.id] = Unset(name, "no way")

    def _comes_later(self, name: str) -> bool:
        """Whether an iteration before may have set it, and a condition may keep the first one away."""
        return any(name in bound and len(self._tests) > outside for outside, bound in self._loops)

    def _leaves_a_case(self, setting: Sequence[ast.If], outside: int) -> bool:
        """Whether a variable that `if`s set is read where nothing further decides by what these ask for, or
        set as well, and their conditions leave a case out. Those around both are `outside`.
        """
        inside = [inner for one in setting for inner in below(one)]
        decided = {name for one in inside if isinstance(one, ast.If) for name in _texts(one.test)}
        decided |= {name for one in inside for name in bound_names(one)}
        around = {name for test in self._tests[outside:] for name in _texts(test)}
        if decided & around:
            return False
        chain = [test for one in setting for test in _chain(one)]
        return len(chain) == 1 or _left_out(chain)


def _texts(test: ast.expr) -> set[str]:
    """The variables and elements that a condition asks for, as they are written."""
    return {ast.unparse(one) for one in below(test) if isinstance(one, ast.Name | ast.Subscript)}


def _chain(statement: ast.If) -> Iterator[ast.expr]:
    """The conditions of `if … elif …`, as far as it goes."""
    yield statement.test
    if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        yield from _chain(statement.orelse[0])


def _left_out(chain: Sequence[ast.expr]) -> bool:
    """Whether comparisons of the same two values leave out that one is less, that both are equal, or that one
    is more.
    """
    pairs: set[tuple[str, str]] = set()
    covered: set[str] = set()
    for test in chain:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _ORDERS:
            return False
        left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
        cases = set(_ORDERS[type(test.ops[0])])
        if left > right:
            left, right, cases = right, left, {_TURNED[one] for one in cases}
        pairs.add((left, right))
        covered |= cases
    if len(pairs) != 1 or covered == {"<", "=", ">"}:
        return False
    # A count or a position, which a name may well be, is never below 0.
    left, right = pairs.pop()
    return not (left == "0" and right.isidentifier() and covered == {"<", "="})

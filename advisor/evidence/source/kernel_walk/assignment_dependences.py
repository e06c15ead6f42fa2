"""What the names changed in a loop depend on, read off the assignments alone; which are counters."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from advisor.program.syntax.module import names_in, stored_names
from advisor.program.syntax.tree_nodes import below

_THREAD_WORDS = frozenset({"threadIdx", "laneid"})


@dataclass
class Dependences:
    """For each name stored in a loop: the names it is computed from (transitively), and how.

    `steps` and `signs` hold the increments of counters (`i += step` once per iteration); `loaded` the names
    computed from array elements or unknown calls; `thread_names` those that read the thread's position inside
    the loop; `scalars` those bound to anything that is not a view; `floats` those a division may make float.
    """

    reads: dict[str, set[str]] = field(default_factory=dict)
    steps: dict[str, ast.expr] = field(default_factory=dict)
    signs: dict[str, int] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)
    thread_names: set[str] = field(default_factory=set)
    scalars: set[str] = field(default_factory=set)
    floats: set[str] = field(default_factory=set)


def loop_dependences(loop: ast.For | ast.While) -> Dependences:
    """The dependences of every name stored in `loop`."""
    found = Dependences()
    count: dict[str, int] = {}
    _collect(loop.body, set(), found, count)
    if isinstance(loop, ast.For):
        for target in names_in(loop.target):
            count[target] = count.get(target, 0) + 2
            found.reads.setdefault(target, set()).update(names_in(loop.iter))
    _close(found)
    for statement in loop.body:
        _counter(statement, found, count)
    return found


def _counter(statement: ast.stmt, found: Dependences, count: dict[str, int]) -> None:
    if not (isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)):
        return
    name = statement.target.id
    if (
        count.get(name) == 1
        and isinstance(statement.op, ast.Add | ast.Sub)
        and not names_in(statement.value) & set(count)
    ):
        found.steps[name] = statement.value
        found.signs[name] = 1 if isinstance(statement.op, ast.Add) else -1


def _collect(body: list[ast.stmt], control: set[str], found: Dependences, count: dict[str, int]) -> None:
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                for name in stored_names(target):
                    _note(name, statement.value, control, found, count)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            _note(statement.target.id, statement.value, control | {statement.target.id}, found, count)
            if isinstance(statement.op, ast.Div):
                found.floats.add(statement.target.id)
        elif (
            isinstance(statement, ast.AnnAssign)
            and statement.value
            and isinstance(statement.target, ast.Name)
        ):
            _note(statement.target.id, statement.value, control, found, count)
        elif isinstance(statement, ast.If | ast.While):
            inner = control | names_in(statement.test)
            _collect(statement.body, inner, found, count)
            _collect(statement.orelse, inner, found, count)
        elif isinstance(statement, ast.For):
            for name in stored_names(statement.target):
                _note(name, statement.iter, control, found, count)
            _collect(statement.body, control | names_in(statement.iter), found, count)
        elif isinstance(statement, ast.With):
            _collect(statement.body, control, found, count)


def _note(name: str, value: ast.expr, control: set[str], found: Dependences, count: dict[str, int]) -> None:
    count[name] = count.get(name, 0) + 1
    found.reads.setdefault(name, set()).update(names_in(value) | control)
    found.scalars.add(name)
    for inner in below(value):
        if isinstance(inner, ast.Subscript):
            found.loaded.add(name)
        elif (isinstance(inner, ast.Attribute) and inner.attr in _THREAD_WORDS) or (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr == "grid"
        ):
            found.thread_names.add(name)
        elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
            found.floats.add(name)


def _close(found: Dependences) -> None:
    changed = True
    while changed:
        changed = False
        for name, reads in found.reads.items():
            for other in list(reads):
                more = found.reads.get(other, set()) - reads
                if more:
                    reads |= more
                    changed = True
            for marks in (found.loaded, found.thread_names):
                if name not in marks and reads & marks:
                    marks.add(name)
                    changed = True

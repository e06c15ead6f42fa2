"""What a function binds to its local names, and which parts of its parameters an expression stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from advisor.program.effects.parameter_use import View
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode, assignments
from advisor.program.syntax.tree_nodes import below

_DEPTH = 8
_SAME_ARRAY = frozenset({"T", "flat", "real", "imag"})
_OF_ARRAYS = frozenset({
    "shape", "size", "T", "dtype", "strides", "itemsize", "nbytes", "flat", "ndim", "real", "imag",
    "conjugate", "conj", "fill", "copy", "sum", "reshape", "view", "ravel", "flatten", "astype",
})  # fmt: skip


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of `body` and of the blocks in it, nested functions left out."""
    for statement in body:
        yield statement
        for block in ("body", "orelse", "finalbody"):
            inner = getattr(statement, block, None)
            if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                yield from statements(inner)


class LocalValues:
    """The definitions of a function's local names, flow-insensitive.

    `bound` are whole values, `stored` what is written into the elements of a local array, `counted` the names
    that a loop over `range` counts, `tuples` the lengths of parameters that index an array as a whole.
    """

    def __init__(self, function: FunctionNode) -> None:
        arguments = function.args
        self.parameters = tuple(
            a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        )
        self.bound: dict[str, list[ast.expr]] = {}
        self.stored: dict[str, list[ast.expr]] = {}
        self.counted: set[str] = set()
        self.tuples = _tuple_parameters(function, self.parameters)
        for statement in statements(function.body):
            self._bind(statement)

    def _bind(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            for name, values in assignments([statement]).items():
                self.bound.setdefault(name, []).extend(values)
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if statement.value is not None:
                for target in targets:
                    self._store(target, statement.value)
        elif isinstance(statement, ast.AugAssign):
            given = _value_given(statement)
            if isinstance(statement.target, ast.Name):
                self.bound.setdefault(statement.target.id, []).append(given)
            self._store(statement.target, given)
        elif isinstance(statement, ast.For):
            self._loop(statement)

    def _store(self, target: ast.expr, value: ast.expr) -> None:
        owner = target
        while isinstance(owner, ast.Subscript):
            owner = owner.value
        if (
            isinstance(target, ast.Subscript)
            and isinstance(owner, ast.Name)
            and owner.id not in self.parameters
        ):
            self.stored.setdefault(owner.id, []).append(value)

    def _loop(self, loop: ast.For) -> None:
        target, source = loop.target, loop.iter
        if isinstance(source, ast.Call) and called_name(source) == "enumerate" and source.args:
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
                return
            counter, target = target.elts
            self._count(counter)
            source = source.args[0]
        if isinstance(source, ast.Call) and called_name(source) in ("range", "prange"):
            self._count(target)
        elif isinstance(target, ast.Name):
            element = ast.Subscript(value=source, slice=ast.Constant(value=0), ctx=ast.Load())
            self.bound.setdefault(target.id, []).append(ast.copy_location(element, source))

    def _count(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.counted.add(target.id)

    def views(self, node: ast.expr, depth: int = _DEPTH) -> list[View]:
        """The parameters, or rows and elements of them, that an expression may stand for."""
        if depth == 0:
            return []
        if isinstance(node, ast.Name):
            found = [View(node.id)] if node.id in self.parameters else []
            for value in self.bound.get(node.id, ()):
                found += [view for view in self.views(value, depth - 1) if view not in found]
            return found
        if isinstance(node, ast.Subscript | ast.Attribute) and (name := field_name(node)):
            owners = self.views(node.value, depth - 1)
            return [replace(owner, field=name) for owner in owners if not owner.field]
        if isinstance(node, ast.Subscript):
            count, slices = self.indices(node.slice)
            owners = self.views(node.value, depth - 1)
            return [replace(owner, consumed=owner.consumed + count - slices) for owner in owners]
        if isinstance(node, ast.Attribute) and node.attr in _SAME_ARRAY:
            return self.views(node.value, depth - 1)
        if isinstance(node, ast.IfExp):
            return [*self.views(node.body, depth - 1), *self.views(node.orelse, depth - 1)]
        if isinstance(node, ast.Call) and called_name(node) == "array_like" and node.args:
            return self.views(node.args[0], depth - 1)
        return []

    def indices(self, index: ast.expr) -> tuple[int, int]:
        """How many dimensions an index addresses and how many of them it only slices."""
        if isinstance(index, ast.Tuple):
            parts = [item for item in index.elts if not _adds_nothing(item)]
            return len(parts), sum(isinstance(item, ast.Slice) for item in parts)
        if isinstance(index, ast.Slice):
            return 1, 1
        return (0, 0) if _adds_nothing(index) else (self.arity(index), 0)

    def arity(self, node: ast.expr) -> int:
        """The length of the tuple that an expression stands for, 1 for a single value."""
        if isinstance(node, ast.Tuple):
            return len(node.elts)
        if isinstance(node, ast.Call) and called_name(node) in ("grid", "gridsize") and len(node.args) == 1:
            dimensions = node.args[0]
            return (
                dimensions.value
                if isinstance(dimensions, ast.Constant) and isinstance(dimensions.value, int)
                else 1
            )
        if isinstance(node, ast.Name):
            if node.id in self.parameters:
                return self.tuples.get(node.id, 1)
            return max(
                (self.arity(v) for v in self.bound.get(node.id, ()) if not isinstance(v, ast.Name)), default=1
            )
        return 1


def field_name(node: ast.Subscript | ast.Attribute) -> str:
    """The field that `record["name"]` or `record.name` takes, empty for an index or what arrays have."""
    if isinstance(node, ast.Attribute):
        return "" if node.attr in _OF_ARRAYS else node.attr
    name = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return name if isinstance(name, str) else ""


def _value_given(statement: ast.AugAssign) -> ast.expr:
    """What `n += value` gives its target as far as kinds go: its value; of `n /= value` the quotient, which
    is no integer whatever the two are.
    """
    if not isinstance(statement.op, ast.Div):
        return statement.value
    return ast.copy_location(ast.BinOp(statement.target, statement.op, statement.value), statement)


def _tuple_parameters(function: FunctionNode, parameters: tuple[str, ...]) -> dict[str, int]:
    """Parameters that are an index by themselves and are also indexed by literals, with their length."""
    whole: set[str] = set()
    lengths: dict[str, int] = {}
    for node in below(function):
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Name):
                whole.add(node.slice.id)
            if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
                index = node.slice.value
                if isinstance(index, int):
                    lengths[node.value.id] = max(lengths.get(node.value.id, 0), index + 1)
    return {name: length for name, length in lengths.items() if name in whole and name in parameters}


def _adds_nothing(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and (index.value is ... or index.value is None)

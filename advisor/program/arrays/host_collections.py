"""Lists, dictionaries and comprehensions of host values, as long as nothing changes what they hold."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.program.arrays.array_parts import item
from advisor.program.arrays.host_values import NOTHING, SIZE, UNKNOWN, Fields, Items, Number, Value, joined
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.changed_lists import is_changed

if TYPE_CHECKING:
    from advisor.program.arrays.host_evaluator import Frame, HostValues

_MOST_ITEMS = 64


class HostCollections:
    """The values of comprehensions and displays, and of the names that hold them."""

    def __init__(self, values: HostValues) -> None:
        self._values = values

    def of_dict(self, node: ast.Dict, frame: Frame) -> Value:
        """A dictionary by its keys, UNKNOWN where one is no text or number."""
        found: dict[str | int, Value] = {}
        for key, given in zip(node.keys, node.values, strict=True):
            name = None if key is None else self._values.constant(key, frame)
            if not isinstance(name, str | int):
                return UNKNOWN
            found[name] = self._values.value(given, frame)
        return Fields(tuple(found.items()))

    def of_comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        """The items of a comprehension over things that are written out, or over a range of known length."""
        only = node.generators[0]
        plain = len(node.generators) == 1 and not only.ifs and not only.is_async
        if not plain or not isinstance(only.target, ast.Name):
            return UNKNOWN
        over = self._over(only.iter, frame)
        if over is None:
            return NOTHING if self._values.value(only.iter, frame) == NOTHING else UNKNOWN
        frames = [replace(frame, bound=(*frame.bound, (node, only.target.id, one))) for one in over]
        return Items(tuple(self._values.value(node.elt, one) for one in frames), fixed=False)

    def mapped(self, node: ast.Call, frame: Frame) -> Value:
        """What `map` makes of things that are written out."""
        if len(node.args) != 2 or node.keywords or not isinstance(node.args[1], ast.Tuple | ast.List):
            return UNKNOWN
        function, given = node.args[0], node.args[1].elts
        if any(isinstance(one, ast.Starred) for one in given):
            return UNKNOWN
        calls = [ast.copy_location(ast.Call(function, [one], []), node) for one in given]
        return Items(tuple(self._values.value(one, frame) for one in calls), fixed=False)

    def kept(self, value: Value, name: str, frame: Frame) -> Value:
        """What a name stands for: a list or dictionary only where no code may have changed it."""
        if not isinstance(value, Items | Fields) or (isinstance(value, Items) and value.fixed):
            return value
        inner = value.items if isinstance(value, Items) else [one for _, one in value.items]
        nested = any(isinstance(one, Items | Fields) for one in inner)
        return UNKNOWN if is_changed(name, frame.module, frame.function, nested=nested) else value

    def iterated(self, node: ast.expr, frame: Frame) -> Value:
        """What a loop over an expression gets in each iteration."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            if node.func.id == "range":
                return SIZE
            if node.func.id == "enumerate":
                return Items((SIZE, self.iterated(node.args[0], frame)))
            if node.func.id == "zip":
                return Items(tuple(self.iterated(one, frame) for one in node.args))
        value = self._values.value(node, frame)
        return joined(value.items) if isinstance(value, Items) and value.fixed else item(value)

    def _over(self, node: ast.expr, frame: Frame) -> list[Value] | None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            count = self._values.whole(node.args[0], frame) if len(node.args) == 1 else None
            if count is None or not 0 <= count <= _MOST_ITEMS:
                return None
            return [Number("int64", one, one) for one in range(count)]
        value = self._values.value(node, frame)
        return list(value.items) if isinstance(value, Items) and len(value.items) <= _MOST_ITEMS else None


def bound_inside(node: ast.Name, frame: Frame) -> Value | None:
    """What a comprehension around a name gives it, None where none does."""
    for around, name, value in reversed(frame.bound):
        if name == node.id and _is_inside(node, around, frame.module):
            return value
    return None


def _is_inside(node: ast.AST, around: ast.AST, module: ModuleSyntax) -> bool:
    inner: ast.AST | None = node
    while inner is not None and inner is not around:
        inner = module.parents.get(inner)
    return inner is around

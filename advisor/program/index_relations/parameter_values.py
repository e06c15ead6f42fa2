"""What the parameters of a kernel are, by their types' texts."""

from __future__ import annotations

import ast

from advisor.model.text.syntax_trees import expression_tree
from advisor.program.index_relations.index_values import UNKNOWN, Items, Number, Value, View, size_number
from advisor.program.index_relations.relations import ScalarSize
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.literals import written_integer

_INTEGERS = ("int", "uint", "u", "i")
_REALS = ("float", "double", "f")
_MOST_ITEMS = 64


def parameter_value(name: str, text: str) -> Value:
    """The value of a parameter with a type like those of `ArgumentTypes`; UNKNOWN for a text that is none."""
    try:
        node = expression_tree(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    return _value(name, node)


def _value(name: str, node: ast.expr) -> Value:
    if isinstance(node, ast.Subscript):
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _view(name, node.value, len(axes))
    if isinstance(node, ast.Call):
        return _called(name, node)
    kind = last_name(node)
    if _is_integer(kind):
        return size_number(ScalarSize(name))
    real = _is_real(kind)
    return Number(floats=frozenset({name}), real=True) if real else UNKNOWN


def _called(name: str, node: ast.Call) -> Value:
    called, first = last_name(node.func), node.args[0] if node.args else None
    if first is None:
        return UNKNOWN
    if called == "UniTuple":
        count = written_integer(node.args[1] if len(node.args) > 1 else keyword_value(node, "count"))
        return Items(tuple(_value(f"{name}.{item}", first) for item in range(min(count or 0, _MOST_ITEMS))))
    if called == "Tuple" and isinstance(first, ast.Tuple | ast.List):
        return Items(tuple(_value(f"{name}.{item}", one) for item, one in enumerate(first.elts)))
    if called == "Array":
        axes = written_integer(node.args[1] if len(node.args) > 1 else keyword_value(node, "ndim"))
        return _view(name, first, min(axes or 0, _MOST_ITEMS))
    return _value(name, first) if called.lower() == "optional" else UNKNOWN


def _view(name: str, element: ast.expr, axes: int) -> View:
    kind = last_name(element)
    return View(name, tuple(range(axes)), _is_integer(kind), _is_real(kind))


def _is_integer(kind: str) -> bool:
    return kind.rstrip("0123456789_c") in _INTEGERS or kind in ("intp", "uintp", "uintc", "byte", "long")


def _is_real(kind: str) -> bool:
    return kind.rstrip("0123456789_") in _REALS

"""Evaluates the constants and type names of a unit without `eval`: only listed forms have a value."""

from __future__ import annotations

import ast
import cmath
import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.model.text.syntax_trees import expression_tree

_ROOTS = frozenset({"numpy", "numba", "math", "cmath", "operator"})
_MODULES: dict[str, Any] = {"math": math, "cmath": cmath, "operator": operator, "np": np, "numpy": np}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_MOST_ELEMENTS = 1 << 16
_TYPE_CONSTRUCTORS = frozenset({"Array", "UniTuple", "Tuple", "Complex", "optional", "Optional"})


class NotLiteral(ValueError):
    """An expression outside the language of constants."""


def constant_value(text: str) -> Any:
    """The value of a constant's text: literals, arithmetic, `math.inf`, `np.float32(0.5)`, `np.array([...])`.

    Raises NotLiteral for every other form, so text from a workspace never runs.
    """
    return _value(_expression(text))


def alias_value(dotted: str) -> Any:
    """What a dotted name below numpy, numba, math, cmath or operator stands for; else raises NotLiteral."""
    root, *rest = dotted.split(".")
    if root not in _ROOTS:
        raise NotLiteral(f"{dotted} is not below a known library")
    value = importlib.import_module(root)
    path = root
    for name in rest:
        if name.startswith("__"):
            raise NotLiteral(f"{dotted} is not a public name")
        path = f"{path}.{name}"
        try:
            value = getattr(value, name)
        except AttributeError:
            try:
                value = importlib.import_module(path)
            except ImportError:
                raise NotLiteral(f"{dotted} is not in the installed version of {root}") from None
    return value


def argument_type(text: str) -> Any:
    """The Numba type that `float32[:, ::1]`, `UniTuple(int64, 2)`, `Array(float32, 1, 'C')` or
    `from_dtype([('x', '<f4')], False)[::1]` names.

    Raises NotLiteral for names that Numba's types do not have.
    """
    return _type(_expression(text))


def _expression(text: str) -> ast.expr:
    try:
        return expression_tree(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotLiteral(f"{text[:60]!r} is not an expression") from None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Set):
        return {_value(item) for item in node.elts}
    if isinstance(node, ast.Dict):
        return {_value(k): _value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.UnaryOp):
        return _SIGNS[type(node.op)](_number(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return _ARITHMETIC[type(node.op)](_number(node.left), _number(node.right))
    if isinstance(node, ast.Attribute | ast.Name):
        return _named(node)
    if isinstance(node, ast.Call):
        return _called(node)
    raise NotLiteral(f"{ast.unparse(node)[:60]} is not a constant")


def _number(node: ast.expr) -> Any:
    value = _value(node)
    if not isinstance(value, bool | int | float | complex | np.generic):
        raise NotLiteral(f"{ast.unparse(node)[:60]} is not a number")
    return value


def _named(node: ast.Attribute | ast.Name) -> Any:
    dotted = ast.unparse(node)
    root, _, rest = dotted.partition(".")
    if root == "numba":
        return alias_value(dotted)
    if root in ("math", "cmath") and isinstance(getattr(_MODULES[root], rest, None), float | complex):
        return getattr(_MODULES[root], rest)
    if root in ("np", "numpy"):
        return _numpy_type(rest)
    raise NotLiteral(f"{dotted} is not a constant")


def _numpy_type(name: str) -> Any:
    value = getattr(np, name, None)
    if isinstance(value, type) and issubclass(value, np.generic):
        return value
    if isinstance(value, float):
        return value
    raise NotLiteral(f"np.{name} is not a data type")


def _called(node: ast.Call) -> Any:
    name = ast.unparse(node.func)
    arguments = [_value(argument) for argument in node.args]
    keywords = {keyword.arg: _value(keyword.value) for keyword in node.keywords}
    if name == "complex" and len(arguments) == 2 and not keywords:
        return complex(*arguments)
    root, _, rest = name.partition(".")
    if root not in ("np", "numpy"):
        raise NotLiteral(f"a call of {name} is not a constant")
    if rest in ("array", "zeros") and len(arguments) == 1 and set(keywords) <= {"dtype"}:
        return _array(rest, arguments[0], keywords.get("dtype"))
    if rest == "dtype" and len(arguments) == 1:
        return np.dtype(arguments[0])
    kind = _numpy_type(rest)
    if isinstance(kind, type) and len(arguments) == 1 and not keywords:
        return kind(arguments[0])
    raise NotLiteral(f"a call of {name} is not a constant")


def _array(kind: str, content: Any, dtype: Any) -> Any:
    if kind == "array":
        return np.array(content, dtype=dtype)
    shape = content if isinstance(content, tuple) else (content,)
    if not all(isinstance(size, int) and size >= 0 for size in shape) or math.prod(shape) > _MOST_ELEMENTS:
        raise NotLiteral("an array of that shape is not a constant")
    return np.zeros(shape, dtype=dtype)


def _type(node: ast.expr) -> Any:
    types = _types_module()
    if isinstance(node, ast.Name):
        return _type_named(types, node.id)
    if isinstance(node, ast.Attribute):
        return _type_named(types, node.attr)
    if isinstance(node, ast.Subscript):
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        slices = tuple(_slice(item) for item in index)
        return _type(node.value)[slices if len(slices) > 1 else slices[0]]
    if isinstance(node, ast.Tuple | ast.List):
        return types.Tuple(tuple(_type(item) for item in node.elts))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _TYPE_CONSTRUCTORS:
            return _constructed(types, node)
        if node.func.id == "from_dtype":
            return _of_numpy(node)
    raise NotLiteral(f"{ast.unparse(node)[:60]} is not a type")


def _constructed(types: Any, node: ast.Call) -> Any:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    arguments = [_type_argument(argument) for argument in node.args]
    keywords = {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg}
    return getattr(types, "Optional" if name == "optional" else name)(*arguments, **keywords)


def _of_numpy(node: ast.Call) -> Any:
    """The type of NumPy's elements that a literal describes, for those of records."""
    content, *aligned = [_value(argument) for argument in node.args]
    try:
        dtype = np.dtype(content, align=bool(aligned and aligned[0]))
        return importlib.import_module("numba.cuda.np.numpy_support").from_dtype(dtype)
    except (TypeError, ValueError, KeyError, NotImplementedError) as problem:
        raise NotLiteral(f"{ast.unparse(node)[:60]} is not a type: {problem}") from None


def _type_argument(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_type(item) for item in node.elts)
    return _type(node)


def _type_named(types: Any, name: str) -> Any:
    if name == "xoroshiro128p_type":
        return alias_value("numba.cuda.random.xoroshiro128p_type")
    value = getattr(types, name, None)
    if value is None or not isinstance(value, types.Type):
        raise NotLiteral(f"{name} is not a type of Numba's")
    return value


def _slice(node: ast.expr) -> slice:
    if not isinstance(node, ast.Slice) or node.lower is not None or node.upper is not None:
        raise NotLiteral("an array type is written with slices only")
    return slice(None, None, None if node.step is None else _value(node.step))


def _types_module() -> Any:
    try:
        return importlib.import_module("numba.cuda.types")
    except ImportError:
        return importlib.import_module("numba.types")

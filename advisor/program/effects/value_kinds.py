"""Whether expressions in a function are integers or complex numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from advisor.program.effects.local_values import LocalValues
from advisor.program.effects.parameter_use import Use
from advisor.program.syntax.calls import last_name

_DEPTH = 12
_THREAD_NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_INTEGER_CASTS = frozenset({"int", "int32", "int64", "uint32", "uint64"})
_INTEGER_CALLS = _INTEGER_CASTS | {"grid", "gridsize", "len", "floor", "ceil"}
_COMPLEX_CALLS = frozenset({"complex", "complex64", "complex128"})


class ValueKinds:
    """Kinds of the values of one function; `callee_complex` tells whether a call's result is complex, None
    when the called function is not known.
    """

    def __init__(
        self,
        local_values: LocalValues,
        uses: Mapping[str, Use],
        callee_complex: Callable[[ast.expr], bool | None],
    ) -> None:
        self.locals, self.uses, self.callee_complex = local_values, uses, callee_complex

    def shapes(self, node: ast.expr) -> list[ast.expr]:
        """The arrays whose shape an expression is."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "strides"):
            return [node.value]
        if isinstance(node, ast.Name):
            return [
                value.value
                for value in self.locals.bound.get(node.id, ())
                if isinstance(value, ast.Attribute) and value.attr == "shape"
            ]
        return []

    def is_integer(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly an integer."""
        if depth == 0:
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if isinstance(node, ast.Name):
            if node.id in self.uses:
                return self.uses[node.id].integer and not self.uses[node.id].dims
            bound = self.locals.bound.get(node.id, [])
            return node.id in self.locals.counted or (
                bool(bound) and all(self.is_integer(v, depth - 1) for v in bound)
            )
        if isinstance(node, ast.Attribute):
            return node.attr in ("size", "ndim") or last_name(node.value) in _THREAD_NAMES
        if isinstance(node, ast.Call):
            return last_name(node.func) in _INTEGER_CALLS
        if isinstance(node, ast.Subscript):
            if self.shapes(node.value) or last_name(getattr(node.value, "func", node.value)) == "grid":
                return True
            return any(self.uses[view.parameter].integer for view in self.locals.views(node.value))
        parts = operands(node)
        divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        return bool(parts) and not divides and all(self.is_integer(part, depth - 1) for part in parts)

    def is_fixed(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is a number written out, perhaps converted; floats meet it in tests too."""
        if depth == 0 or isinstance(node, ast.Constant):
            return depth > 0
        if isinstance(node, ast.Name):
            bound = [] if node.id in self.uses else self.locals.bound.get(node.id, [])
            return bool(bound) and all(self.is_fixed(value, depth - 1) for value in bound)
        if isinstance(node, ast.Call) and last_name(node.func) in _INTEGER_CASTS:
            return all(self.is_fixed(argument, depth - 1) for argument in node.args)
        return False

    def is_complex(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression holds a complex number, as far as the code shows."""
        if depth == 0:
            return False
        if isinstance(node, ast.Constant):
            return isinstance(node.value, complex)
        if isinstance(node, ast.Name):
            if node.id in self.uses:
                return self.uses[node.id].complex
            return any(self.is_complex(value, depth - 1) for value in self.locals.bound.get(node.id, ()))
        if isinstance(node, ast.Subscript):
            return any(self.uses[view.parameter].complex for view in self.locals.views(node.value))
        if isinstance(node, ast.Call):
            known = self.callee_complex(node.func)
            return (
                known
                if known is not None
                else last_name(node.func) in _COMPLEX_CALLS or _first_name(node.func) == "cmath"
            )
        return any(self.is_complex(operand, depth - 1) for operand in operands(node))


def operands(node: ast.expr) -> list[ast.expr]:
    """The operands that share the kind of an arithmetic expression's result."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return []


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""

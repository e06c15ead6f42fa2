"""Launches that Numba refuses, whatever is on the device: a number of blocks or threads that is a float, an
argument by its name.
"""

from __future__ import annotations

import ast

from advisor.program.launches.launches import Launch
from advisor.program.names.library_names import MLIR_COMPILER
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import ModuleSyntax

_FLOATS = frozenset({
    "float", "numpy.ceil", "numpy.floor", "numpy.rint", "numpy.round", "numpy.trunc", "numpy.sqrt",
    "numpy.log2", "numpy.float32", "numpy.float64", "math.sqrt", "math.pow", "math.log",
    "math.log2", "math.fabs",
})  # fmt: skip
_DEPTH = 6


def refusal(launch: Launch) -> str:
    """Return why a launch is refused, in a clause; empty where nothing shows that it is."""
    node, kernel = launch.node, launch.kernel
    if kernel is None or launch.in_helper or kernel.module.mentions(MLIR_COMPILER):
        return ""
    if node.keywords and kernel.form == "decorator" and isinstance(node.func, ast.Subscript):
        return "a launch takes no arguments by their names"
    sizes = _configuration(node.func, launch.module)
    fractional = next((one for one in sizes if _is_float(one, launch.module, _DEPTH)), None)
    return "" if fractional is None else f"`{ast.unparse(fractional)}` is a float, and no whole number"


def _configuration(function: ast.expr, module: ModuleSyntax) -> list[ast.expr]:
    """The numbers of blocks and of threads that a launch writes, axis by axis."""
    if not isinstance(function, ast.Subscript) or not isinstance(function.slice, ast.Tuple):
        return []
    return [size for one in function.slice.elts[:2] for size in _axes(one, module, _DEPTH)]


def _axes(node: ast.expr, module: ModuleSyntax, depth: int) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts
    value = _only_value(node, module) if depth > 0 else None
    if isinstance(value, ast.Tuple | ast.List | ast.Name):
        return _axes(value, module, depth - 1)
    return [node]


def _only_value(node: ast.expr, module: ModuleSyntax) -> ast.expr | None:
    values = values_at(module, node) if isinstance(node, ast.Name) else []
    value = values[0] if len(values) == 1 else None
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Tuple):
        part = value.slice.value if isinstance(value.slice, ast.Constant) else None
        return value.value.elts[part] if isinstance(part, int) and part < len(value.value.elts) else None
    return value


def _is_float(node: ast.expr, module: ModuleSyntax, depth: int) -> bool:
    """Whether an expression of numbers surely gives a float; a quotient of Python 2 may be whole."""
    if depth <= 0:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.BinOp):
        sides = (_is_float(one, module, depth - 1) for one in (node.left, node.right))
        return (isinstance(node.op, ast.Div) and not module.source.for_python_2) or any(sides)
    if isinstance(node, ast.Call):
        name = module.dotted(node.func)
        if name in ("min", "max"):
            return bool(node.args) and all(_is_float(one, module, depth - 1) for one in node.args)
        return name in _FLOATS
    if isinstance(node, ast.IfExp):
        return all(_is_float(one, module, depth - 1) for one in (node.body, node.orelse))
    value = _only_value(node, module)
    return value is not None and _is_float(value, module, depth - 1)

"""Launches that Numba refuses, whatever is on the device: a number of blocks or threads that is a float, a
single number for both, an argument by its name, a text as an argument, a kernel that is a method.
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
    if isinstance(node.func, ast.Subscript) and _is_one_number(node.func.slice):
        return f"`[{ast.unparse(node.func.slice)}]` gives one number for the blocks and the threads"
    if isinstance(node.func, ast.Subscript) and _is_method(node.func.value, launch):
        return f"`{ast.unparse(node.func.value)}` is a method, of which there is no item"
    text = next(
        (one for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)), None
    )
    if text is not None and not kernel.signature and kernel.form == "decorator":
        return f"a kernel takes no text, such as `{ast.unparse(text)}`"
    sizes = _configuration(node.func, launch.module)
    fractional = next((one for one in sizes if _is_float(one, launch.module, _DEPTH)), None)
    return "" if fractional is None else f"`{ast.unparse(fractional)}` is a float, and no whole number"


def _is_one_number(configuration: ast.expr) -> bool:
    """Whether what stands in the brackets of a launch is a number for certain."""
    if isinstance(configuration, ast.Constant):
        return isinstance(configuration.value, int)
    return (
        isinstance(configuration, ast.BinOp)
        and any(
            isinstance(one, ast.Constant) and isinstance(one.value, int | float)
            for one in (configuration.left, configuration.right)
        )
        and not isinstance(configuration.op, ast.Add | ast.Mult)
    )


def _is_method(function: ast.expr, launch: Launch) -> bool:
    """Whether a kernel is defined in a class as a method is, and launched as that of its own object."""
    kernel, module = launch.kernel, launch.module
    if kernel is None or kernel.module is not module or len(kernel.node.decorator_list) != 1:
        return False
    around = module.parents.get(kernel.node)
    if not isinstance(around, ast.ClassDef) or not isinstance(function, ast.Attribute):
        return False
    method = module.function_around(launch.node)
    if method is None or module.parents.get(method) is not around or method.decorator_list:
        return False
    first = next(iter([*method.args.posonlyargs, *method.args.args]), None)
    own = isinstance(function.value, ast.Name) and first is not None and function.value.id == first.arg
    return own and function.attr == kernel.node.name and not _is_stored(function.attr, around)


def _is_stored(name: str, owner: ast.ClassDef) -> bool:
    """Whether a class stores an attribute of that name, which may be another kernel."""
    return any(
        isinstance(one, ast.Attribute) and one.attr == name and isinstance(one.ctx, ast.Store)
        for one in ast.walk(owner)
    )


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

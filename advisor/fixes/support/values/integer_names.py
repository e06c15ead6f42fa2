"""Whether a name of a kernel stands for an integer, as far as its bindings, uses and launches tell."""

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import names_in
from advisor.program.syntax.literals import written_integer

_WHOLE_CALLS = frozenset({"int", "len", "range"})
_CHOOSING_CALLS = frozenset({"abs", "max", "min"})
_POSITIONS = frozenset({"grid", "gridsize"})
_DEPTH = 6


def is_integer(place: Place, function: ast.FunctionDef, name: str, depth: int = _DEPTH) -> bool:
    """Whether nothing shows that a name may be a float: it is an index or a bound of a loop somewhere, or
    what it is bound to is made of integers. Parameters are integers unless a launch passes a float.
    """
    if depth == 0:
        return False
    if _is_index(place, function, name):
        return True
    module = place.module
    bound = module.bindings(name, function)
    if name in _parameters(function):
        return not bound and not _launched_with_float(place, _parameters(function).index(name))
    bound = bound or module.bindings(name, None)
    return all(_gives_integer(place, function, one, depth) for one in bound)


def is_local(module: SourceModule, function: ast.FunctionDef, name: str) -> bool:
    """Whether a name is a function's own: a parameter, or bound in it."""
    return name in _parameters(function) or bool(module.bindings(name, function))


def _parameters(function: ast.FunctionDef) -> list[str]:
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _is_index(place: Place, function: ast.FunctionDef, name: str) -> bool:
    """Whether a name stands by itself, or in a sum, as an index or in the head of a loop over `range`."""
    for one in names_in(place.module, function.body):
        if one.id != name:
            continue
        node: ast.AST = one
        above = place.module.parent(one)
        while isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add | ast.Sub):
            node, above = above, place.module.parent(above)
        if isinstance(above, ast.Tuple):
            node, above = above, place.module.parent(above)
        if isinstance(above, ast.Subscript) and above.slice is node:
            return True
        if isinstance(above, ast.Call) and place.module.code_of(above.func) == "range":
            return True
    return False


def _gives_integer(place: Place, function: ast.FunctionDef, binding: ast.AST, depth: int) -> bool:
    """Whether a binding of a name gives it an integer."""
    if isinstance(binding, ast.Import | ast.ImportFrom):
        return True
    value = getattr(binding, "iter" if isinstance(binding, ast.For) else "value", None)
    return isinstance(value, ast.expr) and _is_whole(place, function, value, depth)


def _is_whole(place: Place, function: ast.FunctionDef, value: ast.expr, depth: int) -> bool:
    module, cuda = place.module, cuda_text(place.module)
    if isinstance(value, ast.Call):
        called = module.code_of(value.func)
        last = called.split(".")[-1]
        if called in _CHOOSING_CALLS:
            return all(_is_whole(place, function, one, depth) for one in value.args)
        positions = {f"{cuda}.{one}" for one in _POSITIONS}
        return called in _WHOLE_CALLS | positions or last.startswith(("int", "uint"))
    if isinstance(value, ast.Name):
        return is_integer(place, function, value.id, depth - 1)
    if isinstance(value, ast.Attribute):
        return True
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
    if isinstance(value, ast.BinOp) and not isinstance(value.op, ast.Div | ast.Pow):
        return all(_is_whole(place, function, one, depth) for one in (value.left, value.right))
    if isinstance(value, ast.UnaryOp):
        return _is_whole(place, function, value.operand, depth)
    return written_integer(value) is not None


def _launched_with_float(place: Place, position: int) -> bool:
    """Whether a launch that was found passes a float at a position."""
    kernel = place.kernel()
    if kernel is None or kernel[1] is not place.function():
        return False
    for site in place.launches() or ():
        arguments = site.arguments
        if arguments is None or position >= len(arguments):
            continue
        value = site.defined(arguments[position])
        called = site.module.code_of(value.func).split(".")[-1] if isinstance(value, ast.Call) else ""
        number = value.value if isinstance(value, ast.Constant) else None
        if isinstance(number, float) or called.startswith("float"):
            return True
    return False

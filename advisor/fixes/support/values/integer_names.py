"""Whether a name of a kernel stands for an integer, as far as its bindings, uses and launches tell."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import names_in

_WHOLE_CALLS = frozenset({"int", "len", "range"})
_CHOOSING_CALLS = frozenset({"abs", "max", "min"})
_POSITIONS = frozenset({"grid", "gridsize"})
_DEPTH = 6


def is_integer(place: Place, function: cst.FunctionDef, name: str, depth: int = _DEPTH) -> bool:
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


def is_local(module: SourceModule, function: cst.FunctionDef, name: str) -> bool:
    """Whether a name is a function's own: a parameter, or bound in it."""
    return name in _parameters(function) or bool(module.bindings(name, function))


def _parameters(function: cst.FunctionDef) -> list[str]:
    params = function.params
    return [one.name.value for one in (*params.posonly_params, *params.params, *params.kwonly_params)]


def _is_index(place: Place, function: cst.FunctionDef, name: str) -> bool:
    """Whether a name stands by itself, or in a sum, as an index or in the head of a loop over `range`."""
    for one in names_in(place.module, function.body):
        if one.value != name:
            continue
        node: cst.CSTNode | None = place.module.parent(one)
        while isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
            node = place.module.parent(node)
        if isinstance(node, cst.Index):
            return True
        called = place.module.parent(node) if isinstance(node, cst.Arg) else None
        if isinstance(called, cst.Call) and place.module.written(called.func) == "range":
            return True
    return False


def _gives_integer(place: Place, function: cst.FunctionDef, binding: cst.CSTNode, depth: int) -> bool:
    """Whether a binding of a name gives it an integer."""
    if isinstance(binding, cst.Import | cst.ImportFrom):
        return True
    value = getattr(binding, "iter" if isinstance(binding, cst.For) else "value", None)
    return isinstance(value, cst.BaseExpression) and _is_whole(place, function, value, depth)


def _is_whole(place: Place, function: cst.FunctionDef, value: cst.BaseExpression, depth: int) -> bool:
    module, cuda = place.module, cuda_text(place.module)
    if isinstance(value, cst.Call):
        called = module.written(value.func)
        last = called.split(".")[-1]
        if called in _CHOOSING_CALLS:
            return all(_is_whole(place, function, one.value, depth) for one in value.args)
        positions = {f"{cuda}.{one}" for one in _POSITIONS}
        return called in _WHOLE_CALLS | positions or last.startswith(("int", "uint"))
    if isinstance(value, cst.Name):
        return is_integer(place, function, value.value, depth - 1)
    if isinstance(value, cst.Attribute):
        return True
    if isinstance(value, cst.Subscript):
        return isinstance(value.value, cst.Attribute) and value.value.attr.value == "shape"
    if isinstance(value, cst.BinaryOperation) and not isinstance(value.operator, cst.Divide | cst.Power):
        return all(_is_whole(place, function, one, depth) for one in (value.left, value.right))
    if isinstance(value, cst.UnaryOperation):
        return _is_whole(place, function, value.expression, depth)
    return isinstance(value, cst.Integer)


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
        called = site.module.written(value.func).split(".")[-1] if isinstance(value, cst.Call) else ""
        if isinstance(value, cst.Float) or called.startswith("float"):
            return True
    return False

"""What host code copies to the device: data that stay as they are, and arrays made for the copy alone."""

from __future__ import annotations

import ast
import math

from advisor.program.arrays.operations.array_functions import CREATORS, OF_EACH_ELEMENT
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import ModuleSyntax, names_in
from advisor.program.values.constants import Constants

# Of NumPy: they make an array of what they are given, and change nothing.
_MAKE_ANEW = OF_EACH_ELEMENT | {
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy", "transpose", "reshape",
    "ravel", "concatenate", "stack", "hstack", "vstack", "float32", "float64", "int32", "int64", "abs",
    "square",
}  # fmt: skip
_METHODS = frozenset({"astype", "copy", "reshape", "ravel", "flatten", "transpose", "view", "squeeze"})
_ONLY_ASK = frozenset(
    {"len", "min", "max", "range", "print", "enumerate", "zip", "float", "int", "abs", "sum"}
)
# Of NumPy: what they fill an array with the device can write as well.
_FILL = frozenset({
    "zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like", "arange",
    "linspace", "eye",
})  # fmt: skip


def is_plain(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression gives the same data whenever its names stand for the same: all that it calls are
    functions of NumPy and methods of arrays that make an array of what they are given.
    """
    return all(_makes_anew(one, module) for one in ast.walk(node) if isinstance(one, ast.Call))


def _makes_anew(call: ast.Call, module: ModuleSyntax) -> bool:
    dotted = module.dotted(call.func) or ""
    if dotted.startswith("numpy."):
        return dotted.removeprefix("numpy.") in _MAKE_ANEW
    return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS


def data_names(node: ast.expr, module: ModuleSyntax) -> set[str]:
    """The names that the data of an expression come from; modules are none."""
    return {one for one in names_in(node) if one not in module.imports}


def only_asks(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether a call surely changes none of its arguments."""
    if isinstance(call.func, ast.Name) and call.func.id in _ONLY_ASK:
        return True
    dotted = module.dotted(call.func) or ""
    into = any(one.arg == "out" for one in call.keywords)
    return (
        dotted.startswith(("numpy.", "math.")) and not into and dotted.removeprefix("numpy.") not in _CHANGE
    )


_CHANGE = frozenset(
    {"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "random.shuffle"}
)


def filled_for_copy(source: ast.expr, module: ModuleSyntax) -> ast.Call | None:
    """The call that makes an array of the host which is copied, and fills it with one number, or with numbers
    in order; None for any other array, and for one that something beside the copy uses.
    """
    if isinstance(source, ast.Name):
        bound, scope = values_at(module, source), module.scope_of(source)
        value = bound[0] if len(bound) == 1 else None
        if value is None or not isinstance(scope, ast.FunctionDef) or len(module.loads(source.id, scope)) > 1:
            return None
        source = value
    while isinstance(source, ast.Call) and called_name(source) in ("astype", "reshape"):
        if not isinstance(source.func, ast.Attribute) or module.dotted(source.func) is not None:
            return None
        source = source.func.value
    dotted = (module.dotted(source.func) if isinstance(source, ast.Call) else None) or ""
    filled = dotted.startswith("numpy.") and dotted.removeprefix("numpy.") in _FILL
    return source if filled and isinstance(source, ast.Call) else None


def elements_filled(call: ast.Call, constants: Constants) -> int | None:
    """How many elements a call of NumPy fills, where that is a constant."""
    sizes = CREATORS[called_name(call)].sizes
    given = constants.value(call.args[0]) if call.args else None
    if sizes == "arange":
        return given if len(call.args) == 1 and isinstance(given, int) else None
    if sizes != "shape" or isinstance(given, bool):
        return None
    shape = given if isinstance(given, list | tuple) else [given]
    known = [one for one in shape if isinstance(one, int)]
    return math.prod(known) if len(known) == len(shape) else None

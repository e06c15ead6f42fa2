"""Whether two arguments of a launch may be the same array, or parts of one, as far as the host code shows."""

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.host.source_effects import parameter_effects
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.calls import called_name

# Methods and functions that give another look at the same elements, or may.
_VIEWS = (
    "reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "diagonal", "asarray", "asanyarray",
    "ascontiguousarray", "as_cuda_array", "split",
)  # fmt: skip
_DEEPEST = 8


def may_overlap(site: LaunchSite, position: int) -> bool:
    """Whether the argument at a position, from 0, is made of an array that another argument is made of; so it
    may be where the arguments are not known.
    """
    arguments = site.arguments or []
    if position >= len(arguments):
        return True
    own = _origins(site, arguments[position])
    others = (one for number, one in enumerate(arguments) if number != position)
    return any(own & _origins(site, one) for one in others)


def overlaps_written(place: Place, body: KernelBody, name: str) -> bool:
    """Whether a launch of the kernel passes for a parameter an array, or a part of one, that it also passes
    for another parameter which the kernel may write.
    """
    position = body.parameters.index(name) if name in body.parameters else -1
    written = [
        number
        for number in range(len(body.parameters))
        if number != position and parameter_effects(body.module, body.function, number).writes
    ]
    for site in place.launches() or ():
        arguments = site.arguments or []
        if position >= len(arguments) or position < 0:
            return True
        own = _origins(site, arguments[position])
        if any(own & _origins(site, arguments[one]) for one in written if one < len(arguments)):
            return True
    return False


def _origins(site: LaunchSite, expression: ast.expr, depth: int = 0) -> frozenset[str]:
    """The names of the array that an expression is or is a part of, those before it included."""
    if isinstance(expression, ast.Name):
        found = frozenset({expression.id})
        function = site.function()
        bound = site.module.bindings(expression.id, function) if function is not None else []
        for one in bound or site.module.bindings(expression.id, None):
            if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and depth < _DEEPEST:
                found |= _origins(site, one.value, depth + 1)
        return found
    if isinstance(expression, ast.Attribute):
        looked_at = isinstance(expression.value, ast.Name) and expression.value.id == "self"
        written = frozenset({ast.unparse(expression)})
        more = looked_at or expression.attr != "T"
        return written if more else written | _origins(site, expression.value, depth + 1)
    if isinstance(expression, ast.Subscript):
        key = expression.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return frozenset({ast.unparse(expression)})
        return _origins(site, expression.value, depth + 1)
    parts: list[ast.expr] = []
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        if called_name(expression) in _VIEWS:
            parts = [expression.func.value, *expression.args, *(one.value for one in expression.keywords)]
    elif isinstance(expression, ast.IfExp):
        parts = [expression.body, expression.orelse]
    elif isinstance(expression, ast.Tuple):
        parts = expression.elts
    return frozenset().union(*(_origins(site, one, depth + 1) for one in parts))

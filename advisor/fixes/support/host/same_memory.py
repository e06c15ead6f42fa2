"""Whether two arguments of a launch may be the same array, or parts of one, as far as the host code shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.source_effects import known_call, known_method, parameter_effects
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.effects.callees import Known
from advisor.program.names.scope_bindings import scope_bindings

# Attributes of an array that are it, or a part of it.
_SEEN_SO = ("T", "real", "imag", "flat")


def may_overlap(site: LaunchSite, position: int, others: Iterable[int] | None = None) -> bool:
    """Whether the argument at a position, from 0, is made of an array that another argument, or one of
    `others`, is made of; so it may be where the arguments are not known.
    """
    arguments = site.arguments or []
    if not 0 <= position < len(arguments):
        return True
    own = _origins(site, arguments[position])
    places = range(len(arguments)) if others is None else others
    given = (arguments[one] for one in places if one != position and one < len(arguments))
    return any(own & _origins(site, one) for one in given)


def overlaps_written(place: Place, body: KernelBody, name: str) -> bool:
    """Whether a launch of the kernel passes for a parameter an array, or a part of one, that it also passes
    for another parameter which the kernel may write.
    """
    names = body.parameters
    position = names.index(name) if name in names else -1
    effects = [parameter_effects(body.module, body.function, number) for number in range(len(names))]
    written = [number for number, one in enumerate(effects) if one.writes and number != position]
    return any(may_overlap(site, position, written) for site in place.launches() or ())


def _origins(site: LaunchSite, expression: ast.expr) -> set[str]:
    """The names and attributes of the arrays that an expression is or is a part of, or was made of."""
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            waiting += _bound(site, node.id) if node.id not in found else []
            found.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and _is_field(node):
            found.add(ast.unparse(node))
        else:
            waiting += _parts(site.module, node)
    return found


def _is_field(node: ast.Attribute | ast.Subscript) -> bool:
    """Whether an attribute or item is an array of its own, as of an object or a dictionary."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return node.attr not in _SEEN_SO or (isinstance(node.value, ast.Name) and node.value.id == "self")


def _parts(module: SourceModule, node: ast.expr) -> list[ast.expr]:
    """The parts of an expression whose elements are, or may be, also those of its value."""
    if isinstance(node, ast.Subscript | ast.Attribute | ast.NamedExpr | ast.Starred):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts
    if isinstance(node, ast.BoolOp):
        return node.values
    if not isinstance(node, ast.Call):
        return []
    if known_call(module, node) is Known.SAME:
        return [*node.args, *(one.value for one in node.keywords)]
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return [owner] if owner is not None and known_method(module, node) is Known.SAME else []


def _bound(site: LaunchSite, name: str) -> list[ast.expr]:
    """What binds a name in the function around a launch, or else in the module: values, and what loops run
    over.
    """
    syntax = site.module.syntax
    scopes = (one for one in syntax.scopes(site.call) if not isinstance(one, ast.Lambda))
    own = scope_bindings(syntax, next(scopes, None)).names.get(name)
    bindings = own or scope_bindings(syntax, None).names.get(name, [])
    return [value for one in bindings for value in (one.value, one.items) if value is not None]

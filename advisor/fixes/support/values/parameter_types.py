"""The element type of an array parameter, as all launches of the kernel give it."""

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.calls import keyword_value

_MAKES_ARRAY = (
    "zeros",
    "ones",
    "empty",
    "full",
    "device_array",
    "pinned_array",
    "mapped_array",
    "managed_array",
)
_PASSES_ON = ("to_device", "ascontiguousarray")
_TYPES = ("float32", "float64")


def float_type(place: Place, body: KernelBody, parameter: str) -> str | None:
    """`float32` or `float64` where every launch that was found passes an array made as such, else None."""
    if parameter not in body.parameters:
        return None
    position = body.parameters.index(parameter)
    found = set()
    for site in place.launches() or ():
        arguments = site.arguments
        if arguments is None or position >= len(arguments):
            return None
        found.add(_made_as(site, arguments[position]))
    return found.pop() if len(found) == 1 else None


def _made_as(site: LaunchSite, expression: ast.expr) -> str | None:
    value = site.defined(expression)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    called = value.func.attr
    if called in _PASSES_ON and value.args and not value.keywords:
        return _made_as(site, value.args[0]) if len(value.args) == 1 else None
    dtype = keyword_value(value, "dtype") if called in _MAKES_ARRAY else None
    written = site.module.code_of(dtype).strip("'\"").split(".")[-1] if dtype is not None else ""
    return written if written in _TYPES else None

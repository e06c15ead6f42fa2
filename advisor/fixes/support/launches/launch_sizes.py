"""Along which axes a launch has several blocks, and several threads in a block."""

from __future__ import annotations

import ast
from typing import Literal

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.names.scope_names import parameters
from advisor.program.syntax.literals import written_integer

# Part of the launch and its axis: ("grid", "x") where there are several blocks along x.
Extent = tuple[Literal["grid", "block"], Literal["x", "y", "z"]]
AXES: tuple[Literal["x", "y", "z"], ...] = ("x", "y", "z")
_WHOLE_CALLS = ("int", "len", "math.ceil", "math.floor")


def extents(site: LaunchSite) -> frozenset[Extent] | None:
    """The parts of a launch that may be greater than one; None where its number of axes is not known."""
    grid, block = _several(site, site.grid), _block_axes(site)
    if grid is None or block is None:
        return None
    found: list[Extent] = [("grid", axis) for axis in grid]
    found += [("block", axis) for axis in block]
    return frozenset(found)


def is_one(site: LaunchSite, expression: ast.expr) -> bool:
    """Whether an expression of a launch is the number 1, or a name of it."""
    return written_integer(site.defined(expression)) == 1


def is_whole_number(site: LaunchSite, expression: ast.expr) -> bool:
    """Whether an expression of a launch is one whole number for sure, not a tuple."""
    value = site.defined(expression)
    if isinstance(value, ast.UnaryOp):
        return is_whole_number(site, value.operand)
    if isinstance(value, ast.BinOp):
        if isinstance(value.op, ast.FloorDiv | ast.Sub):
            return True
        # A tuple can be added to another one and multiplied as well.
        both = isinstance(value.op, ast.Add | ast.Mult)
        return both and is_whole_number(site, value.left) and is_whole_number(site, value.right)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("min", "max"):
        given = [*value.args, *(one.value for one in value.keywords)]
        return all(is_whole_number(site, one) for one in given)
    return is_plain_integer(site, value)


def is_plain_integer(site: LaunchSite, expression: ast.expr) -> bool:
    """Whether an expression of a launch is an `int` of Python for sure, not a number of NumPy."""
    value = site.defined(expression)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return is_plain_integer(site, value.operand)
    if isinstance(value, ast.BinOp):
        whole = isinstance(value.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv)
        return whole and is_plain_integer(site, value.left) and is_plain_integer(site, value.right)
    if isinstance(value, ast.Subscript):
        return not isinstance(value.slice, ast.Slice | ast.Tuple) and _is_shape(value.value)
    if isinstance(value, ast.Attribute):
        return value.attr == "size"
    if isinstance(value, ast.Name):
        return _is_size(site, value.id)
    if written_integer(value) is not None:
        return True
    return isinstance(value, ast.Call) and ast.unparse(value.func) in _WHOLE_CALLS


def _block_axes(site: LaunchSite) -> list[Literal["x", "y", "z"]] | None:
    sizes = site.row.block
    if None in sizes:
        return _several(site, site.block)
    return [axis for axis, size in zip(AXES, sizes, strict=True) if size != 1]


def _several(site: LaunchSite, expression: ast.expr) -> list[Literal["x", "y", "z"]] | None:
    value = site.defined(expression)
    if isinstance(value, ast.Tuple | ast.List):
        parts = value.elts
        if len(parts) > len(AXES) or any(isinstance(one, ast.Starred) for one in parts):
            return None
        return [axis for axis, part in zip(AXES, parts, strict=False) if not is_one(site, part)]
    if not is_whole_number(site, value):
        return None
    return [] if is_one(site, value) else ["x"]


def _is_size(site: LaunchSite, name: str) -> bool:
    """Whether a name is a parameter annotated as `int`, or is given one of an array's sizes."""
    module, function = site.module, site.function()
    bound = module.bindings(name, function)
    if not bound and function is not None:
        for one in parameters(function):
            if one.arg == name:
                return isinstance(one.annotation, ast.Name) and one.annotation.id == "int"
        bound = module.bindings(name, None)
    return len(bound) == 1 and isinstance(bound[0], ast.Assign) and _is_shape(bound[0].value)


def _is_shape(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and value.attr == "shape"

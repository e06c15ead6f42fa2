"""Along which axes a launch has several blocks, and several threads in a block."""

from __future__ import annotations

from typing import Literal

import libcst as cst

from advisor.fixes.support.launches.launch_sites import LaunchSite

# Part of the launch and its axis: ("grid", "x") where there are several blocks along x.
Extent = tuple[Literal["grid", "block"], Literal["x", "y", "z"]]
_AXES: tuple[Literal["x", "y", "z"], ...] = ("x", "y", "z")
_WHOLE_CALLS = ("int", "len", "math.ceil", "math.floor")


def extents(site: LaunchSite) -> frozenset[Extent] | None:
    """The parts of a launch that may be greater than one; None where its number of axes is not known."""
    grid, block = _several(site, site.grid), _block_axes(site)
    if grid is None or block is None:
        return None
    found: list[Extent] = [("grid", axis) for axis in grid]
    found += [("block", axis) for axis in block]
    return frozenset(found)


def is_whole_number(site: LaunchSite, expression: cst.BaseExpression) -> bool:
    """Whether an expression of a launch is one whole number for sure, not a tuple."""
    value = site.defined(expression)
    if isinstance(value, cst.UnaryOperation):
        return is_whole_number(site, value.expression)
    if isinstance(value, cst.BinaryOperation):
        if isinstance(value.operator, cst.FloorDivide | cst.Subtract):
            return True
        # A tuple can be added to another one and multiplied as well.
        both = isinstance(value.operator, cst.Add | cst.Multiply)
        return both and is_whole_number(site, value.left) and is_whole_number(site, value.right)
    if isinstance(value, cst.Call) and site.module.written(value.func) in ("min", "max"):
        return all(not one.star and is_whole_number(site, one.value) for one in value.args)
    return is_plain_integer(site, value)


def is_plain_integer(site: LaunchSite, expression: cst.BaseExpression) -> bool:
    """Whether an expression of a launch is an `int` of Python for sure, not a number of NumPy."""
    value, module = site.defined(expression), site.module
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        return is_plain_integer(site, value.expression)
    if isinstance(value, cst.BinaryOperation):
        whole = isinstance(value.operator, cst.Add | cst.Subtract | cst.Multiply | cst.FloorDivide)
        return whole and is_plain_integer(site, value.left) and is_plain_integer(site, value.right)
    if isinstance(value, cst.Subscript):
        element = len(value.slice) == 1 and isinstance(value.slice[0].slice, cst.Index)
        return element and isinstance(value.value, cst.Attribute) and value.value.attr.value == "shape"
    if isinstance(value, cst.Attribute):
        return value.attr.value == "size"
    if isinstance(value, cst.Name):
        return _is_size(site, value.value)
    return isinstance(value, cst.Integer) or (
        isinstance(value, cst.Call) and module.written(value.func) in _WHOLE_CALLS
    )


def _block_axes(site: LaunchSite) -> list[Literal["x", "y", "z"]] | None:
    sizes = [site.row.values.get(f"block_{axis}") for axis in _AXES]
    if all(isinstance(one, float) for one in sizes):
        return [axis for axis, size in zip(_AXES, sizes, strict=True) if size != 1.0]
    return _several(site, site.block)


def _several(site: LaunchSite, expression: cst.BaseExpression) -> list[Literal["x", "y", "z"]] | None:
    value = site.defined(expression)
    if isinstance(value, cst.Tuple | cst.List):
        parts = [one.value for one in value.elements if isinstance(one, cst.Element)]
        if len(parts) != len(value.elements) or len(parts) > len(_AXES):
            return None
        return [axis for axis, part in zip(_AXES, parts, strict=False) if not _is_one(site, part)]
    if not is_whole_number(site, value):
        return None
    return [] if _is_one(site, value) else ["x"]


def _is_one(site: LaunchSite, expression: cst.BaseExpression) -> bool:
    value = site.defined(expression)
    return isinstance(value, cst.Integer) and value.evaluated_value == 1


def _is_size(site: LaunchSite, name: str) -> bool:
    """Whether a name is a parameter annotated as `int`, or is given one of an array's sizes."""
    module, function = site.module, site.function()
    bound = module.bindings(name, function)
    if not bound and function is not None:
        for one in module.nodes_in(cst.Param, function.params):
            if one.name.value == name:
                return one.annotation is not None and module.written(one.annotation.annotation) == "int"
        bound = module.bindings(name, None)
    if len(bound) != 1 or not isinstance(bound[0], cst.Assign):
        return False
    value = bound[0].value
    return isinstance(value, cst.Attribute) and value.attr.value == "shape"

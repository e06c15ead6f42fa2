"""Numbers of a kernel as the host can say them at a launch: sizes of arguments, constants, sums of such."""

from __future__ import annotations

import ast

from advisor.fixes.support.kernel.assigned_names import only_computes
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.literals import written_integer

_DEEPEST = 6
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
# What may be asked of a host array as well as of a device array.
_HOST_CALLS = ("len", "int")
_PLAIN = (ast.Name, ast.Constant, ast.BinOp)
_WHOLE = (*_PLAIN, ast.Attribute, ast.Subscript, ast.Call)


def size_at_launch(site: LaunchSite, body: KernelBody, value: ast.expr, depth: int = _DEEPEST) -> str | None:
    """The text, at a launch, of a whole number that a kernel computes from its arguments; None where the
    launch does not tell it. Sums stand in brackets.
    """
    if depth == 0:
        return None
    if written_integer(value) is not None:
        return body.module.code_of(value)
    match value:
        case ast.Name():
            return _named(site, body, value.id, depth)
        case ast.BinOp() if type(value.op) in _SIGNS:
            left = size_at_launch(site, body, value.left, depth - 1)
            right = size_at_launch(site, body, value.right, depth - 1)
            return f"({left} {_SIGNS[type(value.op)]} {right})" if left and right else None
        case ast.Attribute(array, "size"):
            text = _array(site, body, array)
            return f"{text}.size" if text else None
        case ast.Subscript(ast.Attribute(array, "shape"), axis):
            number = written_integer(axis)
            return _axis(site, body, array, number) if number is not None else None
        case ast.Call(ast.Name("len"), [array]):
            return _axis(site, body, array, 0)
    return None


def _axis(site: LaunchSite, body: KernelBody, node: ast.expr, axis: int) -> str | None:
    array = _array(site, body, node)
    return f"{array}.shape[{axis}]" if array else None


def _array(site: LaunchSite, body: KernelBody, node: ast.expr) -> str | None:
    """The array of a parameter at a launch, where it is a name or an attribute there."""
    argument = _argument(site, body, node.id) if isinstance(node, ast.Name) else None
    if not isinstance(argument, ast.Name | ast.Attribute) or not only_computes(site.module, argument):
        return None
    return site.module.code_of(argument)


def _argument(site: LaunchSite, body: KernelBody, name: str) -> ast.expr | None:
    """The argument that a launch gives for a parameter that keeps its value."""
    arguments = site.arguments
    if name not in body.parameters or body.module.bindings(name, body.function) or arguments is None:
        return None
    position = body.parameters.index(name)
    return arguments[position] if position < len(arguments) else None


def _named(site: LaunchSite, body: KernelBody, name: str, depth: int) -> str | None:
    """The number of a parameter, of a name that is given its value once, or of a constant of the module."""
    if name in body.parameters:
        argument = _argument(site, body, name)
        return _whole_number(site, argument) if argument is not None else None
    bound = body.module.bindings(name, body.function)
    if not bound:
        return _constant(site, body, name)
    match bound:
        case [ast.Assign([ast.Name()], value)]:
            return size_at_launch(site, body, value, depth - 1)
        case [ast.Assign([ast.Tuple(parts)], ast.Attribute(array, "shape"))]:
            names = [one.id if isinstance(one, ast.Name) else "" for one in parts]
            starred = any(isinstance(one, ast.Starred) for one in parts)
            return _axis(site, body, array, names.index(name)) if name in names and not starred else None
    return None


def _whole_number(site: LaunchSite, argument: ast.expr) -> str | None:
    """The text of an argument that computes a whole number from names, sizes and numbers."""
    module, text = site.module, site.module.code_of(argument)
    parts = list(module.nodes_in(ast.expr, argument))
    if "\n" in text or not all(isinstance(one, _WHOLE) for one in parts):
        return None
    for part in parts:
        if isinstance(part, ast.Constant) and written_integer(part) is None:
            return None
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            return None
        if isinstance(part, ast.Call) and ast.unparse(part.func) not in _HOST_CALLS:
            return None
    return f"({text})" if isinstance(argument, ast.BinOp) else text


def _constant(site: LaunchSite, body: KernelBody, name: str) -> str | None:
    """The name of a constant of the module that kernel and launch both stand in."""
    module = body.module
    if site.module is not module or body.function not in module.tree.body:
        return None
    match module.bindings(name, None):
        case [ast.Assign([ast.Name()], number)]:
            parts = list(module.nodes_in(ast.expr, number))
            plain = all(isinstance(one, _PLAIN) for one in parts) and not any(
                isinstance(one, ast.Constant) and written_integer(one) is None for one in parts
            )
            return name if plain and not _is_hidden(site, name) else None
    return None


def _is_hidden(site: LaunchSite, name: str) -> bool:
    """Whether a name of the module stands for something else at a launch, or may change."""
    module = site.module
    if any(name in one.names for one in module.nodes(ast.Global)):
        return True
    function = site.function()
    while function is not None:
        if name in parameter_names(function) or module.bindings(name, function):
            return True
        function = module.scope_of(function)
    return False

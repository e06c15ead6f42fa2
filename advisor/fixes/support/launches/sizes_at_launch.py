"""Numbers of a kernel as the host can say them at a launch: sizes of arguments, constants, sums of such."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.kernel.assigned_names import only_computes
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.launches.launch_sites import LaunchSite

_DEEPEST = 6
_WHOLE = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide)
# What may be asked of a host array as well as of a device array.
_HOST_CALLS = ("len", "int")


def size_at_launch(
    site: LaunchSite, body: KernelBody, value: cst.BaseExpression, depth: int = _DEEPEST
) -> str | None:
    """The text, at a launch, of a whole number that a kernel computes from its arguments; None where the
    launch does not tell it. Sums stand in brackets.
    """
    if depth == 0:
        return None
    if isinstance(value, cst.Integer):
        return value.value
    if isinstance(value, cst.Name):
        return _named(site, body, value, depth)
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _WHOLE):
        left = size_at_launch(site, body, value.left, depth - 1)
        right = size_at_launch(site, body, value.right, depth - 1)
        sign = body.module.written(value.operator).strip()
        return f"({left} {sign} {right})" if left and right else None
    if isinstance(value, cst.Attribute) and value.attr.value == "size":
        array = _array(site, body, value.value)
        return f"{array}.size" if array else None
    if isinstance(value, cst.Subscript) and len(value.slice) == 1:
        index = value.slice[0].slice
        axis = index.value if isinstance(index, cst.Index) and not index.star else None
        asked = isinstance(value.value, cst.Attribute) and value.value.attr.value == "shape"
        if asked and isinstance(axis, cst.Integer):
            return _axis(site, body, value.value.value, axis.evaluated_value)  # type: ignore[attr-defined]
    if isinstance(value, cst.Call) and body.module.written(value.func) == "len" and len(value.args) == 1:
        return _axis(site, body, value.args[0].value, 0)
    return None


def _axis(site: LaunchSite, body: KernelBody, node: cst.BaseExpression, axis: int) -> str | None:
    array = _array(site, body, node)
    return f"{array}.shape[{axis}]" if array else None


def _array(site: LaunchSite, body: KernelBody, node: cst.BaseExpression) -> str | None:
    """The array of a parameter at a launch, where it is a name or an attribute there."""
    argument = _argument(site, body, node.value) if isinstance(node, cst.Name) else None
    if not isinstance(argument, cst.Name | cst.Attribute) or not only_computes(site.module, argument):
        return None
    return site.module.code_of(argument)


def _argument(site: LaunchSite, body: KernelBody, name: str) -> cst.BaseExpression | None:
    """The argument that a launch gives for a parameter that keeps its value."""
    arguments = site.arguments
    if name not in body.parameters or body.module.bindings(name, body.function) or arguments is None:
        return None
    position = body.parameters.index(name)
    return arguments[position] if position < len(arguments) else None


def _named(site: LaunchSite, body: KernelBody, name: cst.Name, depth: int) -> str | None:
    """The number of a parameter, of a name that is given its value once, or of a constant of the module."""
    if name.value in body.parameters:
        argument = _argument(site, body, name.value)
        return _whole_number(site, argument) if argument is not None else None
    bound = body.module.bindings(name.value, body.function)
    if not bound:
        return _constant(site, body, name.value)
    line = bound[0]
    if len(bound) != 1 or not isinstance(line, cst.Assign) or len(line.targets) != 1:
        return None
    target = line.targets[0].target
    if isinstance(target, cst.Name):
        return size_at_launch(site, body, line.value, depth - 1)
    shape = isinstance(line.value, cst.Attribute) and line.value.attr.value == "shape"
    if not isinstance(target, cst.Tuple) or not shape:
        return None
    names = [one.value.value if isinstance(one.value, cst.Name) else "" for one in target.elements]
    if any(isinstance(one, cst.StarredElement) for one in target.elements):
        return None
    return _axis(site, body, line.value.value, names.index(name.value))  # type: ignore[attr-defined]


def _whole_number(site: LaunchSite, argument: cst.BaseExpression) -> str | None:
    """The text of an argument that computes a whole number from names, sizes and numbers."""
    module = site.module
    if any(True for _ in module.nodes_in(cst.Float, argument)) or "\n" in module.code_of(argument):
        return None
    if any(isinstance(one.operator, cst.Divide) for one in module.nodes_in(cst.BinaryOperation, argument)):
        return None
    calls = list(module.nodes_in(cst.Call, argument))
    if any(module.written(one.func) not in _HOST_CALLS for one in calls):
        return None
    allowed = cst.Name | cst.Integer | cst.Attribute | cst.BinaryOperation | cst.Subscript | cst.Call
    if not all(isinstance(one, allowed) for one in module.nodes_in(cst.BaseExpression, argument)):  # type: ignore[type-abstract]
        return None
    text = module.code_of(argument)
    return f"({text})" if isinstance(argument, cst.BinaryOperation) else text


def _constant(site: LaunchSite, body: KernelBody, name: str) -> str | None:
    """The name of a constant of the module that kernel and launch both stand in."""
    top = body.module.parent(body.function)
    if site.module is not body.module or top is not body.module.module:
        return None
    bound = body.module.bindings(name, None)
    number = bound[0].value if len(bound) == 1 and isinstance(bound[0], cst.Assign) else None
    if number is None or not isinstance(bound[0].targets[0].target, cst.Name):  # type: ignore[attr-defined]
        return None
    plain = all(
        isinstance(one, cst.Integer | cst.Name | cst.BinaryOperation)
        for one in body.module.nodes_in(cst.BaseExpression, number)  # type: ignore[type-abstract]
    )
    return name if plain and not _is_hidden(site, name) else None


def _is_hidden(site: LaunchSite, name: str) -> bool:
    """Whether a name of the module stands for something else at a launch, or may change."""
    module = site.module
    if any(item.name.value == name for one in module.nodes(cst.Global) for item in one.names):
        return True
    above = module.parent(site.subscript)
    while above is not None:
        if isinstance(above, cst.FunctionDef):
            given = any(one.name.value == name for one in module.nodes_in(cst.Param, above.params))
            if given or module.bindings(name, above):
                return True
        above = module.parent(above)
    return False

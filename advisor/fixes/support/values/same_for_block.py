"""Expressions that have the same value in all threads of a block, and may be computed by each of them."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.kernel.kernel_body import KernelBody

_POSITIONS = ("blockIdx", "blockDim", "gridDim")
_PURE = ("abs", "float", "int", "min", "max")


def same_for_block(body: KernelBody, node: cst.BaseExpression, cuda: str, free: str = "") -> bool:
    """Whether an expression is made of parameters, constants, elements of arrays that all threads see, and
    the block's position alone. `free` is a name that may stand in it, such as a loop's counter."""
    if isinstance(node, cst.Integer | cst.Float):
        return True
    if isinstance(node, cst.Name):
        return node.value == free or _name(body, node.value, cuda)
    inner: list[cst.BaseExpression]
    if isinstance(node, cst.Attribute):
        if body.module.written(node.value) in [f"{cuda}.{one}" for one in _POSITIONS]:
            return True
        inner = [node.value] if node.attr.value in ("shape", "size") else []
    elif isinstance(node, cst.BinaryOperation):
        inner = [node.left, node.right]
    elif isinstance(node, cst.UnaryOperation):
        inner = [node.expression]
    elif isinstance(node, cst.Subscript):
        indices = [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]
        inner = [node.value, *indices] if len(indices) == len(node.slice) else []
    elif isinstance(node, cst.Call):
        function = body.module.written(node.func)
        pure = function in _PURE or function.startswith("math.")
        inner = [one.value for one in node.args] if pure else []
    else:
        inner = []
    return bool(inner) and all(same_for_block(body, one, cuda, free) for one in inner)


def _name(body: KernelBody, name: str, cuda: str) -> bool:
    bindings = body.module.bindings(name, body.function)
    if name in body.parameters or not bindings:
        return not bindings and name != cuda
    if len(bindings) != 1 or not isinstance(bindings[0], cst.Assign) or len(bindings[0].targets) != 1:
        return False
    if not isinstance(bindings[0].targets[0].target, cst.Name):
        return False
    if body.module.parent(bindings[0]) not in body.statements:
        return False
    value = bindings[0].value
    if isinstance(value, cst.Call) and body.module.written(value.func) == f"{cuda}.shared.array":
        return True
    return same_for_block(body, value, cuda)

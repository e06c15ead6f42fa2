"""Expressions that have the same value in all threads of a block, and may be computed by each of them."""

from __future__ import annotations

import ast

from advisor.fixes.support.kernel.assigned_names import indices_of, value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody

_POSITIONS = ("blockIdx", "blockDim", "gridDim")
_PURE = ("abs", "float", "int", "min", "max")


def same_for_block(body: KernelBody, node: ast.expr, cuda: str, free: str = "") -> bool:
    """Whether an expression is made of parameters, constants, elements of arrays that all threads see, and
    the block's position alone. `free` is a name that may stand in it, such as a loop's counter."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id == free or _name(body, node.id, cuda)
    inner: list[ast.expr]
    if isinstance(node, ast.Attribute):
        if body.module.code_of(node.value) in [f"{cuda}.{one}" for one in _POSITIONS]:
            return True
        inner = [node.value] if node.attr in ("shape", "size") else []
    elif isinstance(node, ast.BinOp):
        inner = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        inner = [node.operand]
    elif isinstance(node, ast.Subscript):
        indices = indices_of(node)
        inner = [node.value, *indices] if indices is not None else []
    elif isinstance(node, ast.Call):
        function = body.module.code_of(node.func)
        pure = function in _PURE or function.startswith("math.")
        inner = [*node.args, *(one.value for one in node.keywords)] if pure else []
    else:
        inner = []
    return bool(inner) and all(same_for_block(body, one, cuda, free) for one in inner)


def _name(body: KernelBody, name: str, cuda: str) -> bool:
    bindings = body.module.bindings(name, body.function)
    if name in body.parameters or not bindings:
        return not bindings and name != cuda
    value = value_of(body.module, body.function, name)
    if value is None or bindings[0] not in body.statements:
        return False
    if isinstance(value, ast.Call) and body.module.code_of(value.func) == f"{cuda}.shared.array":
        return True
    return same_for_block(body, value, cuda)

"""Whether an expression of a kernel is a positive integer whatever its arguments and its launch are."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_of

_DEPTH = 6


def is_positive(
    module: SourceModule, function: cst.FunctionDef, node: cst.BaseExpression, depth: int = _DEPTH
) -> bool:
    """Whether an expression is a positive number, a size of the launch, a name that is bound once to one of
    these, or a product of them.
    """
    if depth == 0:
        return False
    if isinstance(node, cst.Integer):
        return node.evaluated_value > 0
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        return all(is_positive(module, function, one, depth - 1) for one in (node.left, node.right))
    if isinstance(node, cst.Name):
        value = _value(module, function, node.value)
        return value is not None and is_positive(module, function, value, depth - 1)
    cuda = cuda_text(module)
    if isinstance(node, cst.Call):
        return module.written(node.func) == f"{cuda}.gridsize" and len(node.args) == 1 and _is_one(node)
    sizes = {f"{cuda}.{size}.{axis}" for size in ("blockDim", "gridDim") for axis in "xyz"}
    return isinstance(node, cst.Attribute) and module.written(node) in sizes


def _is_one(call: cst.Call) -> bool:
    """Whether a call has the argument 1: `gridsize(2)` is a tuple."""
    value = call.args[0].value
    return isinstance(value, cst.Integer) and value.evaluated_value == 1


def _value(module: SourceModule, function: cst.FunctionDef, name: str) -> cst.BaseExpression | None:
    """What a name of the function or, where the function does not bind it, of the module is bound to."""
    params = function.params
    if any(one.name.value == name for one in (*params.posonly_params, *params.params, *params.kwonly_params)):
        return None
    if module.bindings(name, function):
        return value_of(module, function, name)
    bound = module.bindings(name, None)
    if len(bound) != 1 or not isinstance(bound[0], cst.Assign) or len(bound[0].targets) != 1:
        return None
    return bound[0].value if isinstance(bound[0].targets[0].target, cst.Name) else None

"""Whether an expression of a kernel is a positive integer whatever its arguments and its launch are."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_of
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.literals import written_integer

_DEPTH = 6


def is_positive(module: SourceModule, function: ast.FunctionDef, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether an expression is a positive number, a size of the launch, a name that is bound once to one of
    these, or a product of them.
    """
    if depth == 0:
        return False
    if isinstance(node, ast.Constant):
        return (written_integer(node) or 0) > 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return all(is_positive(module, function, one, depth - 1) for one in (node.left, node.right))
    if isinstance(node, ast.Name):
        value = _value(module, function, node.id)
        return value is not None and is_positive(module, function, value, depth - 1)
    cuda = cuda_text(module)
    if isinstance(node, ast.Call):
        return module.code_of(node) == f"{cuda}.gridsize(1)"
    sizes = {f"{cuda}.{size}.{axis}" for size in ("blockDim", "gridDim") for axis in "xyz"}
    return isinstance(node, ast.Attribute) and module.code_of(node) in sizes


def _value(module: SourceModule, function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What a name of the function or, where the function does not bind it, of the module is bound to."""
    if name in parameter_names(function):
        return None
    return value_of(module, function if module.bindings(name, function) else None, name)

"""Whether an expression of a kernel is a positive integer whatever its arguments and its launch are."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import assigned_once
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode

_DEPTH = 6


def is_positive(module: SourceModule, function: FunctionNode, node: ast.expr, depth: int = _DEPTH) -> bool:
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
        value = assigned_once(module, function, node.id)
        return value is not None and is_positive(module, function, value, depth - 1)
    cuda = cuda_text(module)
    # `gridsize(2)` is a tuple.
    sizes = [f"{cuda}.{size}.{axis}" for size in ("blockDim", "gridDim") for axis in "xyz"]
    return module.code_of(node) in (f"{cuda}.gridsize(1)", *sizes)

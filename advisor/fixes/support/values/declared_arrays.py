"""Arrays in shared and local memory of which a kernel uses nothing but elements."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import indices_of, names_in
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode


@dataclass(frozen=True)
class DeclaredArray:
    """`name = cuda.shared.array(shape, …)`: the lengths in the shape, and the indices of each element used.

    `memory` is the part `cuda.shared` of the call.
    """

    line: ast.Assign
    memory: ast.Attribute
    shape: ast.expr
    lengths: list[ast.expr]
    elements: list[list[ast.expr]]


def declared_array(
    module: SourceModule, function: FunctionNode, name: str, space: str
) -> DeclaredArray | None:
    """The array that a name of a kernel stands for; None where that is none of `shared` or `local` memory,
    where it is made more than once, and where it is used as a whole or in part.
    """
    bound = module.bindings(name, function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, ast.Assign) or len(line.targets) != 1 or not isinstance(line.value, ast.Call):
        return None
    called, first = line.value.func, line.value.args[:1]
    shape = keyword_value(line.value, "shape") or next(iter(first), None)
    if not isinstance(called, ast.Attribute) or called.attr != "array" or shape is None:
        return None
    memory = called.value
    if not isinstance(memory, ast.Attribute) or cuda_attribute(module, memory) != space:
        return None
    lengths = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    uses = [one for one in names_in(module, function.body) if one.id == name and one is not line.targets[0]]
    found = [_indices(module, one) for one in uses]
    elements = [one for one in found if one is not None and len(one) == len(lengths)]
    return DeclaredArray(line, memory, shape, lengths, elements) if len(elements) == len(found) else None


def _indices(module: SourceModule, use: ast.Name) -> list[ast.expr] | None:
    above = module.parent(use)
    return indices_of(above) if isinstance(above, ast.Subscript) and above.value is use else None

"""The names of a kernel that are the thread's index over the whole grid, such as `i = cuda.grid(1)`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.affine_forms import position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Scalar, Tuple, Value
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.walked_kernel import value_at
from advisor.program.syntax.module import FunctionNode


@dataclass(frozen=True)
class GridIndex:
    """The statement that gives a name the thread's index, and the axis of the grid."""

    line: ast.Assign
    axis: str


def grid_indices(body: KernelBody) -> dict[str, GridIndex]:
    """The grid indices of a kernel that its own statements bind, by name; each name is bound once."""
    return body.module.answer(_grid_indices, body.function)


def _grid_indices(module: SourceModule, function: FunctionNode) -> dict[str, GridIndex]:
    body = KernelBody(module, function)
    found: dict[str, GridIndex] = {}
    for line in body.statements:
        # Another name for an index asks for no place.
        if not isinstance(line, ast.Assign) or len(line.targets) != 1 or isinstance(line.value, ast.Name):
            continue
        for name, value in _given(line.targets[0], value_at(module, function, line.value)):
            axis = next((axis for axis in "xyz" if position_along(axis) == value.form), None)
            once = len(module.bindings(name, function)) == 1 and name not in body.parameters
            if axis is not None and once:
                found[name] = GridIndex(line, axis)
    return found


def _given(target: ast.expr, value: Value | None) -> list[tuple[str, Scalar]]:
    """The names that an assignment gives numbers, with what each gets."""
    if isinstance(target, ast.Tuple) and isinstance(value, Tuple) and len(target.elts) == len(value.items):
        pairs = zip(target.elts, value.items, strict=True)
        return [found for inner, item in pairs for found in _given(inner, item)]
    return [(target.id, value)] if isinstance(target, ast.Name) and isinstance(value, Scalar) else []

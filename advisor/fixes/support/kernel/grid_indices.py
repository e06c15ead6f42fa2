"""The names of a kernel that are the thread's index over the whole grid, such as `i = cuda.grid(1)`."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import grid_call, thread_index
from advisor.program.syntax.module import FunctionNode

_DEEPEST = 4


def grid_indices(body: KernelBody) -> dict[str, ast.stmt]:
    """The top-level statements of a kernel that bind its grid indices, by name.

    Each name is bound once; its value is `cuda.grid(n)` or `threadIdx + blockIdx * blockDim` of one axis.
    """
    return body.module.answer(_grid_indices, body.function)


def _grid_indices(module: SourceModule, function: FunctionNode) -> dict[str, ast.stmt]:
    body = KernelBody(module, function)
    found: dict[str, ast.stmt] = {}
    for line in body.statements:
        for name in _bound(body, line):
            if len(body.module.bindings(name, body.function)) == 1 and name not in body.parameters:
                found[name] = line
    return found


def _bound(body: KernelBody, line: ast.stmt) -> list[str]:
    if not isinstance(line, ast.Assign) or len(line.targets) != 1:
        return []
    target = line.targets[0]
    if isinstance(target, ast.Name):
        return [target.id] if is_grid_index(body, line.value) else []
    if not isinstance(target, ast.Tuple):
        return []
    names = [one.id for one in target.elts if isinstance(one, ast.Name)]
    dimensions = grid_call(body.module, line.value)
    return names if dimensions == len(names) == len(target.elts) else []


def is_grid_index(body: KernelBody, value: ast.expr) -> bool:
    """Whether an expression is the thread's index along one axis of the grid."""
    if grid_call(body.module, value) == 1:
        return True
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return False
    sides = [value.left, value.right]
    for thread, first in (sides, sides[::-1]):
        if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult):
            parts = [_index(body, one) for one in (thread, first.left, first.right)]
            names = {part[0] for part in parts if part}
            axes = {part[1] for part in parts if part}
            if None not in parts and names == {"threadIdx", "blockIdx", "blockDim"} and len(axes) == 1:
                return (_index(body, thread) or ("", ""))[0] == "threadIdx"
    return False


def _index(body: KernelBody, value: ast.expr, depth: int = 0) -> tuple[str, str] | None:
    """The index that an expression is, also by a name that is bound once at the top of the kernel."""
    if isinstance(value, ast.Name) and depth < _DEEPEST:
        bound = value_of(body.module, body.function, value.id) if value.id not in body.parameters else None
        return _index(body, bound, depth + 1) if bound is not None else None
    return thread_index(body.module, value)

"""The names of a kernel that are the thread's index over the whole grid, such as `i = cuda.grid(1)`."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import grid_call, thread_index

_DEEPEST = 4


def grid_indices(body: KernelBody) -> dict[str, cst.BaseStatement]:
    """The top-level statements of a kernel that bind its grid indices, by name.

    Each name is bound once; its value is `cuda.grid(n)` or `threadIdx + blockIdx * blockDim` of one axis.
    """
    return body.module.answer(_grid_indices, body.function)


def _grid_indices(module: SourceModule, function: cst.FunctionDef) -> dict[str, cst.BaseStatement]:
    body = KernelBody(module, function)
    found: dict[str, cst.BaseStatement] = {}
    for line in body.statements:
        if not isinstance(line, cst.SimpleStatementLine):
            continue
        for part in line.body:
            for name in _bound(body, part):
                if len(body.module.bindings(name, body.function)) == 1 and name not in body.parameters:
                    found[name] = line
    return found


def _bound(body: KernelBody, part: cst.BaseSmallStatement) -> list[str]:
    if not isinstance(part, cst.Assign) or len(part.targets) != 1:
        return []
    target = part.targets[0].target
    if isinstance(target, cst.Name):
        return [target.value] if is_grid_index(body, part.value) else []
    if not isinstance(target, cst.Tuple):
        return []
    names = [one.value.value for one in target.elements if isinstance(one.value, cst.Name)]
    dimensions = grid_call(body.module, part.value)
    return names if dimensions == len(names) == len(target.elements) else []


def is_grid_index(body: KernelBody, value: cst.BaseExpression) -> bool:
    """Whether an expression is the thread's index along one axis of the grid."""
    if grid_call(body.module, value) == 1:
        return True
    if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add):
        return False
    sides = [value.left, value.right]
    for thread, first in (sides, sides[::-1]):
        if isinstance(first, cst.BinaryOperation) and isinstance(first.operator, cst.Multiply):
            parts = [_index(body, one) for one in (thread, first.left, first.right)]
            names = {part[0] for part in parts if part}
            axes = {part[1] for part in parts if part}
            if None not in parts and names == {"threadIdx", "blockIdx", "blockDim"} and len(axes) == 1:
                return (_index(body, thread) or ("", ""))[0] == "threadIdx"
    return False


def _index(body: KernelBody, value: cst.BaseExpression, depth: int = 0) -> tuple[str, str] | None:
    """The index that an expression is, also by a name that is bound once at the top of the kernel."""
    if isinstance(value, cst.Name) and depth < _DEEPEST:
        bound = body.module.bindings(value.value, body.function)
        if len(bound) == 1 and isinstance(bound[0], cst.Assign) and value.value not in body.parameters:
            target = bound[0].targets[0].target
            plain = len(bound[0].targets) == 1 and isinstance(target, cst.Name)
            return _index(body, bound[0].value, depth + 1) if plain else None
    return thread_index(body.module, value)

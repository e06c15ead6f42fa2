"""Two launches one behind the other, where the second only reads what the first wrote at the same place."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.program.kernels.declarations import Declaration, cuda_member
from advisor.program.launches.launches import Launch
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_QUESTIONS = frozenset({"shape", "size", "ndim", "dtype"})
_Axes = tuple[int, ...]


@dataclass(frozen=True)
class LaunchPair:
    """The second of two launches; `array` is written by the first kernel and read by the second.

    `same_place` is whether each thread touches only its own element of it in both kernels, `same_grid`
    whether both launches have the same grid, block and stream.
    """

    second: Launch
    first: Launch
    array: str
    same_place: bool
    same_grid: bool


def find_launch_pairs(
    module: ModuleSyntax, launches: Sequence[Launch], workspace: Workspace
) -> list[LaunchPair]:
    """The pairs of launches in neighbouring statements that share an array."""
    by_statement: dict[ast.AST, Launch] = {
        parent: launch
        for launch in launches
        if isinstance(parent := module.parents.get(launch.node), ast.Expr)
    }
    found = []
    for statement, second in by_statement.items():
        before = _before(statement, module)
        first = by_statement.get(before) if before is not None else None
        if first is None or first.kernel is None or second.kernel is None:
            continue
        if first.node.keywords or second.node.keywords or first.kernel is second.kernel:
            continue
        pair = _pair(first, first.kernel, second, second.kernel, workspace)
        if pair is not None:
            found.append(pair)
    return found


def _before(statement: ast.AST, module: ModuleSyntax) -> ast.AST | None:
    """The statement before another one of its block; none at the top of a module."""
    parent = module.parents.get(statement)
    if isinstance(parent, ast.Module):
        return None
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, [])
        if isinstance(block, list) and statement in block:
            at = block.index(statement)
            return block[at - 1] if at else None
    return None


def _pair(
    first: Launch, producer: Declaration, second: Launch, consumer: Declaration, workspace: Workspace
) -> LaunchPair | None:
    for number, argument in enumerate(first.node.args):
        if not isinstance(argument, ast.Name) or number >= len(producer.parameters):
            continue
        places = [
            at
            for at, one in enumerate(second.node.args)
            if isinstance(one, ast.Name) and one.id == argument.id
        ]
        if len(places) != 1 or places[0] >= len(consumer.parameters):
            continue
        wrote = own_axes(producer, producer.parameters[number], workspace)
        read = own_axes(consumer, consumer.parameters[places[0]], workspace)
        if not _stores(producer, producer.parameters[number]):
            continue
        if not _loads(consumer, consumer.parameters[places[0]]):
            continue
        same = wrote is not None and wrote == read and _others_apart(first, second, argument.id, workspace)
        return LaunchPair(second, first, argument.id, same, _configuration(first) == _configuration(second))
    return None


def _others_apart(first: Launch, second: Launch, array: str, workspace: Workspace) -> bool:
    """Whether every other array of both launches is one that the first does not write, or of own elements."""
    assert first.kernel is not None and second.kernel is not None
    for number, argument in enumerate(first.node.args[: len(first.kernel.parameters)]):
        if not isinstance(argument, ast.Name) or argument.id == array:
            continue
        for at, other in enumerate(second.node.args[: len(second.kernel.parameters)]):
            if not (isinstance(other, ast.Name) and other.id == argument.id):
                continue
            here, there = first.kernel.parameters[number], second.kernel.parameters[at]
            if not _stores(first.kernel, here) and not _stores(second.kernel, there):
                continue
            one, two = own_axes(first.kernel, here, workspace), own_axes(second.kernel, there, workspace)
            if one is None or one != two:
                return False
    return True


def _configuration(launch: Launch) -> str:
    return ast.dump(launch.node.func.slice) if isinstance(launch.node.func, ast.Subscript) else ""


def own_axes(kernel: Declaration, parameter: str, workspace: Workspace) -> _Axes | None:
    """The grid axes by which each thread indexes an array, where it touches nothing but its own element.

    None where the array is used in any other way, or in more than one order.
    """
    axes = _thread_axes(kernel, workspace)
    found: set[_Axes | None] = set()
    for node in below(kernel.node):
        if not (isinstance(node, ast.Name) and node.id == parameter):
            continue
        use = kernel.module.parents.get(node)
        if isinstance(use, ast.Attribute) and use.attr in _QUESTIONS:
            continue
        if isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == "len":
            continue
        if not isinstance(use, ast.Subscript) or use.value is not node:
            return None
        parts = use.slice.elts if isinstance(use.slice, ast.Tuple) else [use.slice]
        names = [axes.get(one.id) if isinstance(one, ast.Name) else None for one in parts]
        found.add(None if None in names else tuple(one for one in names if one is not None))
    return next(iter(found)) if len(found) == 1 else None


def _thread_axes(kernel: Declaration, workspace: Workspace) -> dict[str, int]:
    """The names that hold the thread's own number in the grid, each bound once, and its axis."""
    module = kernel.module
    found: dict[str, int] = {}
    stored = [
        one.id for one in below(kernel.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    for node in module.inside(kernel.node, ast.Assign):
        target, value = node.targets[0], node.value
        if isinstance(value, ast.Call) and _member(value.func, module, workspace) == "grid":
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            found |= {one.id: axis for axis, one in enumerate(targets) if isinstance(one, ast.Name)}
        elif isinstance(target, ast.Name) and (axis := _sum_axis(value, module, workspace)) is not None:
            found[target.id] = axis
    for loop in module.inside(kernel.node, ast.For):
        axis = _stride_axis(loop, found, module, workspace)
        if axis is not None and isinstance(loop.target, ast.Name):
            found[loop.target.id] = axis
    return {name: axis for name, axis in found.items() if stored.count(name) == 1}


def _stride_axis(
    loop: ast.For, found: dict[str, int], module: ModuleSyntax, workspace: Workspace
) -> int | None:
    """The axis of a grid-stride loop, `range(cuda.grid(1), n, cuda.gridsize(1))`."""
    if not isinstance(loop.iter, ast.Call) or len(loop.iter.args) != 3:
        return None
    start, _, step = loop.iter.args
    begins = isinstance(start, ast.Call) and _member(start.func, module, workspace) == "grid"
    named = isinstance(start, ast.Name) and start.id in found
    strides = isinstance(step, ast.Call) and _member(step.func, module, workspace) == "gridsize"
    if not strides or not (begins or named):
        return None
    return found[start.id] if isinstance(start, ast.Name) else 0


def _sum_axis(value: ast.expr, module: ModuleSyntax, workspace: Workspace) -> int | None:
    """The axis of `threadIdx.x + blockIdx.x * blockDim.x`, in any order."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    product = value.left if isinstance(value.left, ast.BinOp) else value.right
    single = value.right if product is value.left else value.left
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return None
    parts = [_member(one, module, workspace) for one in (single, product.left, product.right)]
    for axis, letter in enumerate("xyz"):
        if parts[0] == f"threadIdx.{letter}" and set(parts[1:]) == {
            f"blockIdx.{letter}",
            f"blockDim.{letter}",
        }:
            return axis
    return None


def _member(node: ast.expr, module: ModuleSyntax, workspace: Workspace) -> str | None:
    dotted = module.dotted(node)
    return cuda_member(workspace.library_name(dotted, module)) if dotted else None


def _stores(kernel: Declaration, parameter: str) -> bool:
    return any(isinstance(one.ctx, ast.Store) for one in _items(kernel, parameter))


def _loads(kernel: Declaration, parameter: str) -> bool:
    return any(isinstance(one.ctx, ast.Load) for one in _items(kernel, parameter))


def _items(kernel: Declaration, parameter: str) -> list[ast.Subscript]:
    return [
        one
        for one in kernel.module.inside(kernel.node, ast.Subscript)
        if isinstance(one.value, ast.Name) and one.value.id == parameter
    ]

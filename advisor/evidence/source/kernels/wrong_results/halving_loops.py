"""Reductions that halve the number of threads in each step, which is whole for powers of two alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import LoopUse
from advisor.model.compilation_unit import StatedLaunch
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below, below_in_scope

_AXES = "xyz"


def odd_extent(loop: LoopUse, launches: Sequence[StatedLaunch]) -> tuple[str, int] | None:
    """From what a loop halves on, a number of the source or an axis of the block, and the first such number
    that is no power of two; None for any other loop.
    """
    node, module = loop.place.node, loop.place.module
    function = module.function_around(node)
    name = _halved(node) if isinstance(node, ast.While) else None
    if (
        not isinstance(node, ast.While)
        or name is None
        or function is None
        or not _adds_the_upper_half(node, name)
    ):
        return None
    starts = [one for one in _bound_before(name, node, function) if one is not None]
    if len(starts) != 1 or (whole := _doubled(starts[0])) is None:
        return None
    value = _number(whole, module)
    axis = cuda_member(module.dotted(whole) or "")
    if axis and axis.startswith("blockDim."):
        sizes = [_size(one, axis[-1]) for one in launches]
        odd = next((size for size in sizes if size and not _is_power_of_two(size)), None)
        return None if odd is None else (f"blockDim.{axis[-1]}", odd)
    if value is None or _is_power_of_two(value):
        return None
    return ast.unparse(whole), value


def _number(node: ast.expr, module: ModuleSyntax) -> int | None:
    """A whole number above 0 that is written, or that a name of the module has and nothing else gives it."""
    if isinstance(node, ast.Name) and node.id not in module.rebound:
        values = module.assigned.get(node.id, [])
        node = values[0] if len(values) == 1 else node
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and value > 0 else None


def _is_power_of_two(value: int) -> bool:
    return value & (value - 1) == 0


def _size(launch: StatedLaunch, axis: str) -> int | None:
    block = launch.block or ()
    number = _AXES.index(axis)
    return block[number] if number < len(block) else None


def _halved(loop: ast.While) -> str | None:
    """The name that the condition of a loop asks for, and that each iteration halves, rounded down."""
    asked = {one.id for one in below(loop.test) if isinstance(one, ast.Name)}
    return next((name for name in map(_halved_by, loop.body) if name in asked), None)


def _halved_by(statement: ast.stmt) -> str | None:
    """The name that a statement halves."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id if _by_half(statement.op, statement.value) else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    half, name = _doubled(statement.value), statement.targets[0].id
    return name if half is not None and _names(half, name) else None


def _by_half(operator: ast.operator, value: ast.expr) -> bool:
    number = value.value if isinstance(value, ast.Constant) else None
    return (isinstance(operator, ast.FloorDiv) and number == 2) or (
        isinstance(operator, ast.RShift) and number == 1
    )


def _doubled(node: ast.expr) -> ast.expr | None:
    """What an expression is half of, rounded down."""
    whole = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int"
    if whole and isinstance(node, ast.Call) and len(node.args) == 1:
        inner = node.args[0]
        if not isinstance(inner, ast.BinOp) or not isinstance(inner.op, ast.Div):
            return None
        return inner.left if _by_half(ast.FloorDiv(), inner.right) else None
    if isinstance(node, ast.BinOp) and _by_half(node.op, node.right):
        return node.left
    return None


def _bound_before(name: str, loop: ast.While, function: ast.AST) -> Iterator[ast.expr | None]:
    """The values that a function binds to a name outside of a loop."""
    inside = set(below(loop))
    for node in below_in_scope(function):
        if node in inside:
            continue
        if (isinstance(node, ast.Assign) and any(_names(one, name) for one in node.targets)) or (
            isinstance(node, ast.AugAssign) and _names(node.target, name)
        ):
            yield node.value


def _names(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _adds_the_upper_half(loop: ast.While, name: str) -> bool:
    """Whether threads below a name combine their element with the one that lies so much further, and nothing
    asks whether there is such an element.
    """
    for node in below(loop):
        if not isinstance(node, ast.If) or node.orelse or not _asks_only_below(node.test, name):
            continue
        sums = [one.slice for one in below(node) if isinstance(one, ast.Subscript)]
        if any(_adds(part, name) for one in sums for part in below(one)):
            return True
    return False


def _asks_only_below(test: ast.expr, name: str) -> bool:
    """Whether a condition is `place < name`."""
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Lt)
        and isinstance(test.left, ast.Name)
        and _names(test.comparators[0], name)
    )


def _adds(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add)
        and (_names(node.left, name) or _names(node.right, name))
    )

"""Whether a grid size is rounded up to whole blocks, so that its last threads stand past the data, and
whether the data is made as large as the grid.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence
from functools import lru_cache

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.tree_nodes import below
from advisor.program.syntax.written_code import as_written
from advisor.program.values.constants import Constants

_CEILING_CALLS = frozenset({"ceil", "cdiv", "ceildiv", "ceil_div", "div_up", "divup", "div_ceil", "round_up"})
_DEPTH = 4


def rounds_up(node: ast.expr, scope: HostScope) -> bool:
    """Whether the expression, or what its names and functions stand for, divides and rounds up; not where the
    source tells that the division leaves no remainder, as one by a block of a single thread.
    """
    constants = Constants(scope.workspace, scope.module, scope.function)
    return any(_remainder(one, constants) != 0 for one in _roundings(node, scope))


def rounded_axes(node: ast.expr, scope: HostScope) -> frozenset[str]:
    """The axes of a grid, of `xyz`, along which `rounds_up` holds for its size: all of them where the sizes
    of the axes are not written one by one.
    """
    sizes = _sizes_by_axis(node, scope)
    if sizes is None:
        return frozenset("xyz") if rounds_up(node, scope) else frozenset()
    return frozenset(axis for axis, size in zip("xyz", sizes, strict=False) if rounds_up(size, scope))


def _sizes_by_axis(node: ast.expr, scope: HostScope) -> list[ast.expr] | None:
    """What is written for each axis of a grid, where it is written once."""
    for _ in range(_DEPTH):
        if isinstance(node, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in node.elts):
            return node.elts
        values = values_at(scope.module, node) if isinstance(node, ast.Name) else []
        if len(values) != 1 or values[0] is None:
            return None
        node = values[0]
    return None


def divides_up(node: ast.expr, scope: HostScope) -> bool:
    """Whether the expression, or what its names and functions stand for, is a size in whole blocks."""
    return bool(_roundings(node, scope))


def shares_out(block: ast.expr, grid: ast.expr, scope: HostScope) -> bool:
    """Whether a block is what each block of the grid gets of a size, as `n / blocks` is in
    `kernel[blocks, n / blocks]`: it grows with the data, and is any number.
    """
    blocks, sizes = _sizes_by_axis(grid, scope) or [grid], _sizes_by_axis(block, scope) or [block]
    return any(_divided_by(one, scope) == _written(by, scope) for one, by in zip(sizes, blocks, strict=False))


def _divided_by(node: ast.expr, scope: HostScope) -> Hashable | None:
    """What a size is divided by, rounding up or down, where an expression is such a quotient."""
    node = _meaning(node, scope)
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[inner]) | ast.UnaryOp(op=ast.USub(), operand=inner):
            return _divided_by(inner, scope)
        case ast.Call(args=[inner]) if called_name(node) in ("ceil", "floor"):
            return _divided_by(inner, scope)
        case ast.Call(args=[_, divisor]) if _calls_ceiling(node, scope):
            return _written(divisor, scope)
        case ast.BinOp(left=inner, op=ast.Add(), right=ast.Constant(value=1)):
            return _divided_by(inner, scope)
        case ast.BinOp(op=ast.FloorDiv() | ast.Div(), right=divisor):
            return _written(divisor, scope)
    return None


def _written(node: ast.expr, scope: HostScope) -> Hashable:
    """The number that an expression is, else how it is written."""
    number = Constants(scope.workspace, scope.module, scope.function).value(node)
    return number if type(number) is int else as_written(_meaning(node, scope))


def _meaning(node: ast.expr, scope: HostScope) -> ast.expr:
    """What a name that is bound once stands for, else the expression itself."""
    for _ in range(_DEPTH):
        values = values_at(scope.module, node) if isinstance(node, ast.Name) else []
        if len(values) != 1 or values[0] is None:
            return node
        node = values[0]
    return node


def makes_data_for(grid: ast.expr, block: ast.expr, arguments: Sequence[ast.expr], scope: HostScope) -> bool:
    """Whether the size of an argument is the product of a launch's blocks and threads, as where each thread
    has the state of a generator.
    """
    sizes = {as_written(grid), as_written(block)}
    asked, names = list(arguments), set[str]()
    for _ in range(_DEPTH):
        inside = [inner for one in asked for inner in below(one)]
        if any(_multiplies(inner, sizes) for inner in inside):
            return True
        new = [one for one in inside if isinstance(one, ast.Name) and one.id not in names]
        names |= {one.id for one in new}
        asked = [value for one in new for value in values_at(scope.module, one) if value is not None]
    return False


def refuses_remainders(scope: HostScope) -> bool:
    """Whether the code around a launch, or another method of its class, asserts that a division leaves no
    rest, or raises where it does.
    """
    around = scope.function or scope.module.tree
    owner = scope.module.parents.get(around)
    return _refuses_inside(owner if isinstance(owner, ast.ClassDef) else around)


@lru_cache(64)
def _refuses_inside(around: ast.AST) -> bool:
    # Asked for each launch of a function: kept, so that the cost does not grow with their square.
    for node in below(around):
        refused = isinstance(node, ast.Assert) or (
            isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body)
        )
        if refused and isinstance(node, ast.Assert | ast.If) and any(map(_is_remainder, below(node.test))):
            return True
    return False


def _is_remainder(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _multiplies(node: ast.AST, factors: set[Hashable]) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and {as_written(node.left), as_written(node.right)} == factors
    )


def _roundings(node: ast.expr, scope: HostScope) -> list[ast.expr]:
    """The divisions that round up in the expression, or in what its names stand for: sizes in such a division
    are not asked in turn.
    """
    asked, names, found = [node], set[str](), list[ast.expr]()
    for _ in range(_DEPTH):
        inside = [inner for one in asked for inner in below(one)]
        rounding = [inner for inner in inside if isinstance(inner, ast.expr) and _rounds(inner, scope)]
        sizes = {id(inner) for one in rounding for inner in below(one)}
        new = [one for one in inside if isinstance(one, ast.Name) and not {id(one), one.id} & (sizes | names)]
        names |= {one.id for one in new}
        found += rounding
        asked = [value for one in new for value in values_at(scope.module, one) if value is not None]
    return found


def _remainder(node: ast.expr, constants: Constants) -> object:
    """What the division of a rounding leaves, 0 for certain only; None where the source does not tell."""
    if isinstance(node, ast.Call):
        return _remainder_of_call(node, constants)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
        return None
    one_less = not isinstance(node.left, ast.UnaryOp)
    return _left_over(node.left, node.right, constants, int(one_less))


def _remainder_of_call(call: ast.Call, constants: Constants) -> object:
    """That of `ceil(n / t)`, or of `cdiv(n, t)`; `ceil(n // t)` was rounded down before."""
    if called_name(call) == "ceil" and len(call.args) == 1:
        quotient = call.args[0]
        if isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.FloorDiv):
            return None if _is_ceiling(quotient) else 0
        value = constants.value(quotient)
        if isinstance(value, int | float):
            return value % 1
        if isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div):
            return _left_over(quotient.left, quotient.right, constants, 0)
    if called_name(call) in _CEILING_CALLS and len(call.args) == 2:
        return _left_over(call.args[0], call.args[1], constants, 0)
    return None


def _left_over(whole: ast.expr, part: ast.expr, constants: Constants, less: int) -> object:
    """What is left of `whole` in parts; with `less` 1, `whole` is by one smaller than a part too large."""
    size, number = constants.value(part), constants.value(whole)
    if size == 1 and type(size) is int:
        return 0
    if type(size) is not int or type(number) is not int or size <= 0:
        return None
    return (number - less * (size - 1)) % size


def _rounds(node: ast.AST, scope: HostScope) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_ceiling(node)
    return isinstance(node, ast.Call) and _calls_ceiling(node, scope)


def _is_ceiling(node: ast.BinOp) -> bool:
    """`(n + t - 1) // t`, `n // t + 1`, and `-n // t` as a part of `-(-n // t)`."""
    left, right = node.left, node.right
    if isinstance(node.op, ast.FloorDiv):
        return isinstance(left, ast.UnaryOp) or any(
            isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add) for inner in below(left)
        )
    one = isinstance(right, ast.Constant) and right.value == 1
    return isinstance(node.op, ast.Add) and one and _divides(left)


def _divides(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv) for inner in below(node))


def _calls_ceiling(call: ast.Call, scope: HostScope) -> bool:
    dotted = scope.module.dotted(call.func)
    name = dotted.rpartition(".")[2] if dotted else ""
    if name in _CEILING_CALLS:
        return True
    place = scope.workspace.member(dotted, scope.module) if dotted else None
    function = place[0].top_level.get(place[1]) if place else None
    return isinstance(function, ast.FunctionDef) and any(
        (isinstance(inner, ast.BinOp) and _is_ceiling(inner))
        or (isinstance(inner, ast.Call) and called_name(inner) in _CEILING_CALLS)
        for inner in below(function)
    )

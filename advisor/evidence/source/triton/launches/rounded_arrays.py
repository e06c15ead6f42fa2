"""Arrays of a host whose lengths are rounded up to whole blocks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.triton.launches.launches import TritonLaunch
from advisor.program.arrays.host_arrays import HostScope

_STEPS = 4
_ROUNDED = ("ceil", "round", "padded", "aligned")
_QUOTIENTS = ("cdiv", "ceil_div", "ceildiv")


def rounded_arrays(launch: TritonLaunch) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that get arrays of rounded lengths, with what the launch gives to them."""
    for name, node in launch.given.items():
        if isinstance(node, ast.Name) and name not in launch.kernel.constants():
            for made in HostScope.bound(launch.module, launch.function, node.id):
                sizes = made.args if isinstance(made, ast.Call) else []
                if any(_is_rounded(one, launch, _STEPS) for one in sizes):
                    yield name, node
                    break


def _is_rounded(node: ast.expr, launch: TritonLaunch, steps: int) -> bool:
    """Whether a size, or one of several, is a quotient rounded up times its divisor."""
    if isinstance(node, ast.Starred):
        return _is_rounded(node.value, launch, steps)
    if isinstance(node, ast.Tuple | ast.List):
        return any(_is_rounded(one, launch, steps) for one in node.elts)
    if isinstance(node, ast.Name):
        if any(word in node.id.lower() for word in _ROUNDED):
            return True
        values = HostScope.bound(launch.module, launch.function, node.id) if steps else []
        return any(_is_rounded(one, launch, steps - 1) for one in values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _multiplies(node.left, node.right, launch, steps) or _multiplies(
            node.right, node.left, launch, steps
        )
    return False


def _multiplies(quotient: ast.expr, divisor: ast.expr, launch: TritonLaunch, steps: int) -> bool:
    if isinstance(quotient, ast.Name) and steps:
        values = HostScope.bound(launch.module, launch.function, quotient.id)
        return any(_multiplies(one, divisor, launch, steps - 1) for one in values)
    by: ast.expr | None = None
    if isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.FloorDiv):
        by = quotient.right
    elif (
        isinstance(quotient, ast.Call)
        and len(quotient.args) == 2
        and ast.unparse(quotient.func).rpartition(".")[2] in _QUOTIENTS
    ):
        by = quotient.args[1]
    return by is not None and ast.unparse(by) == ast.unparse(divisor)

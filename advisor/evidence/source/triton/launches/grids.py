"""Whether the grid of a launch leaves out a remainder of the data, or has a last block that is not full."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator

from advisor.evidence.source.triton.launches.launches import LaunchValues, TritonLaunch
from advisor.evidence.source.triton.launches.tuning_records import extent_parameters
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.kernels.declarations import names_checked

_MADE = frozenset({"zeros", "ones", "empty", "full", "rand", "randn", "arange", "randint", "tensor"})


def rounds_down(launch: TritonLaunch, notes: KernelNotes, values: LaunchValues) -> bool | None:
    """Whether a size of the grid is a size of the data over the block's, without its remainder.

    None where the grid cannot be seen, or the host code looks at a remainder: in the function that launches,
    or in one of the file that calls it.
    """
    if not launch.grid:
        return None
    quotients = [one for one in launch.grid if isinstance(one, ast.BinOp) and _divides(one)]
    names = extent_parameters(notes)
    blocks = [one for one in quotients if _is_block(one.right, launch, names)]
    if not blocks or not any(one.has_mask for one in notes.accesses):
        return False
    if _remainder(((one.left, one.right) for one in blocks), launch, values) is False:
        return False
    scope: ast.AST = launch.function or launch.module.tree
    rounded = any(isinstance(one, ast.Call) and ast.unparse(one.func).endswith(("cdiv", "next_power_of_2"))
                  for one in ast.walk(scope))  # fmt: skip
    return None if rounded or _looks_at_remainder(scope, launch) else True


def _looks_at_remainder(scope: ast.AST, launch: TritonLaunch) -> bool:
    if any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in ast.walk(scope)):
        return True
    if launch.function is None:
        return False
    module = launch.module
    checked = module.elsewhere.checked.union(*(names_checked(one) for one in module.functions))
    return launch.function.name in checked


def _divides(node: ast.BinOp) -> bool:
    """Whether an expression is a size over another, to which nothing was added before."""
    sums = any(isinstance(one, ast.Add | ast.Sub) for one in ast.walk(node.left))
    return isinstance(node.op, ast.FloorDiv) and not sums and not isinstance(node.left, ast.Constant)


def _is_block(node: ast.expr, launch: TritonLaunch, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value in names
    text = ast.unparse(node)
    return any(name in names and ast.unparse(value) == text for name, value in launch.given.items())


def rounds_up(launch: TritonLaunch, reader: TritonReader, values: LaunchValues) -> bool | None:
    """Whether a size of the grid is rounded up by `triton.cdiv` and nobody asserts that it need not be."""
    if not launch.grid:
        return None
    if not list(_quotients(launch, reader)) or grid_remainder(launch, reader, values) is False:
        return False
    return None if _looks_at_remainder(launch.function or launch.module.tree, launch) else True


def grid_remainder(launch: TritonLaunch, reader: TritonReader, values: LaunchValues) -> bool | None:
    """Whether rounding up leaves a last block that is not full; None where a size is not known."""
    return _remainder(_quotients(launch, reader), launch, values)


def _quotients(launch: TritonLaunch, reader: TritonReader) -> Iterator[tuple[ast.expr, ast.expr]]:
    names = reader.names(launch.module)
    for size in launch.grid:
        for one in ast.walk(size):
            if isinstance(one, ast.Call) and names.called(one) == "triton.cdiv" and len(one.args) == 2:
                yield one.args[0], one.args[1]


def _remainder(
    quotients: Iterable[tuple[ast.expr, ast.expr]], launch: TritonLaunch, values: LaunchValues
) -> bool | None:
    """Whether one of the quotients has a remainder for certain, None where that is not known."""
    found: list[bool | None] = []
    for size, block in quotients:
        sizes, blocks = _sizes(size, launch, values), _sizes(block, launch, values)
        pairs = [whole % part != 0 for whole in sizes for part in blocks if part > 0]
        found.append(None if not pairs else True if all(pairs) else any(pairs) or False)
    if any(found):
        return True
    return None if None in found or not found else False


def _sizes(node: ast.expr, launch: TritonLaunch, values: LaunchValues) -> frozenset[int]:
    """The numbers that an expression of a grid may be, empty where they are not known."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return values.sizes(str(node.slice.value))
    if isinstance(node, ast.Name):
        bound = HostScope.bound(launch.module, launch.function, node.id)
        if len(bound) == 1 and isinstance(bound[0], ast.Call):
            node = bound[0]
    number = _elements(node, launch, values) if isinstance(node, ast.Call) else None
    number = values.number(node) if number is None else number
    return frozenset() if number is None else frozenset({number})


def _elements(call: ast.Call, launch: TritonLaunch, values: LaunchValues) -> int | None:
    """The elements of an array of which the host asks with `numel()`, made with sizes that are known."""
    array = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "numel" else None
    if not isinstance(array, ast.Name):
        return None
    for scope in (s for s in launch.module.scopes(call) if isinstance(s, ast.FunctionDef)):
        bound = HostScope.bound(launch.module, scope, array.id)
        if len(bound) == 1 and isinstance(bound[0], ast.Call):
            made = bound[0]
            if not isinstance(made.func, ast.Attribute) or made.func.attr not in _MADE or not made.args:
                return None
            first = made.args[0]
            given = first.elts if isinstance(first, ast.Tuple | ast.List) else made.args
            sizes = [values.number(one) for one in given]
            known = [one for one in sizes if one is not None]
            return math.prod(known) if len(known) == len(sizes) else None
    return None

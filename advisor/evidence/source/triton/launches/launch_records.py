"""Records of launches of Triton kernels: the sizes that they give, and remainders that their grids leave."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator

from advisor.evidence.source.triton.launches.launches import LaunchValues, TritonLaunch
from advisor.evidence.source.triton.launches.tuning_records import dot_parameters, extent_parameters
from advisor.evidence.source.triton.record_making import is_power_of_two, record_at
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.records import Record, Value
from advisor.program.kernels.declarations import names_checked
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.calls import called_name

_LANES = 32
_WARPS = 4
_STEPS = 4
_ROUNDED = ("ceil", "round", "padded", "aligned")
_QUOTIENTS = ("cdiv", "ceil_div", "ceildiv")
_MADE = frozenset({"zeros", "ones", "empty", "full", "rand", "randn", "arange", "randint", "tensor"})


def launch_records(launch: TritonLaunch, reader: TritonReader) -> Iterator[Record]:
    """The record of a launch and those of the sizes that it gives to blocks."""
    notes = reader.notes(launch.kernel)
    values = LaunchValues(launch, reader)
    yield record_at(
        launch.module, "triton_launch", launch.node.func, launch.kernel.name, launch.kernel.key,
        _values(launch, notes, values, reader),
    )  # fmt: skip
    for name, node in rounded_arrays(launch):
        yield record_at(launch.module, "triton_argument", node, name, launch.kernel.key, {"rounded": True})
    extents, dots = extent_parameters(notes), dot_parameters(notes)
    for name, node in launch.given.items():
        size = values.number(node) if name in extents | dots else None
        if size is None:
            continue
        known: dict[str, Value | None] = {
            "parameter": name,
            "elements": size,
            "power_of_two": is_power_of_two(size),
            "run_time": False,
            "given_at": "launch",
            "of_product": name in dots,
        }
        yield record_at(launch.module, "triton_size", node, name, launch.kernel.key, known)


def _values(
    launch: TritonLaunch, notes: KernelNotes, values: LaunchValues, reader: TritonReader
) -> dict[str, Value | None]:
    kernel, context = launch.kernel, launch.context
    elements = _block_elements(notes, values)
    warps = values.option("num_warps")
    chosen = values.chooses("num_warps")
    if warps is None and chosen is False:
        warps = _WARPS
    tuned = kernel.tuning.parameters if kernel.tuning is not None else frozenset()
    given = sorted(tuned & launch.given.keys()) + [one for one in ("num_warps", "num_stages")
        if kernel.tuning is not None and one in launch.options
        and any(one in c.options for c in kernel.tuning.configurations)]  # fmt: skip
    written = [one for one in extents_given(launch, notes) if values.number(launch.given[one]) is not None]
    return {
        "chooses_warps": chosen,
        "warps": warps,
        "block_elements": elements,
        "elements_per_thread": elements / (warps * _LANES) if elements and warps else None,
        "product_elements": _product_elements(notes, values),
        "fixed_sizes": len(written) if not launch.open else None,
        "given_twice": given[0] if given else None,
        "gives_twice": bool(given),
        "single_program": _single(launch, values),
        "rounds_down": rounds_down(launch, notes, values),
        "rounds_up": rounds_up(launch, reader, values),
        "sizes_known": grid_remainder(launch, reader, values) is not None,
        "in_test_or_benchmark": bool(context and context.timed),
    }


def _single(launch: TritonLaunch, values: LaunchValues) -> bool | None:
    """Whether the grid is one program, None where it cannot be seen."""
    return all(values.number(one) == 1 for one in launch.grid) if launch.grid else None


def extents_given(launch: TritonLaunch, notes: KernelNotes) -> list[str]:
    """The parameters of block sizes that a launch gives."""
    return sorted((extent_parameters(notes) | dot_parameters(notes)) & launch.given.keys())


def _block_elements(notes: KernelNotes, values: LaunchValues) -> int | None:
    """The elements of the largest block that the kernel loads or stores, None where one is not known."""
    largest = 0
    for one in notes.accesses:
        if one.checked or one.address.shape is None:
            return None
        extents = [one.address.shape[at] for at in range(len(one.address.shape))]
        sizes = [
            {extent} if isinstance(extent, int) else values.sizes(extent) if extent else set()
            for extent in extents
        ]
        if any(len(size) != 1 for size in sizes):
            return None
        largest = max(largest, math.prod(min(size) for size in sizes))
    return largest or None


def _product_elements(notes: KernelNotes, values: LaunchValues) -> int | None:
    """The elements of the largest result of a product in a loop."""
    found = []
    for dot in notes.dots:
        left, right = dot.left.shape, dot.right.shape
        if not dot.where.loops or left is None or right is None or len(left) < 2 or len(right) < 2:
            continue
        sizes = [
            {one} if isinstance(one, int) else values.sizes(one) if one else set()
            for one in (left[-2], right[-1])
        ]
        if all(len(size) == 1 for size in sizes):
            found.append(math.prod(min(size) for size in sizes))
    return max(found, default=None)


def rounded_arrays(launch: TritonLaunch) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that get arrays of rounded lengths, with what the launch gives to them."""
    for name, node in launch.given.items():
        if isinstance(node, ast.Name) and name not in launch.kernel.constants():
            for made in values_at(launch.module, node):
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
        values = values_at(launch.module, node) if steps else []
        return any(one is not None and _is_rounded(one, launch, steps - 1) for one in values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _multiplies(node.left, node.right, launch, steps) or _multiplies(
            node.right, node.left, launch, steps
        )
    return False


def _multiplies(quotient: ast.expr, divisor: ast.expr, launch: TritonLaunch, steps: int) -> bool:
    if isinstance(quotient, ast.Name) and steps:
        values = values_at(launch.module, quotient)
        return any(one is not None and _multiplies(one, divisor, launch, steps - 1) for one in values)
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
        bound = values_at(launch.module, node)
        node = bound[0] if len(bound) == 1 and isinstance(bound[0], ast.Call) else node
    number = _elements(node, launch, values) if isinstance(node, ast.Call) else None
    number = values.number(node) if number is None else number
    return frozenset() if number is None else frozenset({number})


def _elements(call: ast.Call, launch: TritonLaunch, values: LaunchValues) -> int | None:
    """The elements of an array of which the host asks with `numel()`, made with sizes that are known."""
    array = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "numel" else None
    if not isinstance(array, ast.Name):
        return None
    bound = values_at(launch.module, array)
    made = bound[0] if len(bound) == 1 else None
    if not isinstance(made, ast.Call) or called_name(made) not in _MADE or not made.args:
        return None
    first = made.args[0]
    given = first.elts if isinstance(first, ast.Tuple | ast.List) else made.args
    sizes = [values.number(one) for one in given]
    known = [one for one in sizes if one is not None]
    return math.prod(known) if len(known) == len(sizes) else None

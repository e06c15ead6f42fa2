"""Copies a transpose through a padded tile in shared memory, so that loads and stores follow the lanes."""

# /// fix
# title = "Copy the transpose through a padded tile in shared memory"
# safety = "needs review"
# rules = ["transpose-without-tile", "transposed-index"]
# needs_kernel = true
# condition = """
# the arrays do not overlap, and each launch has the square block that is seen here, whose side the kernel \
# then holds as a number"""
#
# [parameters]
# # A smaller block would not fill sectors of 32 bytes with float32.
# least_side = 8
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import indices_of, is_text
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import block_of
from advisor.model.findings import Edit


@dataclass(frozen=True)
class _Transpose:
    """A kernel `x, y = cuda.grid(2)`, then `if …: target = value` where the two meet rows the other way."""

    module: SourceModule
    function: ast.FunctionDef
    indices: list[ast.stmt]
    names: tuple[str, str]
    cuda: str
    copy: ast.stmt
    target: ast.Subscript
    value: ast.Subscript
    loads_along_lanes: bool


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel's body; None unless it is a plain transpose by square blocks of known size."""
    kernel, sites = place.kernel(), place.launches()
    found = _transpose(*kernel) if kernel is not None and sites else None
    if found is None:
        return None
    blocks = {block_of(site) for site in sites or ()}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None or block[0] != block[1] or block[0] < float(place.parameters["least_side"]):
        return None
    return place.in_file(found.module, _staged(found, block[0]))


def _transpose(module: SourceModule, function: ast.FunctionDef) -> _Transpose | None:
    lines = [one for one in function.body if not is_text(one)]
    indices = grid_indices(KernelBody(module, function))
    named = {one.axis: name for name, one in indices.items()}
    if len(indices) != 2 or set(named) != {"x", "y"} or any(module.shares_line(one) for one in lines):
        return None
    if {one.line for one in indices.values()} != set(lines[:-1]) or _has_comments(module, lines):
        return None
    found, cuda, names = _copied(lines[-1]), cuda_text(module), (named["x"], named["y"])
    if found is None or cuda is None or not _asks_only_for_sizes(module, lines[-1]):
        return None
    order = [_order(module, one, names) for one in found]
    target, value = (_array(one) for one in found)
    if target == value or not {target, value} <= _parameters(function) or sorted(order) != [(0, 1), (1, 0)]:
        return None
    return _Transpose(module, function, lines[:-1], names, cuda, lines[-1], *found, order[1] == (1, 0))


def _has_comments(module: SourceModule, lines: list[ast.stmt]) -> bool:
    """Whether comments stand in lines that would be written twice or in another place."""
    begin, end = module.range_of(lines[0])[0], module.range_of(lines[-1])[1]
    return "#" in module.text[begin:end]


def _copied(line: ast.stmt) -> tuple[ast.Subscript, ast.Subscript] | None:
    """Target and value of the one assignment, in nested conditions without else or in none."""
    inner = line
    while isinstance(inner, ast.If):
        if inner.orelse or len(inner.body) != 1:
            return None
        inner = inner.body[0]
    if not isinstance(inner, ast.Assign) or len(inner.targets) != 1:
        return None
    target, value = inner.targets[0], inner.value
    if isinstance(target, ast.Subscript) and isinstance(value, ast.Subscript):
        return target, value
    return None


def _asks_only_for_sizes(module: SourceModule, line: ast.stmt) -> bool:
    """Whether the conditions are the same for whichever thread asks: no calls, elements or thread indices."""
    for condition in module.nodes_in(ast.If, line):
        test = condition.test
        if any(True for _ in module.nodes_in((ast.Call, ast.NamedExpr), test)):
            return False
        if any(cuda_attribute(module, one) is not None for one in module.nodes_in(ast.Attribute, test)):
            return False
        for element in module.nodes_in(ast.Subscript, test):
            if not isinstance(element.value, ast.Attribute) or element.value.attr != "shape":
                return False
    return True


def _order(module: SourceModule, element: ast.Subscript, names: tuple[str, str]) -> tuple[int, ...]:
    """Which of the names the two indices of an element are, empty for anything else."""
    written = [module.code_of(one) for one in indices_of(element) or ()]
    return tuple(names.index(one) for one in written if one in names) if len(written) == 2 else ()


def _array(element: ast.Subscript) -> str:
    return element.value.id if isinstance(element.value, ast.Name) else ""


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in function.args.args}


def _staged(found: _Transpose, side: int) -> list[Edit]:
    """The edits that load a tile with lanes along the rows of the source, and store it along the target's."""
    module, lines, cuda = found.module, found.indices, found.cuda
    (tile,) = KernelBody(module, found.function).free_names("tile")
    indent = module.line_end + module.indentation(lines[0])
    begin, end = module.range_of(lines[0])[0], module.range_of(lines[-1])[1]
    straight = module.text[begin:end]
    across = indent.join(
        f"{name} = {cuda}.blockIdx.{axis} * {side} + {cuda}.threadIdx.{other}"
        for name, axis, other in zip(found.names, "xy", "yx", strict=True)
    )
    load = _phase(found, found.target, f"{tile}[{cuda}.threadIdx.y, {cuda}.threadIdx.x]")
    store = _phase(found, found.value, f"{tile}[{cuda}.threadIdx.x, {cuda}.threadIdx.y]")
    allocation = f"{tile} = {cuda}.shared.array(({side}, {side + 1}), {_array(found.value)}.dtype)"
    first, then = (straight, across) if found.loads_along_lanes else (across, straight)
    staged = indent.join([load, f"{cuda}.syncthreads()", then, store])
    return [
        Edit(begin, begin, allocation + indent),
        *([] if first == straight else [Edit(begin, end, first)]),
        Edit(*module.range_of(found.copy), staged),
    ]


def _phase(found: _Transpose, element: ast.Subscript, instead: str) -> str:
    """The copying statement as it stands, but for one of its two elements."""
    begin, end = found.module.range_of(found.copy)
    first, last = found.module.range_of(element)
    text = found.module.text
    return text[begin:first] + instead + text[last:end].rstrip()

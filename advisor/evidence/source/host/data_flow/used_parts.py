"""Copies to the host of whole arrays of which the host uses a part, or what a reduction leaves of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from advisor.evidence.source.host.data_flow.grid_extents import HostFrame
from advisor.evidence.source.host.data_flow.grids.size_reader import SizeReader
from advisor.evidence.source.host.data_flow.grids.sizes import Computed, Known, Size, leaves
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.names.scope_bindings import bound_at
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.literals import signed_integer
from advisor.program.syntax.module import ModuleSyntax

_REDUCTIONS = frozenset({
    "sum", "max", "min", "mean", "std", "var", "any", "all", "argmax", "argmin", "prod", "nansum", "nanmax",
    "nanmin", "nanmean", "amax", "amin", "median", "count_nonzero", "norm",
})  # fmt: skip
_SHOWING = frozenset({
    "print", "info", "debug", "format", "allclose", "assert_allclose", "isclose", "assert_equal",
})  # fmt: skip
_OF_ITS_SHAPE = frozenset({"shape", "size", "dtype", "ndim", "nbytes"})
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_SPEAKS_OF_BLOCKS = re.compile(r"block|bpg|grid|bins|partial|num_|count", re.IGNORECASE)


@dataclass(frozen=True)
class UsedPart:
    """What the host uses of an array that it copies: whether it is more than shown or compared, the elements
    of the array where the source fixes them, and the most elements that one use picks; None for a reduction.
    """

    what: str
    shown_only: bool
    array_elements: float | None
    used_elements: int | None


class _Use(NamedTuple):
    what: str
    shown: bool
    elements: int | None


def used_part(copy: ast.Call, module: ModuleSyntax, values: HostValues) -> UsedPart | None:
    """What the host uses of an array that `copy_to_host()` brings, None where that may be all of it, or where
    the array may be one of few elements.
    """
    if copy.args or copy.keywords or not isinstance(copy.func, ast.Attribute):
        return None
    array = SizeReader(values).array(copy.func.value, HostFrame(module, {}))
    if array is None or not _is_of_data(array.elements):
        return None
    parent = module.parents.get(copy)
    if isinstance(parent, ast.Assign):
        if len(parent.targets) != 1 or not isinstance(parent.targets[0], ast.Name):
            return None
        uses: list[ast.expr] = [*_uses(parent.targets[0], parent, module)]
    else:
        uses = [copy]
    found = [_part(one, module) for one in uses if not _asks_for_its_shape(one, module)]
    parts = [one for one in found if one is not None]
    if not parts or len(parts) < len(found):
        return None
    what = ", ".join(dict.fromkeys(part.what for part in parts))
    picked = [part.elements for part in parts if part.elements is not None]
    fixed = float(array.elements.value) if isinstance(array.elements, Known) else None
    return UsedPart(what, all(part.shown for part in parts), fixed, max(picked, default=None))


def _is_of_data(elements: Size | None) -> bool:
    """Whether an array has elements by number or as many as the data: not one for each block of a grid."""
    if isinstance(elements, Known):
        return True
    if isinstance(elements, Computed):
        return all(map(_is_named, elements.parts)) and len(leaves(elements)) == len(elements.parts)
    return elements is not None and not _SPEAKS_OF_BLOCKS.search(elements.written)


def _is_named(size: Size) -> bool:
    return not isinstance(size, Computed)


def _uses(name: ast.Name, binding: ast.Assign, module: ModuleSyntax) -> Iterator[ast.Name]:
    """The places that may read what an assignment gives a name."""
    for one in module.loads(name.id, module.scope_of(binding) or module.tree):
        if any(bound is not None and bound.node is binding for bound in bound_at(module, one)):
            yield one


def _part(use: ast.expr, module: ModuleSyntax) -> _Use | None:
    parent = module.parents.get(use)
    found: str | None = None
    elements: int | None = None
    node: ast.AST = use
    if isinstance(parent, ast.Subscript) and parent.value is use and isinstance(parent.ctx, ast.Load):
        elements = _picked(parent.slice, use, module)
        if elements is not None:
            found, node = ast.unparse(parent), parent
    elif isinstance(parent, ast.Attribute) and parent.attr in _REDUCTIONS:
        call = module.parents.get(parent)
        if isinstance(call, ast.Call) and call.func is parent and not call.args and not call.keywords:
            found, node = ast.unparse(call), call
    elif isinstance(parent, ast.Call) and parent.args == [use] and not parent.keywords:
        found, node = (ast.unparse(parent) if called_name(parent) in _REDUCTIONS else None), parent
    if found is None:
        return None
    return _Use(found.replace(ast.unparse(use), "…", 1), _is_shown(node, module), elements)


def _picked(index: ast.expr, use: ast.AST, module: ModuleSyntax) -> int | None:
    """How many elements an index picks: one by numbers, or by names outside of loops, or those between
    numbers. None where that may be any number.
    """
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if all(_is_number(one) for one in parts):
        return 1
    if all(map(_is_computed, parts)):
        return None if any(isinstance(one, _LOOPS) for one in _around(use, module)) else 1
    return _length(parts[0]) if len(parts) == 1 and isinstance(parts[0], ast.Slice) else None


def _length(part: ast.Slice) -> int | None:
    first, last = signed_integer(part.lower), signed_integer(part.upper)
    if part.step is not None:
        return None
    if part.lower is None:
        return last if last is not None and last > 0 else None
    if part.upper is None:
        return -first if first is not None and first < 0 else None
    return last - first if first is not None and last is not None and 0 <= first < last else None


def _is_number(node: ast.expr) -> bool:
    return signed_integer(node) is not None


def _is_computed(node: ast.expr) -> bool:
    """Whether an index is a number, a name, or computed from such."""
    if isinstance(node, ast.BinOp):
        return _is_computed(node.left) and _is_computed(node.right)
    return _is_number(node) or isinstance(node, ast.Name)


def _around(node: ast.AST, module: ModuleSyntax) -> Iterator[ast.AST]:
    parent = module.parents.get(node)
    while parent is not None and not isinstance(parent, ast.FunctionDef | ast.Module):
        yield parent
        parent = module.parents.get(parent)


def _is_shown(node: ast.AST, module: ModuleSyntax) -> bool:
    """Whether a value is only printed, or compared with what it should be."""
    around: Sequence[ast.AST] = list(_around(node, module))
    return any(isinstance(one, ast.Assert | ast.JoinedStr) or called_name(one) in _SHOWING for one in around)


def _asks_for_its_shape(use: ast.expr, module: ModuleSyntax) -> bool:
    parent = module.parents.get(use)
    return (isinstance(parent, ast.Attribute) and parent.attr in _OF_ITS_SHAPE) or called_name(
        parent or use
    ) == "len"

"""Block sizes that the source does not fix: the shapes behind them, and the values they may take."""

from __future__ import annotations

import ast
import math
import re

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.kernels.declarations import Declaration
from advisor.program.syntax.module import FunctionNode, stored_names
from advisor.program.values.constant_folding import UNKNOWN, is_open
from advisor.program.values.constants import Constants

_SPEAKS_OF_THREADS = re.compile(r"thread|block|blk|tpb|bdim|warp|tile|^nt$", re.IGNORECASE)
_MOST_VALUES = 4


def shapes_of_arguments(call: ast.Call, kernel: Declaration) -> dict[str, object]:
    """For arrays that a launch passes by name, `name.shape` as a tuple of unknown sizes, its length known
    from the indices that the kernel uses.
    """
    found: dict[str, object] = {}
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        rank = _rank(kernel, parameter) if isinstance(argument, ast.Name) else 0
        if rank and isinstance(argument, ast.Name):
            found[f"{argument.id}.shape"] = (UNKNOWN,) * rank
    return found


def follows_data(node: ast.expr, scope: HostScope, asked: frozenset[str] = frozenset()) -> bool:
    """Whether a block size is taken from a size of the data (`x.shape[0]`, `len(x)`); `asked` are the
    names that lead to it.
    """
    match node:
        case ast.Tuple():
            return any(follows_data(item, scope, asked) for item in node.elts)
        case ast.Name():
            values = [] if node.id in asked else scope.bound(scope.module, scope.function, node.id)
            return bool(values) and all(follows_data(one, scope, asked | {node.id}) for one in values)
        case ast.Subscript():
            return follows_data(node.value, scope, asked)
        case ast.Attribute():
            return node.attr in ("shape", "size")
        case ast.Call(func=ast.Name(id="int"), args=[first, *_]):
            return follows_data(first, scope, asked)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in ("len", "size")
    return False


def _rank(kernel: Declaration, parameter: str) -> int:
    """The most indices in one subscript of a parameter, 0 where it is never indexed."""
    ranks = [
        len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        for node in kernel.module.inside(kernel.node, ast.Subscript)
        if isinstance(node.value, ast.Name) and node.value.id == parameter
    ]
    return max(ranks, default=0)


def default_of(name: str, function: FunctionNode | None) -> object:
    """The block that a parameter of a host function stands for where its callers say nothing: its default, if
    that is a size or a tuple of sizes and the function does not change it; unknown for any other name.
    """
    if function is None:
        return UNKNOWN
    given = function.args
    pairs = [
        *zip(reversed(given.args), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=False),
    ]
    for parameter, default in pairs:
        if parameter.arg == name and default is not None:
            try:
                value = ast.literal_eval(default)
            except ValueError:
                return UNKNOWN
            fits = _threads(value) is not None and name not in stored_names(function)
            return value if fits else UNKNOWN
    return UNKNOWN


def is_also_argument(block: ast.expr, call: ast.Call) -> bool:
    """Whether a block size that is no count of threads by its name is also handed to the kernel, as sizes of
    data are.
    """
    if not isinstance(block, ast.Name | ast.Attribute):
        return False
    name = block.id if isinstance(block, ast.Name) else block.attr
    if _SPEAKS_OF_THREADS.search(name):
        return False
    written = ast.dump(block)
    return any(ast.dump(argument) == written for argument in call.args)


def smallest_block(block: ast.expr, constants: Constants) -> int | None:
    """The fewest threads among the block sizes that the branches of the host code choose from, None where
    fewer than two of them are known.
    """
    sizes = [_threads(value) for value in constants.possible(block, _MOST_VALUES)]
    known = [size for size in sizes if size is not None]
    return min(known) if len(known) > 1 else None


def _threads(value: object) -> int | None:
    sizes = value if isinstance(value, tuple) else (value,)
    if is_open(value) or not all(isinstance(size, int) and 1 <= size <= 1024 for size in sizes):
        return None
    return math.prod(sizes)

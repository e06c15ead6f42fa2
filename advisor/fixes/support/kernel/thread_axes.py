"""Parts of numba.cuda in a kernel's text: thread indices, and what the functions that it calls ask for."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.walked_kernel import called_functions, is_followed
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode

INDEX_NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
GRID_CALLS = frozenset({"grid", "gridsize"})
# What a kernel may ask of numba.cuda without looking at warps or at its place in the grid.
AXIS_FREE = frozenset({
    "syncthreads", "syncthreads_and", "syncthreads_count", "syncthreads_or", "shared", "local", "const",
    "atomic", "threadfence", "threadfence_block", "threadfence_system", "fma", "cbrt", "popc", "brev", "clz",
    "ffs", "selp", "fp16", "libdevice",
})  # fmt: skip


def cuda_attribute(module: SourceModule, node: ast.AST) -> str | None:
    """The name of a part of numba.cuda that an expression is, such as `grid`; None for anything else."""
    return node.attr if isinstance(node, ast.Attribute) and _is_cuda(module, node.value) else None


def _is_cuda(module: SourceModule, node: ast.expr) -> bool:
    """Whether an expression is the module numba.cuda; a name `cuda` of unknown origin counts as it."""
    dotted = module.syntax.dotted(node)
    return dotted == "cuda" or cuda_member(f"{dotted}.") == ""


def grid_call(module: SourceModule, node: ast.AST, name: str = "grid") -> int | None:
    """The dimensions of `cuda.grid(n)` (or `cuda.gridsize(n)`), None for another expression."""
    if isinstance(node, ast.Call) and cuda_attribute(module, node.func) == name and len(node.args) == 1:
        return written_integer(node.args[0])
    return None


def thread_index(module: SourceModule, node: ast.AST) -> tuple[str, str] | None:
    """The name and the axis of an index such as `cuda.threadIdx.x`, None for another expression."""
    if isinstance(node, ast.Attribute) and node.attr in ("x", "y", "z"):
        name = cuda_attribute(module, node.value)
        if name in INDEX_NAMES:
            return name, node.attr
    return None


def calls_are_axis_free(module: SourceModule, function: FunctionNode) -> bool:
    """Whether the functions that a kernel calls are known not to look at thread indices."""
    return calls_use_only(module, function, AXIS_FREE)


def calls_use_only(module: SourceModule, function: FunctionNode, parts: frozenset[str]) -> bool:
    """Whether the functions that a kernel calls are known to use nothing but some parts of numba.cuda."""
    called = called_functions(module, function)
    return is_followed(module, function) and all(
        name in parts for one in called for _, name in cuda_parts(module, one.body)
    )


def cuda_parts(module: SourceModule, body: list[ast.stmt]) -> list[tuple[ast.expr, str]]:
    """The parts of numba.cuda that are named in a body, and everything that is called like an index."""
    found: list[tuple[ast.expr, str]] = []
    for node in module.nodes_in(ast.Attribute, body):
        if cuda_attribute(module, node) is not None or node.attr in INDEX_NAMES:
            found.append((node, node.attr))
    for name in module.nodes_in(ast.Name, body):
        above = module.parent(name)
        called = isinstance(above, ast.Call) and above.func is name
        passed_on = _is_cuda(module, name) and not isinstance(above, ast.Attribute)
        imported = (cuda_member(module.syntax.dotted(name)) or "").partition(".")[0]
        if name.id in INDEX_NAMES or (name.id in GRID_CALLS and called) or passed_on or imported:
            found.append((name, imported or name.id))
    return found

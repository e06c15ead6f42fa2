"""Whether a piece of a kernel needs all threads: barriers, warp functions, functions that may have them."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import cuda_attribute

_TOGETHER = (
    "sync", "shfl", "ballot", "vote", "all_", "any_", "eq_sync", "match_", "cg", "activemask", "threadfence",
    "lanemask",
)  # fmt: skip
# Libraries whose functions each thread calls for itself.
_ALONE = ("math", "cmath", "numpy", "numba", "numba.cuda.libdevice", "numba.cuda.random")
_DEEPEST = 4


def needs_all_threads(module: SourceModule, node: ast.AST | list[ast.stmt], depth: int = 0) -> bool:
    """Whether threads may do something together in a piece of code, also in a function called there."""
    names = (cuda_attribute(module, one) or "" for one in module.nodes_in(ast.Attribute, node))
    if any(name.startswith(_TOGETHER) for name in names):
        return True
    return any(_may_wait(module, call, depth) for call in module.nodes_in(ast.Call, node))


def threads_meet(module: SourceModule, node: ast.AST | list[ast.stmt]) -> bool:
    """Whether threads may do something together in a piece of code, or declare a shared array there."""
    parts = (cuda_attribute(module, one) for one in module.nodes_in(ast.Attribute, node))
    return "shared" in parts or needs_all_threads(module, node)


def _may_wait(module: SourceModule, call: ast.Call, depth: int) -> bool:
    root = call.func
    while isinstance(root, ast.Attribute):
        if cuda_attribute(module, root) is not None:
            return False
        root = root.value
    if not isinstance(root, ast.Name):
        return True
    bound = _bindings(module, root)
    if not bound:
        return root is not call.func
    return not all(_works_alone(module, one, root is call.func, depth) for one in bound)


def _bindings(module: SourceModule, name: ast.Name) -> list[ast.AST]:
    """The nodes that bind a name where it stands: in the innermost function around it that does."""
    above = module.parent(name)
    while above is not None:
        if isinstance(above, ast.FunctionDef):
            found = module.bindings(name.id, above)
            if found:
                return found
        above = module.parent(above)
    return module.bindings(name.id, None)


def _works_alone(module: SourceModule, bound: ast.AST, called: bool, depth: int) -> bool:
    if isinstance(bound, ast.ImportFrom):
        return not bound.level and bound.module in _ALONE
    if isinstance(bound, ast.Import):
        return all(alias.name in _ALONE for alias in bound.names)
    inside = isinstance(bound, ast.FunctionDef) and called and depth < _DEEPEST
    return inside and not needs_all_threads(module, bound, depth + 1)

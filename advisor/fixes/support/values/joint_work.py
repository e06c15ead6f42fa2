"""Whether a piece of a kernel needs all threads: barriers, warp functions, functions that may have them."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.source_effects import functions_behind, known_call
from advisor.fixes.support.kernel.thread_axes import cuda_attribute

_TOGETHER = (
    "sync", "shfl", "ballot", "vote", "all_", "any_", "eq_sync", "match_", "cg", "activemask", "threadfence",
    "lanemask",
)  # fmt: skip
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
    if known_call(module, call) is not None:
        return False
    found = functions_behind(module, call) if depth < _DEEPEST else None
    return found is None or any(needs_all_threads(module, one.body, depth + 1) for one in found)

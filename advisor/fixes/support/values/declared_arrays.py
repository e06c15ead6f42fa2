"""Arrays in shared and local memory as a kernel declares them."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.program.syntax.calls import keyword_value


def array_shape(module: SourceModule, call: ast.Call, space: str) -> ast.expr | None:
    """The shape that `cuda.shared.array(…)` or `cuda.local.array(…)` is given; None for any other call."""
    called = call.func
    if not isinstance(called, ast.Attribute) or called.attr != "array":
        return None
    if cuda_attribute(module, called.value) != space:
        return None
    first = call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
    return keyword_value(call, "shape") or first

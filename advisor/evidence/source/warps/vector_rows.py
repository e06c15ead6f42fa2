"""Shared arrays whose rows could be loaded several elements at a time, if they began at whole vectors."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Array

# What a thread loads at most at a time, which is what the address has to be a multiple of.
VECTOR_BYTES = 16


def lacks_alignment(array: Array) -> bool | None:
    """Whether the rows of a shared array are whole vectors and its declaration asks for no alignment, so that
    the compiler only knows that of one element; None where the sizes are not constant.
    """
    if array.space != "shared" or array.parameter:
        return False
    if array.itemsize is None or not array.dims or any(size in (None, 0) for size in array.dims[-1:]):
        return None
    row = (array.dims[-1] or 0) * array.itemsize
    return row % VECTOR_BYTES == 0 and array.itemsize < VECTOR_BYTES and not _aligned(array.node)


def _aligned(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        len(node.args) > 2 or any(keyword.arg in ("alignment", None) for keyword in node.keywords)
    )

"""Whether two elements of an array are surely different: their indices never have the difference zero."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.walked_kernel import element_indices

# What is never negative: how often a loop has run, the indices of threads and blocks, and their numbers.
_COUNTS = ("loop#", "tid.", "bid.", "bdim.", "gdim.")


def surely_different(body: KernelBody, one: ast.Subscript, other: ast.Subscript) -> bool:
    """Whether an element whose index does not change in a loop, and another that is used in the loop, are not
    the same one, provided no index is negative.
    """
    first, second = (element_indices(body.module, body.function, node) for node in (one, other))
    return any(_never_zero(left - right) for left, right in zip(first or (), second or (), strict=False))


def _never_zero(difference: Form) -> bool:
    sign = 1 if difference.offset > 0 else -1
    return difference.offset != 0 and all(
        sign * factor > 0 and all(name.startswith(_COUNTS) for name in monomial)
        for monomial, factor in difference.without_offset().terms
    )

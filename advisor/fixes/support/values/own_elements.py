"""Whether each thread stores to elements of its own only, which no other thread of the launch looks at."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.evidence.source.kernel_walk.affine_forms import Form, Monomial, atom
from advisor.fixes.support.host.source_effects import parameter_effects
from advisor.fixes.support.kernel.assigned_names import value_of
from advisor.fixes.support.kernel.atomic_adds import updates_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.walked_kernel import element_indices, walked_kernel
from advisor.fixes.support.launches.launch_sizes import AXES, Extent
from advisor.fixes.support.values.array_uses import array_elements, is_store
from advisor.program.syntax.module import root_name

_ORDERLESS = ("add", "sub", "max", "min", "and_", "or_", "xor")


def stored_arrays(body: KernelBody, numbers: Iterable[str] = ()) -> frozenset[str] | None:
    """The array parameters that a kernel stores to; None where that cannot be told of one.

    `numbers` are parameters that are known to be none.
    """
    found = set()
    for position, name in enumerate(body.parameters):
        if name in numbers:
            continue
        effect = parameter_effects(body.module, body.function, position)
        if effect.keeps:
            return None
        if effect.writes:
            found.add(name)
    return frozenset(found)


def stores_own_elements(body: KernelBody, arrays: Iterable[str], extents: frozenset[Extent]) -> bool:
    """Whether no element of the arrays that a kernel stores to is used by two threads of a launch.

    The indices that tell the threads apart stand at the same positions in all uses of an array. Arrays that
    get nothing but one kind of atomic update, in whatever order, count as well.
    """
    if not all(_stores_to_known(body, node) for node in body.nodes(ast.Subscript)):
        return False
    return all(_only_counts_up(body, one) or _are_own(body, one, extents) for one in arrays)


def _stores_to_known(body: KernelBody, node: ast.Subscript) -> bool:
    """Whether an element that is stored to is one of a parameter, or of an array of the thread alone."""
    owner = root_name(node) or ""
    if not is_store(body.module, node) or owner in body.parameters:
        return True
    arrays = walked_kernel(body.module, body.function).arrays
    own = any(one.name == owner and one.space == "local" for one in arrays)
    return own and value_of(body.module, body.function, owner) is not None


def _only_counts_up(body: KernelBody, array: str) -> bool:
    """Whether an array gets only atomic updates of one kind, whose results nobody looks at."""
    kinds = {one.operation for one in updates_of(body, array)}
    return len(kinds) == 1 and kinds <= set(_ORDERLESS)


def _are_own(body: KernelBody, array: str, extents: frozenset[Extent]) -> bool:
    """Whether the indices that all uses of an array have in common tell all threads apart."""
    uses = array_elements(body.module, body.function.body, array)
    places = [element_indices(body.module, body.function, one) for one in uses or ()]
    if uses is None or any(one is None for one in places):
        return False
    positions = zip(*filter(None, places), strict=False)
    told = [{_told_apart(one) for one in position} for position in positions]
    return extents <= frozenset(part for one in told if len(one) == 1 for parts in one for part in parts)


def _told_apart(index: Form) -> frozenset[Extent]:
    """The parts of a launch whose blocks or threads have different values of an index: the thread's over the
    grid, or whole grids on, its block's, or its own in the block.
    """
    for axis in AXES:
        thread, block = atom(f"tid.{axis}"), atom(f"bid.{axis}")
        if index in (thread, block):
            return frozenset({("block" if index == thread else "grid", axis)})
        grid = {f"bdim.{axis}", f"gdim.{axis}"}
        rest = Form(tuple(term for term in index.terms if not _is_count_of(grid, term[0])))
        if rest == block * atom(f"bdim.{axis}") + thread:
            return frozenset({("grid", axis), ("block", axis)})
    return frozenset()


def _is_count_of(parts: set[str], product: Monomial) -> bool:
    """Whether a product is of these parts and of how often loops have run."""
    return parts <= set(product) and all(name.startswith("loop#") for name in set(product) - parts)

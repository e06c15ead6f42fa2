"""Whether each thread stores to elements of its own only, which no other thread of the launch looks at."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.evidence.source.kernel_walk.affine_forms import Form, Monomial, atom
from advisor.fixes.support.host.source_effects import parameter_effects
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, names_in, value_of
from advisor.fixes.support.kernel.atomic_adds import updates_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import element_indices
from advisor.fixes.support.launches.launch_sizes import AXES, Extent
from advisor.fixes.support.values.independent_iterations import is_store

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
    if not is_store(body.module, node):
        return True
    owner: ast.expr = node
    while isinstance(owner, ast.Subscript | ast.Attribute):
        owner = owner.value
    if not isinstance(owner, ast.Name):
        return False
    made = value_of(body.module, body.function, owner.id)
    local = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
    return owner.id in body.parameters or (
        local and cuda_attribute(body.module, made.func.value) == "local"  # type: ignore[union-attr]
    )


def _only_counts_up(body: KernelBody, array: str) -> bool:
    """Whether an array gets only atomic updates of one kind, whose results nobody looks at."""
    kinds = {one.operation for one in updates_of(body, array)}
    return len(kinds) == 1 and kinds <= set(_ORDERLESS)


def _is_asked(body: KernelBody, name: ast.Name) -> bool:
    """Whether an array is only asked for its shape, type or length."""
    above = body.module.parent(name)
    if isinstance(above, ast.Attribute):
        return above.attr in ARRAY_QUESTIONS
    return isinstance(above, ast.Call) and body.module.code_of(above.func) == "len"


def _are_own(body: KernelBody, array: str, extents: frozenset[Extent]) -> bool:
    """Whether the indices that all uses of an array have in common tell all threads apart."""
    common: list[frozenset[Extent]] | None = None
    for name in names_in(body.module, body.function.body):
        if name.id != array or _is_asked(body, name):
            continue
        above = body.module.parent(name)
        element = isinstance(above, ast.Subscript) and above.value is name
        forms = element_indices(body.module, body.function, above) if element else None
        if forms is None:
            return False
        found = [_told_apart(one) for one in forms]
        pairs = zip(found, common if common is not None else found, strict=False)
        common = [one if one == other else frozenset() for one, other in pairs]
    return extents <= frozenset().union(*(common or ()))


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

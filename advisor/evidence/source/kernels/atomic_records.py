"""Records of atomics: which element each updates, and how many threads meet there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form, position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, KernelFacts
from advisor.evidence.source.kernels.bounds.updated_elements import updated_elements
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.wrong_results.sums_of_blocks import every_thread_adds_the_same
from advisor.evidence.source.warps.assumed_layouts import assumptions_of
from advisor.evidence.source.warps.handed_arrays import handed_on
from advisor.evidence.source.warps.lanes import lane_pattern
from advisor.evidence.source.warps.single_iterations import in_one_iteration
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.model.records import Record
from advisor.program.launches.block_shape import BlockShape

_THREADS = frozenset({"tid.x", "tid.y", "tid.z"})


def atomic_records(facts: KernelFacts, shapes: Sequence[BlockShape], kernel: str) -> list[Record]:
    """One record for each atomic operation."""
    found = []
    for atomic in facts.atomics:
        name = atomic.array.name if atomic.array else "unknown"
        handed = handed_on(atomic, facts)
        record = record_at("atomic", kernel, atomic.place, f"cuda.atomic.{atomic.operation}")
        record.know(
            "source",
            operation=atomic.operation,
            space=atomic.array.space if atomic.array else None,
            target=_target(atomic, facts),
            loop_depth=len(atomic.place.loops),
            spins=atomic.spins,
            hands_on=handed is not None,
            handed_array=handed,
            array=name,
            loop_invariant=_same_element_again(atomic, facts),
            one_writer=has_one_writer(atomic, facts, shapes),
            only_summed=_is_only_summed(atomic, facts),
            single_thread=single_thread(atomic.place),
            adds_same_value=every_thread_adds_the_same(atomic, facts),
            result_used=_gives_result(atomic),
            elements=updated_elements(atomic, facts),
            aggregated=_counts_in_whole_numbers(atomic),
        )
        lanes = _lanes_per_address(atomic, facts, shapes)
        record.know(
            "source", assumptions_of(atomic.array, shapes) if atomic.array else (), lanes_per_address=lanes
        )
        found.append(record)
    return found


def _counts_in_whole_numbers(atomic: AtomicUse) -> bool | None:
    """True where one lane adds for all of its warp, as ptxas does with a constant and an integer array; None
    where only the machine code tells.
    """
    call = atomic.place.node
    dtype = (atomic.array.dtype or "") if atomic.array else ""
    if atomic.operation not in ("add", "sub") or "int" not in dtype.rpartition(".")[2]:
        return None
    value = call.args[-1] if isinstance(call, ast.Call) else None
    return True if isinstance(value, ast.Constant) and type(value.value) is int else None


def _target(atomic: AtomicUse, facts: KernelFacts) -> str:
    if atomic.array is None:
        return "unknown"
    depends: set[str] = set()
    for index in atomic.indices:
        depends |= facts.atoms.depends(index.form)
    if any(facts.atoms.loaded(index.form) for index in atomic.indices):
        return "data"
    if not depends & _THREADS:
        return "one"
    opaque = any(facts.atoms.is_opaque(name) for index in atomic.indices for name in index.form.atoms())
    return "unknown" if opaque else "own"


def _lanes_per_address(atomic: AtomicUse, facts: KernelFacts, shapes: Sequence[BlockShape]) -> float | None:
    if atomic.array is None or not atomic.indices:
        return None
    access = Access(atomic.place, atomic.array, atomic.indices, "update")
    counts = []
    for shape in shapes:
        pattern = lane_pattern(access, facts.atoms, shape, atomic.array.dims)
        if pattern.index_kind != "affine":
            return None
        axes = set(shape.lane_axes)
        used = {axis for axis in axes for index in atomic.indices if axis in facts.atoms.depends(index.form)}
        lanes = shape.lanes()
        positions = {tuple(lane[axis] for axis in sorted(used)) for lane in lanes}
        counts.append(len(lanes) / max(len(positions), 1))
    return min(counts)


def _same_element_again(atomic: AtomicUse, facts: KernelFacts) -> bool:
    """Whether the innermost loop meets one element in each iteration, wherever the index came from."""
    if not atomic.place.loops or not atomic.indices or atomic.place.loops[-1].is_while:
        return False
    if in_one_iteration(atomic.place, atomic.place.loops[-1]):
        return False
    counter = atomic.place.loops[-1].counter
    return all(counter not in facts.atoms.depends(index.form) for index in atomic.indices)


def _is_only_summed(atomic: AtomicUse, facts: KernelFacts) -> bool | None:
    """Whether nothing but updates of this kind, whose results nobody looks at, happens to the array in the
    innermost loop; None where not all is known that happens to it.
    """
    if _gives_result(atomic):
        return False
    if atomic.array is None or not atomic.place.loops:
        return None
    loop = atomic.place.loops[-1].node
    uses: list[Access | AtomicUse] = [*facts.accesses, *facts.atomics]
    here = [one for one in uses if one.array is atomic.array and _is_inside(one, loop)]
    for one in here:
        if isinstance(one, Access) or one.operation != atomic.operation or _gives_result(one):
            return False
    return True if not atomic.array.parameter or atomic.array.name in facts.followed else None


def _is_inside(use: Access | AtomicUse, loop: ast.AST) -> bool:
    return any(one.node is loop for one in use.place.loops)


def _gives_result(atomic: AtomicUse) -> bool:
    """Whether the old value that an atomic gives is used."""
    return not isinstance(atomic.place.module.parents.get(atomic.place.node), ast.Expr)


def has_one_writer(atomic: AtomicUse, facts: KernelFacts, shapes: Sequence[BlockShape]) -> bool | None:
    """Whether each element is updated by one thread: all axes of the grid in use are indices, and the kernel
    uses no other element of the array; None where not all is known that the kernel does with it.
    """
    if not atomic.indices or not facts.complete:
        return False
    if not _has_own_index(atomic, facts, shapes):
        return False
    uses: list[Access | AtomicUse] = [*facts.accesses, *facts.atomics]
    forms = [index.form for index in atomic.indices]
    others = [one for one in uses if one.array is atomic.array]
    if any([index.form for index in one.indices] != forms for one in others):
        return False
    return True if atomic.array is not None and atomic.array.name in facts.followed else None


def _has_own_index(atomic: AtomicUse, facts: KernelFacts, shapes: Sequence[BlockShape]) -> bool:
    whole = {axis for axis in "xyz" for index in atomic.indices if _is_position(index.form, axis)}
    if single_thread(atomic.place):
        blocks = {axis for axis in "xyz" for index in atomic.indices if _is_block(index.form, axis)}
        return len(facts.thread_dimensions) == 1 and blocks == facts.thread_dimensions
    # Threads along an axis that the kernel does not look at all do the same.
    threads = {axis for shape in shapes for axis in "xyz" if getattr(shape, axis) not in (1, None)}
    return bool(whole) and whole >= facts.thread_dimensions | threads


def _is_position(form: Form, axis: str) -> bool:
    """Whether a form is the thread's position in the grid along an axis, shifted by what all threads share,
    or advanced by the whole grid in each iteration of a loop.
    """
    terms = dict(form.terms)
    if any(terms.pop(monomial, 0) != factor for monomial, factor in position_along(axis).terms):
        return False
    return all(_is_shared(monomial, axis) for monomial in terms)


def _is_block(form: Form, axis: str) -> bool:
    terms = dict(form.terms)
    return terms.pop((f"bid.{axis}",), 0) == 1 and all(_is_shared(monomial, axis) for monomial in terms)


def _is_shared(monomial: tuple[str, ...], axis: str) -> bool:
    """Whether a term keeps different threads at different elements."""
    if any("#" in name for name in monomial):
        return f"gdim.{axis}" in monomial and f"bdim.{axis}" in monomial
    return not any(name.startswith(("tid.", "bid.")) for name in monomial)

"""Indices over the grid that end just where the array does, in every launch in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.index_bounds import spans_the_grid
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.kernels.bounds.launched_sizes import sizes_of
from advisor.model.compilation_unit import StatedLaunch
from advisor.model.records import Record
from advisor.program.launches.launched_as import LaunchedAs


def know_exact_fits(facts: KernelFacts, launched: LaunchedAs, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether the source fixes all launches' sizes so
    that the last thread takes the last element along each index over the grid.
    """
    parameters = facts.declaration.parameters
    for access, record in zip(facts.accesses, records, strict=True):
        if access.array.space == "global" and access.array.parameter and launched.stated:
            fits = all(_fits(access, one, parameters) for one in launched.stated)
            record.know("source", exact_fit=fits or None)


def _fits(access: Access, launch: StatedLaunch, parameters: Sequence[str]) -> bool:
    sizes = sizes_of(parameters, launch.arguments)
    ends = {**sizes, **last_positions(launch)}
    name, indices = access.array.name, access.indices
    spanning = False
    for dimension, index in enumerate(indices):
        if not spans_the_grid(index.form.atoms()):
            continue
        last = last_index(index.form, ends)
        size = sizes.get(f"{name}.shape[{dimension}]")
        if last is None or size is None or last + 1 != size:
            return False
        spanning = True
    return spanning


def last_positions(launch: StatedLaunch) -> dict[str, int]:
    """The sizes of a launch and the last block and thread along each axis, as far as they are known."""
    if launch.grid is None or launch.block is None:
        return {}
    blocks, threads = ([*sizes, 1, 1][:3] for sizes in (launch.grid, launch.block))
    found: dict[str, int] = {}
    for axis, count, size in zip("xyz", blocks, threads, strict=True):
        if count is not None:
            found |= {f"gdim.{axis}": count, f"bid.{axis}": count - 1}
        if size is not None:
            found |= {f"bdim.{axis}": size, f"tid.{axis}": size - 1}
    return found


def last_index(form: Form, ends: Mapping[str, int]) -> int | None:
    """The largest index of a form that no position makes smaller, None where that is not known."""
    if not form.atoms() <= set(ends):
        return None
    falls = any(factor < 0 and monomial for monomial, factor in form.terms)
    return None if falls else form.evaluate(ends.__getitem__)

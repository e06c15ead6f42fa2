"""Indices put together from block and thread in a way that gives threads of several blocks one element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from advisor.evidence.source.kernel_walk.affine_forms import Form, Monomial
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.model.compilation_unit import StatedLaunch
from advisor.model.records import Record

_AXES = "xyz"


@dataclass(frozen=True)
class _Slip:
    """An index as it is written and as it is meant; `fits` is whether a block and a grid make it right."""

    written: str
    meant: str
    fits: Callable[[StatedLaunch], bool]


def know_position_slips(
    facts: KernelFacts, launches: Sequence[StatedLaunch], records: Sequence[Record]
) -> None:
    """Say of each store, whose record stands at its place, whether threads of several blocks store to its
    element because of how the index is put together, and whether the launches in sight keep them apart.
    """
    for access, record in zip(facts.accesses, records, strict=True):
        slip = _slip_of(access, facts)
        record.know(
            "source",
            position_slip="" if slip is None else slip.written,
            position_meant=None if slip is None else slip.meant,
            position_fits=None
            if slip is None or not launches
            else all(slip.fits(launch) for launch in launches),
        )


def _slip_of(access: Access, facts: KernelFacts) -> _Slip | None:
    if access.kind == "load" or access.array.space != "global" or access.whole or single_thread(access.place):
        return None
    forms = [index.form for index in access.indices]
    for axis in _AXES:
        place, block = f"tid.{axis}", f"bid.{axis}"
        following = [form for form in forms if facts.atoms.depends(form) & {place, block}]
        if len(following) != 1 or any(_chooses(one, place, block) for one in access.place.conditions):
            continue
        if (slip := _slip(following[0], axis, facts)) is not None:
            return slip
    return None


def _chooses(condition: Condition, place: str, block: str) -> bool:
    """Whether a condition leaves some threads of a block out wherever the block is."""
    return place in condition.depends and block not in condition.depends


def _slip(index: Form, axis: str, facts: KernelFacts) -> _Slip | None:
    thread = _only_term(index, f"tid.{axis}", facts)
    block = _only_term(index, f"bid.{axis}", facts)
    if thread is None or block is None:
        return None
    t, b = f"threadIdx.{axis}", f"blockIdx.{axis}"
    meant = f"{b} * blockDim.{axis} + {t}"
    if thread == (f"bdim.{axis}", f"tid.{axis}") and block == (f"bid.{axis}",):
        return _Slip(f"{t} * blockDim.{axis} + {b}", meant, partial(_grid_as_block, axis=axis))
    if thread != (f"tid.{axis}",):
        return None
    if block == (f"bid.{axis}",):
        return _Slip(f"{b} + {t}", meant, partial(_one_block_or_thread, axis=axis))
    if block == (f"bid.{axis}", f"gdim.{axis}"):
        return _Slip(f"{b} * gridDim.{axis} + {t}", meant, partial(_grid_as_block, axis=axis))
    for other in _AXES:
        if other != axis and block == (f"bdim.{other}", f"bid.{axis}"):
            return _Slip(f"{b} * blockDim.{other} + {t}", meant, partial(_square, axis=axis, other=other))
    return None


def _only_term(index: Form, name: str, facts: KernelFacts) -> Monomial | None:
    """The term of an index that follows a thread or block index, where it is one term, taken once, and no
    other part of the index follows that index.
    """
    terms = [(monomial, factor) for monomial, factor in index.terms if name in monomial]
    hidden = [one for one in index.atoms() if one != name and _depends(one, name, facts)]
    if len(terms) != 1 or terms[0][1] != 1 or hidden:
        return None
    return terms[0][0]


def _depends(atom: str, name: str, facts: KernelFacts) -> bool:
    known = facts.atoms.known.get(atom)
    return known is not None and name in known.depends


def _size(sizes: Sequence[int | None] | None, axis: str) -> int | None:
    if sizes is None:
        return None
    number = _AXES.index(axis)
    return sizes[number] if number < len(sizes) else 1


def _one_block_or_thread(launch: StatedLaunch, axis: str) -> bool:
    return 1 in (_size(launch.block, axis), _size(launch.grid, axis))


def _grid_as_block(launch: StatedLaunch, axis: str) -> bool:
    block, grid = _size(launch.block, axis), _size(launch.grid, axis)
    return _one_block_or_thread(launch, axis) or (block is not None and block == grid)


def _square(launch: StatedLaunch, axis: str, other: str) -> bool:
    block = _size(launch.block, axis)
    same = block is not None and block == _size(launch.block, other)
    return same or _size(launch.grid, axis) == 1

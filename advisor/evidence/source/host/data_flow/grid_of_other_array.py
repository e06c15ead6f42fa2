"""Grids that have the size of an axis along which the kernel's threads walk in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.source.host.data_flow.grid_extents import GridSizes, HostFrame, grid_of
from advisor.evidence.source.kernel_walk.affine_forms import number, position_along
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import called_name

_AXES = "xyz"
_COPIES = frozenset({"to_device", "asarray", "array", "ascontiguousarray", "copy"})


@dataclass(frozen=True)
class OtherArray:
    """An axis of a grid that has the size `source`, where the kernel asks for `wanted`, both as the kernel
    writes them; `differ` is None where the source does not fix both.
    """

    axis: str
    source: str
    wanted: str
    differ: bool | None


def grid_of_other_array(launch: Launch, walked: WalkedKernels, workspace: Workspace) -> OtherArray | None:
    """The axis of the grid that comes from a size along which each thread walks in a loop, while another size
    says how many threads have work; None where there is none, or where both sizes are known to be equal.
    """
    grid = grid_of(launch)
    if grid is None or launch.kernel is None:
        return None
    facts = walked.facts(launch.kernel)
    sides = GridSizes(workspace).of_sides(grid, HostFrame(launch.module, {}))
    for axis, size in zip(_AXES, sides, strict=False):
        wanted = _asked_for(facts, axis) if facts.complete else None
        if size is None or wanted is None:
            continue
        for name in _parameters(launch, size[0]):
            if (name, size[1]) != wanted and _is_walked(facts, name, size[1]):
                differ = _differ(launch, (name, size[1]), wanted)
                if differ is not False:
                    return OtherArray(axis, _written(name, size[1]), _written(*wanted), differ)
    return None


def _written(name: str, axis: int) -> str:
    return f"{name}.shape[{axis}]"


def _parameters(launch: Launch, name: str) -> Iterator[str]:
    """The kernel's parameters that a launch gives an array of the host or a copy of it."""
    assert launch.kernel is not None
    for parameter, argument in zip(launch.kernel.parameters, launch.arguments, strict=False):
        if isinstance(argument, ast.Name) and name in _origins(launch, argument):
            yield parameter


def _origins(launch: Launch, name: ast.Name) -> set[str]:
    """A name, and what it is a copy of."""
    values = values_at(launch.module, name)
    value = values[0] if len(values) == 1 else None
    if isinstance(value, ast.Call) and called_name(value) in _COPIES and value.args:
        copied = value.args[0]
        return {name.id, copied.id} if isinstance(copied, ast.Name) else {name.id}
    return {name.id}


def _asked_for(facts: KernelFacts, axis: str) -> tuple[str, int] | None:
    """The one size that the position along an axis is kept below wherever the kernel stores."""
    found: set[tuple[str, int] | None] = set()
    for access in facts.accesses:
        if access.array.parameter and access.kind != "load":
            found |= {_size_above(access, axis, facts)}
    return found.pop() if len(found) == 1 else None


def _size_above(access: Access, axis: str, facts: KernelFacts) -> tuple[str, int] | None:
    arrays = {one.name for one in facts.arrays if one.parameter}
    rests = [
        position_along(axis) + number(1) - bound for one in access.place.conditions for bound in one.bounds
    ]
    names = {rest.terms[0][0][0] for rest in rests if len(rest.terms) == 1 and rest.terms[0][0]}
    for name in names:
        array, _, size = name.partition(".shape[")
        if array in arrays and size:
            return array, int(size.removesuffix("]"))
    return None


def _is_walked(facts: KernelFacts, name: str, axis: int) -> bool:
    """Whether each thread walks along an axis of an array in a loop, and none takes its own element of it."""
    used = [one for one in facts.accesses if one.array.name == name and len(one.indices) > axis]
    forms = [(one.indices[axis].form, one.place.loops) for one in used]
    if not forms or any(grid_axis(form, loops) is not None for form, loops in forms):
        return False
    return all(any(loop.counter in facts.atoms.depends(form) for loop in loops) for form, loops in forms)


def _differ(launch: Launch, *sizes: tuple[str, int]) -> bool | None:
    """Whether two sizes of arrays of a launch differ, None where one is not known."""
    assert launch.kernel is not None
    extents = dict(zip(launch.kernel.parameters, launch.argument_extents, strict=False))
    known = [(extents.get(name) or ())[axis:][:1] for name, axis in sizes]
    if any(not one or one[0] is None for one in known):
        return None
    return known[0] != known[1]

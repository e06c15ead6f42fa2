"""Which elements of its arrays each thread of a kernel touches: nothing but those at its own position?"""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Index, KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels, all_uses_are_followed
from advisor.program.kernels.declarations import Declaration

_POSITIONS = ("tid.", "bid.")
# For each index the axis of the grid, None where it is the same for all threads.
Axes = tuple[str | None, ...]


class OwnElements:
    """What kernels do with the elements of the arrays that they are given."""

    def __init__(self, walked: WalkedKernels) -> None:
        self._walked, self._resolver = walked, walked.resolver

    def may_store(self, kernel: Declaration, parameter: str) -> bool:
        """Whether a kernel may store to an array."""
        return self._resolver.array_effects.of(kernel.module, kernel.node, parameter).writes

    def does(self, kernel: Declaration, parameter: str, *kinds: str) -> bool:
        """Whether a kernel has an access of one of some kinds to an array."""
        return any(
            one.array.name == parameter and one.kind in kinds for one in self._walked.facts(kernel).accesses
        )

    def is_array(self, kernel: Declaration, parameter: str) -> bool:
        """Whether a kernel takes elements of a parameter, or may do so."""
        facts = self._walked.facts(kernel)
        touched = [one.array.name for one in facts.accesses]
        touched += [one.array.name for one in facts.atomics if one.array is not None]
        touched += [one.array.name for one in facts.draws]
        known = facts.complete and not facts.calls_unknown and not facts.rows_handed_on
        return not known or parameter in touched

    def elements(self, kernel: Declaration, parameter: str) -> tuple[int, int] | None:
        """How many elements of a parameter each thread loads and stores; None where that hangs on loops."""
        facts = self._walked.facts(kernel)
        if not facts.complete or facts.calls_unknown or facts.loops or facts.atomics:
            return None
        touched = [one for one in facts.accesses if one.array.parameter and one.array.name == parameter]
        loaded = {one.element for one in touched if one.kind in ("load", "update")}
        return len(loaded), len({one.element for one in touched if one.kind in ("store", "update")})

    def own_axes(self, kernel: Declaration, parameter: str) -> tuple[str, ...] | None:
        """The grid axes by which each thread indexes an array, where it touches nothing but its own element.

        None where the array is used in any other way, or in more than one order.
        """
        axes = self.own_places(kernel, parameter)
        known = tuple(one for one in axes or () if one is not None)
        return known if axes is not None and len(known) == len(axes) else None

    def own_places(self, kernel: Declaration, parameter: str) -> Axes | None:
        """For each index of an array the axis of the grid along which it is the thread's own position, None
        for an index that is the same for all threads.

        None where the array is used in any other way, or in more than one order: then a thread may touch
        what is another's.
        """
        facts = self._walked.facts(kernel)
        array = next((one for one in facts.arrays if one.parameter and one.name == parameter), None)
        if array is None or not all_uses_are_followed(array, facts, self._resolver.resolve):
            return None
        if any(one.array is array for one in facts.atomics):
            return None
        found = {_places(access, facts) for access in facts.accesses if access.array is array}
        return next(iter(found)) if len(found) == 1 else None

    def positions(self, kernel: Declaration) -> frozenset[str] | None:
        """The axes along which threads of a kernel have work of their own; None where that is not known."""
        facts = self._walked.facts(kernel)
        if not facts.complete or facts.calls_unknown or facts.threads_meet or facts.draws:
            return None
        seen = [
            name
            for access in facts.accesses
            for name in (
                *(one for index in access.indices for one in facts.atoms.depends(index.form)),
                *(one for condition in access.place.conditions for one in condition.depends),
            )
        ]
        return frozenset(name[-1] for name in seen if name.startswith(_POSITIONS))


def _places(access: Access, facts: KernelFacts) -> Axes | None:
    if access.whole or any(one.is_slice for one in access.indices):
        return None
    places: list[str | None] = []
    for index in access.indices:
        axis = grid_axis(index.form, access.place.loops)
        if axis is None and not _is_uniform(index, facts):
            return None
        places.append(axis)
    return tuple(places)


def _is_uniform(index: Index, facts: KernelFacts) -> bool:
    """Whether an index is the same for all threads: made of parameters and numbers alone."""
    names = {*index.form.atoms(), *facts.atoms.depends(index.form)}
    return not facts.atoms.loaded(index.form) and not any(name.startswith(_POSITIONS) for name in names)

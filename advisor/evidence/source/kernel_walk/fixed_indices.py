"""Conditions that one place along an axis of the grid fulfils, so that one lane of a row of threads does."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Form
from advisor.evidence.source.kernel_walk.kernel_facts import Condition, Place
from advisor.program.launches.block_shape import WARP

_THREADS = frozenset(THREAD)


def fixed_indices(condition: Condition) -> frozenset[str]:
    """The thread indices of which a condition lets one value through in a block: `cuda.grid(1) == n`, or one
    of several such places that lie no closer together than the lanes of a warp.
    """
    own = frozenset(_equations(condition.bounds))
    parts = [_equations(one) for one in condition.alternatives]
    if not parts or not all(parts):
        return own
    shared = frozenset(parts[0]).intersection(*parts[1:])
    return own | frozenset(name for name in shared if _lie_apart([one[name] for one in parts]))


def is_on_line_of_grid(place: Place) -> bool:
    """Whether one place along an axis of the grid gets to a place in the kernel, as along a border, and does
    it once: the one thread of a row that walks all of it does the row's work.
    """
    return all(loop.steps_by_grid for loop in place.loops) and any(
        any(name.startswith("bid.") for form in _equations(part).values() for name in form.atoms())
        for condition in place.conditions
        if fixed_indices(condition)
        for part in (condition.bounds, *condition.alternatives[:1])
    )


def _equations(bounds: frozenset[Form]) -> dict[str, Form]:
    """What is 0 for one value of a thread index, by that: all else in it is alike in all lanes."""
    found = {}
    for form in bounds:
        names = form.atoms() & _THREADS
        others = form.atoms() - _THREADS
        if len(names) != 1 or not others or any("#" in name for name in others):
            continue
        (name,) = names
        with_it = [monomial for monomial, _ in form.terms if name in monomial]
        if with_it == [(name,)] and -form in bounds:
            found[name] = form
    return found


def _lie_apart(forms: Iterable[Form]) -> bool:
    """Whether no two of some places are known to lie among the lanes of a warp."""
    for one, other in combinations(forms, 2):
        ways = [(one - other).constant, (-one - other).constant]
        if any(apart is not None and 0 < abs(apart) < WARP for apart in ways):
            return False
    return True

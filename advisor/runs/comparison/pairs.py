"""Which kernel of one run is which of another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from advisor.evidence.measured.run_times import time_of
from advisor.model.history.fingerprint import Fingerprint


@dataclass(frozen=True)
class Pairs:
    """Fingerprints that are of one kernel in both runs, and those that only one of them has."""

    both: tuple[tuple[Fingerprint, Fingerprint], ...]
    gone: tuple[Fingerprint, ...]
    new: tuple[Fingerprint, ...]


def paired(before: Sequence[Fingerprint], after: Sequence[Fingerprint]) -> Pairs:
    """The pairs, each fingerprint in one of them at most; by what is alike, the strictest first.

    Kernels match by path and name, or by the name where a path is unknown or another; of one kernel's shapes
    those match that were launched alike, then those with the same types, then the longest with the longest.
    """
    rest_before, rest_after = (sorted(those, key=_longest) for those in (before, after))
    both: list[tuple[Fingerprint, Fingerprint]] = []
    for key in (_all, _launch, _typed, _placed, _named):
        rest_before, rest_after = _matched(rest_before, rest_after, key, both)
    order = {id(one): at for at, one in enumerate(after)}
    both.sort(key=lambda pair: order[id(pair[1])])
    return Pairs(tuple(both), tuple(rest_before), tuple(rest_after))


def _matched(
    before: Sequence[Fingerprint],
    after: Sequence[Fingerprint],
    key: Callable[[Fingerprint], Hashable],
    both: list[tuple[Fingerprint, Fingerprint]],
) -> tuple[list[Fingerprint], list[Fingerprint]]:
    """What is left of both sides; pairs with one key are added to `both` in their order."""
    waiting: dict[Hashable, list[Fingerprint]] = {}
    for one in after:
        waiting.setdefault(key(one), []).append(one)
    left = []
    for one in before:
        found = waiting.get(key(one))
        if found:
            both.append((one, found.pop(0)))
        else:
            left.append(one)
    taken = {id(pair[1]) for pair in both}
    return left, [one for one in after if id(one) not in taken]


def _longest(one: Fingerprint) -> float:
    return -(time_of(one) or 0.0)


def _placed(one: Fingerprint) -> tuple[object, ...]:
    return one.identity.path, one.identity.name


def _typed(one: Fingerprint) -> tuple[object, ...]:
    return *_placed(one), one.identity.types


def _launch(one: Fingerprint) -> tuple[object, ...]:
    who = one.identity
    return *_typed(one), who.grid, who.block, who.dynamic_shared


def _all(one: Fingerprint) -> tuple[object, ...]:
    return *_launch(one), one.ranges


def _named(one: Fingerprint) -> tuple[object, ...]:
    return (one.identity.name,)

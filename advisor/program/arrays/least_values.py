"""Values that rest on each other in cycles: the least ones that fit all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from advisor.program.arrays.host_values import (
    NOTHING,
    UNKNOWN,
    Array,
    Items,
    Nothing,
    Number,
    Value,
    join,
    unlike,
)

# After how many passes over a cycle a bound of a number that still moves counts as none, and anything else
# that still changes as unknown.
_PASSES_OF_BOUNDS, _PASSES = 2, 8


class LeastValues:
    """Values by their keys, each worked out once and kept.

    A key that is asked for while it is worked out has no value in the first pass, and what the pass before
    gave in each further one, until nothing changes.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Value] = {}
        self._pass: dict[Hashable, Value] = {}
        self._open: set[Hashable] = set()
        self._assumed: dict[Hashable, Value] = {}

    def solve(self, find: Callable[[], Value]) -> Value:
        """What `find` gives, which asks for values by `once`; UNKNOWN where they nest too deeply."""
        if self._open:
            return find()
        self._assumed.clear()
        for count in range(1_000):
            self._pass.clear()
            try:
                found = find()
            except RecursionError:
                break
            changed = self._changed()
            if not changed:
                self._kept.update(self._pass)
                return UNKNOWN if isinstance(found, Nothing) else found
            for key, new in changed.items():
                before = self._assumed[key]
                if count >= _PASSES:
                    self._assumed[key] = unlike(before, new)
                else:
                    self._assumed[key] = widened(before, new) if count >= _PASSES_OF_BOUNDS else new
        return UNKNOWN

    def once(self, key: Hashable, find: Callable[[], Value]) -> Value:
        """The value with a key; `find` works it out."""
        for known in (self._kept, self._pass):
            if key in known:
                return known[key]
        if key in self._open:
            return self._assumed.setdefault(key, NOTHING)
        self._open.add(key)
        try:
            self._pass[key] = find()
        finally:
            self._open.discard(key)
        return self._pass[key]

    def _changed(self) -> dict[Hashable, Value]:
        """The values that were assumed to be less than what came out, with what both have in common."""
        found = {}
        for key, before in self._assumed.items():
            after = join(before, self._pass.get(key, NOTHING))
            if after != before:
                found[key] = after
        return found


def widened(before: Value, after: Value) -> Value:
    """A value without the bounds of its numbers that have moved: counters would go on for ever."""
    if isinstance(before, Number) and isinstance(after, Number):
        return replace(
            after,
            low=after.low if after.low == before.low else None,
            high=after.high if after.high == before.high else None,
        )
    if isinstance(before, Items) and isinstance(after, Items) and len(before.items) == len(after.items):
        pairs = zip(before.items, after.items, strict=True)
        return replace(after, items=tuple(widened(*pair) for pair in pairs))
    if isinstance(before, Array) and isinstance(after, Array) and before.sizes and after.sizes:
        sizes = zip(before.sizes, after.sizes, strict=False)
        if len(before.sizes) == len(after.sizes):
            numbers = (widened(*pair) for pair in sizes)
            return replace(after, sizes=tuple(one for one in numbers if isinstance(one, Number)))
    return after

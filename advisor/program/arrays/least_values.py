"""Values that rest on each other in cycles: the least ones that fit all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from advisor.program.arrays.host_values import NOTHING, UNKNOWN, Nothing, Value, join, unlike

# After how many passes over a cycle what still changes counts as unknown.
_PASSES = 6


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
                self._assumed[key] = new if count < _PASSES else unlike(before, new)
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

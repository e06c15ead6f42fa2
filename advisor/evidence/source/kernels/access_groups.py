"""The accesses of a kernel by their array, and by the loops around them."""

from __future__ import annotations

from collections import defaultdict

from advisor.evidence.source.kernel_walk.kernel_facts import Access, Array, KernelFacts


class AccessGroups:
    """The accesses of a kernel that was walked to its end, each group in order of the walk."""

    def __init__(self, facts: KernelFacts) -> None:
        self._by_array: dict[int, list[Access]] = defaultdict(list)
        self._by_counter: dict[str, list[Access]] = defaultdict(list)
        for access in facts.accesses:
            self._by_array[id(access.array)].append(access)
            for counter in {loop.counter for loop in access.place.loops}:
                self._by_counter[counter].append(access)

    def of(self, array: Array) -> list[Access]:
        """The accesses to an array."""
        return self._by_array.get(id(array), [])

    def inside(self, counter: str) -> list[Access]:
        """The accesses in the loop with a counter."""
        return self._by_counter.get(counter, [])

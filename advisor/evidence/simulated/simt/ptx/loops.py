"""Which nodes of a graph lie on common cycles: the graph's strongly connected components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def cycle_numbers(targets: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """A number for each node, the same for two nodes that can be reached from each other.

    A component has its number before those that lead to it. R. Tarjan, "Depth-First Search and Linear Graph
    Algorithms", SIAM Journal on Computing 1, 1972.
    """
    return _Search(targets).numbers


class _Search:
    def __init__(self, targets: Mapping[int, Sequence[int]]) -> None:
        self.targets = targets
        self.numbers: dict[int, int] = {}
        self.count = 0
        self.found: dict[int, int] = {}
        self.lowest: dict[int, int] = {}
        self.open: list[int] = []
        for node in targets:
            if node not in self.found:
                self._visit(node)

    def _visit(self, root: int) -> None:
        stack: list[tuple[int, Iterator[int]]] = [self._entered(root)]
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if target not in self.found:
                    stack.append(self._entered(target))
                    break
                if target not in self.numbers:
                    self.lowest[node] = min(self.lowest[node], self.found[target])
            else:
                stack.pop()
                if stack:
                    before = stack[-1][0]
                    self.lowest[before] = min(self.lowest[before], self.lowest[node])
                if self.lowest[node] == self.found[node]:
                    self._close(node)

    def _entered(self, node: int) -> tuple[int, Iterator[int]]:
        self.found[node] = self.lowest[node] = len(self.found)
        self.open.append(node)
        return node, iter(self.targets[node])

    def _close(self, node: int) -> None:
        """Number the component whose first node this is."""
        while True:
            member = self.open.pop()
            self.numbers[member] = self.count
            if member == node:
                break
        self.count += 1

"""The greatest value that an index of a kernel may have, as far as the source and the launches tell."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import thread_index
from advisor.fixes.support.launches.launch_sites import LaunchSite, given_value
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode

_DEEPEST = 8
# The least and the greatest value.
_Range: TypeAlias = tuple[int, int]


class LargestIndex:
    """Ranges of the whole numbers in a kernel: `sites` are the launches."""

    def __init__(self, module: SourceModule, function: FunctionNode, sites: Sequence[LaunchSite]) -> None:
        self.module, self.function, self.sites = module, function, sites
        given = function.args
        self._parameters = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}

    def lies_within(self, node: ast.expr, length: int) -> bool:
        """Whether an index is known to be from 0 to one less than a length."""
        found = self._range(node, _DEEPEST)
        return found is not None and found[0] >= 0 and found[1] < length

    def _range(self, node: ast.expr, depth: int) -> _Range | None:
        if depth == 0:
            return None
        number = written_integer(node)
        if number is not None:
            return number, number
        if isinstance(node, ast.Name):
            return self._named(node.id, depth - 1)
        place = thread_index(self.module, node)
        if place is not None:
            return self._thread(*place)
        if isinstance(node, ast.BinOp):
            left, right = self._range(node.left, depth - 1), self._range(node.right, depth - 1)
            return _computed(node.op, left, right)
        return None

    def _named(self, name: str, depth: int) -> _Range | None:
        if name in self._parameters:
            return None
        bound = self.module.bindings(name, self.function)
        if not bound:
            bound = self.module.bindings(name, None)
            if len(bound) != 1:
                return None
        return _around([self._bound(one, name, depth) for one in bound])

    def _bound(self, node: ast.AST, name: str, depth: int) -> _Range | None:
        if isinstance(node, ast.For):
            return self._counted(node, depth)
        value = given_value(node, name)
        return self._range(value, depth) if value is not None else None

    def _counted(self, loop: ast.For, depth: int) -> _Range | None:
        """The range of the counter of a loop over `range(…)`."""
        if not isinstance(loop.target, ast.Name):
            return None
        bounds = [self._range(one, depth) for one in range_bounds(loop) or ()]
        if not bounds:
            return None
        steps = bounds[2] if len(bounds) > 2 else (1, 1)
        first = bounds[0] if len(bounds) > 1 else (0, 0)
        last = bounds[1] if len(bounds) > 1 else bounds[0]
        if first is None or last is None or steps is None or steps[0] < 1:
            return None
        return first[0], max(last[1] - 1, first[0])

    def _thread(self, kind: str, axis: str) -> _Range | None:
        """The range of `threadIdx.x` and the like, where all launches tell the block's size."""
        if kind not in ("threadIdx", "blockDim") or not self.sites:
            return None
        sizes = [one.row.values.get(f"block_{axis}") for one in self.sites]
        known = [int(one) for one in sizes if isinstance(one, float)]
        if len(known) != len(sizes):
            return None
        return (0, max(known) - 1) if kind == "threadIdx" else (min(known), max(known))


def _computed(operator: ast.operator, left: _Range | None, right: _Range | None) -> _Range | None:
    if isinstance(operator, ast.Mod) and right is not None and right[0] > 0:
        # Python's remainder has the sign of the divisor.
        return 0, right[1] - 1
    if left is None or right is None or left[0] < 0 or right[0] < 0:
        return None
    if isinstance(operator, ast.Add):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(operator, ast.Mult):
        return left[0] * right[0], left[1] * right[1]
    if isinstance(operator, ast.Sub) and left[0] >= right[1]:
        return left[0] - right[1], left[1] - right[0]
    if isinstance(operator, ast.FloorDiv) and right[0] > 0:
        return left[0] // right[1], left[1] // right[0]
    return None


def _around(ranges: Sequence[_Range | None]) -> _Range | None:
    known = [one for one in ranges if one is not None]
    if not known or len(known) != len(ranges):
        return None
    return min(one[0] for one in known), max(one[1] for one in known)

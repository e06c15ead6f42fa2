"""The greatest value that an index of a kernel may have, as far as the source and the launches tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import thread_index
from advisor.fixes.support.launches.launch_sites import LaunchSite, given_value

_DEEPEST = 8
# The least and the greatest value.
_Range: TypeAlias = tuple[int, int]


class LargestIndex:
    """Ranges of the whole numbers in a kernel: `sites` are the launches."""

    def __init__(self, module: SourceModule, function: cst.FunctionDef, sites: Sequence[LaunchSite]) -> None:
        self.module, self.function, self.sites = module, function, sites
        params = function.params
        every = (*params.posonly_params, *params.params, *params.kwonly_params)
        self._parameters = {one.name.value for one in every}

    def lies_within(self, node: cst.BaseExpression, length: int) -> bool:
        """Whether an index is known to be from 0 to one less than a length."""
        found = self._range(node, _DEEPEST)
        return found is not None and found[0] >= 0 and found[1] < length

    def _range(self, node: cst.BaseExpression, depth: int) -> _Range | None:
        if depth == 0:
            return None
        if isinstance(node, cst.Integer):
            return (int(node.evaluated_value),) * 2
        if isinstance(node, cst.Name):
            return self._named(node.value, depth - 1)
        place = thread_index(self.module, node)
        if place is not None:
            return self._thread(*place)
        if isinstance(node, cst.BinaryOperation):
            left, right = self._range(node.left, depth - 1), self._range(node.right, depth - 1)
            return _computed(node.operator, left, right)
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

    def _bound(self, node: cst.CSTNode, name: str, depth: int) -> _Range | None:
        if isinstance(node, cst.For):
            return self._counted(node, depth)
        value = given_value(node, name)
        return self._range(value, depth) if value is not None else None

    def _counted(self, loop: cst.For, depth: int) -> _Range | None:
        """The range of the counter of a loop over `range(…)`."""
        call = loop.iter
        if not isinstance(loop.target, cst.Name) or not isinstance(call, cst.Call) or not call.args:
            return None
        if self.module.written(call.func) != "range" or any(one.star for one in call.args):
            return None
        bounds = [self._range(one.value, depth) for one in call.args]
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


def _computed(operator: cst.BaseBinaryOp, left: _Range | None, right: _Range | None) -> _Range | None:
    if isinstance(operator, cst.Modulo) and right is not None and right[0] > 0:
        # Python's remainder has the sign of the divisor.
        return 0, right[1] - 1
    if left is None or right is None or left[0] < 0 or right[0] < 0:
        return None
    if isinstance(operator, cst.Add):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(operator, cst.Multiply):
        return left[0] * right[0], left[1] * right[1]
    if isinstance(operator, cst.Subtract) and left[0] >= right[1]:
        return left[0] - right[1], left[1] - right[0]
    if isinstance(operator, cst.FloorDivide) and right[0] > 0:
        return left[0] // right[1], left[1] // right[0]
    return None


def _around(ranges: Sequence[_Range | None]) -> _Range | None:
    known = [one for one in ranges if one is not None]
    if not known or len(known) != len(ranges):
        return None
    return min(one[0] for one in known), max(one[1] for one in known)

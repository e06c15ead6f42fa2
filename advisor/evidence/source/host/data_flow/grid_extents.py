"""Which sizes of arrays the axes of a grid come from, and along which ones the kernel walks by them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

_AXES = "xy"
_DEPTH = 8
# The size of an array of host code along an axis.
ArraySize: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class HostFrame:
    """A module, and for a function's body what a call gives its parameters, with the frame of the call."""

    module: ModuleSyntax
    given: Mapping[str, ast.expr]
    outer: HostFrame | None = None


def exchanged_array(launch: Launch, walked: WalkedKernels, workspace: Workspace) -> str | None:
    """The array whose first two sizes the grid of a launch has the other way round than the kernel indexes
    it: its x axis comes from one size, and the threads along x walk along the other. None where there is no
    such array, or where both sizes are known to be equal.
    """
    grid = grid_of(launch)
    if launch.kernel is None or grid is None:
        return None
    sizes = GridSizes(workspace).of_grid(grid, HostFrame(launch.module, {}), _DEPTH)
    if sizes is None or len(sizes) != len(_AXES) or {axis for _, axis in sizes} != {0, 1}:
        return None
    name = sizes[0][0]
    facts = walked.facts(launch.kernel)
    given = zip(launch.kernel.parameters, launch.arguments, strict=False)
    for place, (parameter, argument) in enumerate(given):
        same = isinstance(argument, ast.Name) and argument.id == name == sizes[1][0]
        if same and _walked(parameter, facts) == [sizes[1][1], sizes[0][1]]:
            extents = launch.argument_extents[place] if place < len(launch.argument_extents) else None
            known = extents is not None and len(set(extents[:2])) == 1 and extents[0] is not None
            return None if known else name
    return None


def _walked(parameter: str, facts: KernelFacts) -> list[int] | None:
    """The axes of an array of two that threads along x and along y walk along; None where they do not."""
    found: set[tuple[int, ...]] = set()
    for access in facts.accesses:
        if access.array.parameter and access.array.name == parameter and len(access.indices) == len(_AXES):
            axes = [grid_axis(index.form, ()) for index in access.indices]
            if sorted(filter(None, axes)) == list(_AXES):
                found.add(tuple(axes.index(axis) for axis in _AXES))
    return list(found.pop()) if facts.complete and len(found) == 1 else None


def grid_of(launch: Launch) -> ast.expr | None:
    """The expression of a launch's grid, None where it is not written in the launch."""
    function = launch.node.func
    parts = function.slice if isinstance(function, ast.Subscript) else None
    return parts.elts[0] if isinstance(parts, ast.Tuple) and parts.elts else None


class GridSizes:
    """Follows the sides of a grid to the sizes of arrays that they are computed from."""

    def __init__(self, workspace: Workspace) -> None:
        self._functions = CalledFunctions(workspace)

    def of_grid(self, node: ast.expr, frame: HostFrame, depth: int) -> list[ArraySize] | None:
        """The size that each side of a grid of two sides comes from, None where that is not known of both."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Tuple):
            sides = [self._sides(one, frame, {}, depth - 1) for one in node.elts]
            known = [one.pop() for one in sides if one is not None and len(one) == 1]
            return known if len(known) == len(_AXES) == len(sides) else None
        if isinstance(node, ast.Name):
            return _only(self.of_grid(one, at, depth - 1) for one, at in meanings(node, frame))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            returned = self._returned(node.value, frame)
            parts = [(one.elts, at) for one, at in returned if isinstance(one, ast.Tuple)]
            place = node.slice.value
            if not isinstance(place, int) or len(parts) != len(returned):
                return None
            return _only(
                self.of_grid(elements[place], at, depth - 1)
                for elements, at in parts
                if place < len(elements)
            )
        if isinstance(node, ast.Call):
            if called_name(node) == "tuple" and len(node.args) == 1:
                return self._of_each(node.args[0], frame, depth)
            return _only(self.of_grid(one, at, depth - 1) for one, at in self._returned(node, frame))
        return None

    def of_sides(self, node: ast.expr, frame: HostFrame, depth: int = _DEPTH) -> list[ArraySize | None]:
        """The one size that each side of a grid comes from, None for a side of which that is not known."""
        if isinstance(node, ast.Name):
            values = meanings(node, frame)
            if len(values) == 1 and depth > 0:
                return self.of_sides(*values[0], depth - 1)
            return []
        sides = node.elts if isinstance(node, ast.Tuple) else [node]
        found = [self._sides(one, frame, {}, depth) for one in sides]
        return [next(iter(one)) if one is not None and len(one) == 1 else None for one in found]

    def _of_each(self, node: ast.expr, frame: HostFrame, depth: int) -> list[ArraySize] | None:
        """What `tuple(side(size) for size in shape)` comes from."""
        if not isinstance(node, ast.GeneratorExp | ast.ListComp) or len(node.generators) != 1:
            return None
        generator = node.generators[0]
        name = self._shape(generator.iter, frame, depth - 1)
        if name is None or generator.ifs or not isinstance(generator.target, ast.Name):
            return None
        found: list[ArraySize] = []
        for axis in range(len(_AXES)):
            sizes = self._sides(node.elt, frame, {generator.target.id: (name, axis)}, depth - 1)
            if sizes != {(name, axis)}:
                return None
            found.append((name, axis))
        return found

    def _sides(
        self, node: ast.expr, frame: HostFrame, counted: Mapping[str, ArraySize], depth: int
    ) -> set[ArraySize] | None:
        """The sizes of arrays that an expression is computed from; None where that is not told."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Name):
            if node.id in counted:
                return {counted[node.id]}
            found = [self._sides(one, at, {}, depth - 1) for one, at in meanings(node, frame)]
            return None if None in found else {size for one in found for size in one or ()}
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = self._shape(node.value, frame, depth - 1)
            if name is not None and isinstance(node.slice.value, int):
                return {(name, node.slice.value)}
        if isinstance(node, ast.Attribute) or called_name(node) == "len":
            return set()
        every: set[ArraySize] = set()
        parts = [*node.args] if isinstance(node, ast.Call) else list(ast.iter_child_nodes(node))
        for one in parts:
            if isinstance(one, ast.expr):
                found_there = self._sides(one, frame, counted, depth)
                if found_there is None:
                    return None
                every |= found_there
        return every

    def _shape(self, node: ast.expr, frame: HostFrame, depth: int) -> str | None:
        """The array of the launching function of which an expression is the shape."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name):
            if frame.outer is None:
                return node.value.id
            given = frame.given.get(node.value.id)
            return given.id if isinstance(given, ast.Name) and frame.outer.outer is None else None
        if isinstance(node, ast.Name):
            several = [one for one in meanings(node, frame) if not _has_one_axis(one[0])]
            found = {self._shape(one, at, depth - 1) for one, at in several}
            return found.pop() if len(found) == 1 else None
        return None

    def _returned(self, call: ast.expr, frame: HostFrame) -> list[tuple[ast.expr, HostFrame]]:
        """What the one function that a call runs returns, with its frame; nothing where that is not known."""
        if not isinstance(call, ast.Call) or call.keywords:
            return []
        found = self._functions.of(call.func, frame.module, frame.module.function_around(call))
        if found is None or len(found) != 1 or any(isinstance(one, ast.Starred) for one in call.args):
            return []
        module, function = found[0]
        if not isinstance(function, ast.FunctionDef):
            return []
        names = [one.arg for one in function.args.args]
        inner = HostFrame(module, dict(zip(names, call.args, strict=False)), frame)
        values = [one.value for one in below_in_scope(function) if isinstance(one, ast.Return)]
        return [(one, inner) for one in values if one is not None]


def meanings(name: ast.Name, frame: HostFrame) -> list[tuple[ast.expr, HostFrame]]:
    """The expressions that a name may stand for, with their frames."""
    found: list[tuple[ast.expr, HostFrame]] = []
    for value in values_at(frame.module, name):
        if value is not None:
            found.append((value, frame))
        elif frame.outer is not None and name.id in frame.given:
            found.append((frame.given[name.id], frame.outer))
    return found


def _has_one_axis(node: ast.expr) -> bool:
    """Whether an expression is a shape of one axis, which no grid of two sides comes from."""
    return isinstance(node, ast.Tuple) and len(node.elts) == 1


def _only(found: Iterator[list[ArraySize] | None]) -> list[ArraySize] | None:
    """What all of several say, None where they differ or one is not known."""
    every = list(found)
    return every[0] if every and all(one == every[0] for one in every) else None

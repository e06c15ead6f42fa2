"""Whether each thread stores to elements of its own only, which no other thread of the launch looks at."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.fixes.support.host.source_effects import parameter_effects
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, indices_of, names_in, value_of
from advisor.fixes.support.kernel.grid_indices import grid_indices, is_grid_index
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute, grid_call, thread_index
from advisor.fixes.support.launches.launch_sites import given_value
from advisor.fixes.support.launches.launch_sizes import Extent
from advisor.fixes.support.values.independent_iterations import is_store
from advisor.program.syntax.calls import range_bounds

_ORDERLESS = ("add", "sub", "max", "min", "and_", "or_", "xor")
_DEEPEST = 4


@dataclass(frozen=True)
class _Index:
    """The index of a thread along an axis: over the whole grid (`grid`), `blockIdx`, or `threadIdx`."""

    kind: str
    axis: str

    def tells_apart(self) -> set[tuple[str, str]]:
        """The parts of a launch whose blocks or threads have different values of it."""
        parts = {"grid": ("grid", "block"), "blockIdx": ("grid",), "threadIdx": ("block",)}
        return {(part, self.axis) for part in parts.get(self.kind, ())}


def stored_arrays(body: KernelBody, numbers: Iterable[str] = ()) -> frozenset[str] | None:
    """The array parameters that a kernel stores to; None where that cannot be told of one.

    `numbers` are parameters that are known to be none.
    """
    found = set()
    for position, name in enumerate(body.parameters):
        if name in numbers:
            continue
        effect = parameter_effects(body.module, body.function, position)
        if effect.keeps:
            return None
        if effect.writes:
            found.add(name)
    return frozenset(found)


def stores_own_elements(body: KernelBody, arrays: Iterable[str], extents: frozenset[Extent]) -> bool:
    """Whether no element of the arrays that a kernel stores to is used by two threads of a launch.

    The indices that tell the threads apart stand at the same positions in all uses of an array. Arrays that
    get nothing but one kind of atomic update, in whatever order, count as well.
    """
    if not all(_stores_to_known(body, node) for node in body.nodes(ast.Subscript)):
        return False
    indices = _ThreadIndices(body)
    return all(_only_counts_up(body, one) or indices.are_own(one, extents) for one in arrays)


def _stores_to_known(body: KernelBody, node: ast.Subscript) -> bool:
    """Whether an element that is stored to is one of a parameter, or of an array of the thread alone."""
    if not is_store(body.module, node):
        return True
    owner: ast.expr = node
    while isinstance(owner, ast.Subscript | ast.Attribute):
        owner = owner.value
    if not isinstance(owner, ast.Name):
        return False
    made = value_of(body.module, body.function, owner.id)
    local = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
    return owner.id in body.parameters or (
        local and cuda_attribute(body.module, made.func.value) == "local"  # type: ignore[union-attr]
    )


def _only_counts_up(body: KernelBody, array: str) -> bool:
    """Whether an array gets only atomic updates of one kind, whose results nobody looks at."""
    kinds = set()
    for name in names_in(body.module, body.function.body):
        if name.id != array or _is_asked(body, name):
            continue
        call = body.module.parent(name)
        if not isinstance(call, ast.Call) or not call.args or call.args[0] is not name:
            return False
        called = call.func
        if not isinstance(called, ast.Attribute) or not isinstance(body.module.parent(call), ast.Expr):
            return False
        if cuda_attribute(body.module, called.value) != "atomic":
            return False
        kinds.add(called.attr)
    return len(kinds) == 1 and kinds <= set(_ORDERLESS)


def _is_asked(body: KernelBody, name: ast.Name) -> bool:
    """Whether an array is only asked for its shape, type or length."""
    above = body.module.parent(name)
    if isinstance(above, ast.Attribute):
        return above.attr in ARRAY_QUESTIONS
    return isinstance(above, ast.Call) and body.module.code_of(above.func) == "len"


class _ThreadIndices:
    """The names of a kernel that are indices of its threads."""

    def __init__(self, body: KernelBody) -> None:
        self.body, self.module = body, body.module
        self._lines = grid_indices(body)

    def are_own(self, array: str, extents: frozenset[Extent]) -> bool:
        """Whether the indices that all uses of an array have in common tell all threads apart."""
        common: list[_Index | None] | None = None
        for name in names_in(self.module, self.body.function.body):
            if name.id != array or _is_asked(self.body, name):
                continue
            above = self.module.parent(name)
            indices = indices_of(above) if isinstance(above, ast.Subscript) and above.value is name else None
            if indices is None:
                return False
            found = [self._of(one) for one in indices]
            common = found if common is None else [
                one if one == other else None for one, other in zip(common, found, strict=False)
            ]  # fmt: skip
        told: set[tuple[str, str]] = set()
        for one in common or ():
            told |= one.tells_apart() if one is not None else set()
        return extents <= told

    def _of(self, node: ast.expr, depth: int = 0) -> _Index | None:
        """The index of the thread that an expression is, also by its name."""
        if grid_call(self.module, node) == 1:
            return _Index("grid", "x")
        place = thread_index(self.module, node)
        if place is not None:
            return _Index(*place) if place[0] in ("threadIdx", "blockIdx") else None
        if not isinstance(node, ast.Name) or node.id in self.body.parameters or depth > _DEEPEST:
            return None
        if node.id in self._lines:
            return self._of_grid(node.id)
        bound = self.module.bindings(node.id, self.body.function)
        value = given_value(bound[0], node.id) if len(bound) == 1 else None
        return self._of(value, depth + 1) if value is not None else self._of_counter(node.id, depth + 1)

    def _of_grid(self, name: str) -> _Index | None:
        assignment = self.module.bindings(name, self.body.function)[0]
        if not isinstance(assignment, ast.Assign):
            return None
        target = assignment.targets[0]
        if isinstance(target, ast.Tuple):
            names = [self.module.code_of(one) for one in target.elts]
            return _Index("grid", "xyz"[names.index(name)]) if names.count(name) == 1 else None
        if grid_call(self.module, assignment.value) == 1:
            return _Index("grid", "x")
        axes = self._axes_in(assignment.value)
        return _Index("grid", axes.pop()) if len(axes) == 1 else None

    def _axes_in(self, value: ast.expr, depth: int = 0) -> set[str]:
        """The axes of the thread and block indices in an expression, also behind names."""
        places = (thread_index(self.module, one) for one in self.module.nodes_in(ast.Attribute, value))
        found = {place[1] for place in places if place is not None}
        for name in names_in(self.module, value) if depth < _DEEPEST else ():
            inner = value_of(self.module, self.body.function, name.id)
            found |= self._axes_in(inner, depth + 1) if inner is not None else set()
        return found

    def _of_counter(self, name: str, depth: int) -> _Index | None:
        """The grid index that the counter of grid-stride loops counts for: no thread has that of another."""
        bound = self.module.bindings(name, self.body.function)
        found = {self._of_loop(one, depth) for one in bound}
        return found.pop() if len(found) == 1 else None

    def _of_loop(self, loop: ast.AST, depth: int) -> _Index | None:
        bounds = range_bounds(loop)
        if bounds is None or len(bounds) != 3:
            return None
        first, _, stride = bounds
        index = self._of(first, depth)
        if index is None and is_grid_index(self.body, first):
            axes = self._axes_in(first)
            index = _Index("grid", axes.pop()) if len(axes) == 1 else None
        whole = index is not None and index.kind == "grid" and self._is_grid_size(stride, index.axis)
        return index if whole else None

    def _is_grid_size(self, node: ast.expr, axis: str) -> bool:
        """Whether an expression is the number of threads of the grid along an axis."""
        meant = value_of(self.module, self.body.function, node.id) if isinstance(node, ast.Name) else node
        if meant is None:
            return False
        if grid_call(self.module, meant, "gridsize") == 1:
            return axis == "x"
        if not isinstance(meant, ast.BinOp) or not isinstance(meant.op, ast.Mult):
            return False
        parts = {thread_index(self.module, meant.left), thread_index(self.module, meant.right)}
        return parts == {("blockDim", axis), ("gridDim", axis)}

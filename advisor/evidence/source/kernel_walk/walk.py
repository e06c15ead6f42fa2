"""The walk through one kernel from its first statement to its last."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.evidence.source.kernel_walk.followed_uses import all_uses_are_followed
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Array,
    KernelFacts,
    Kind,
    Opaque,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.kernel_loops import LoopWalk
from advisor.evidence.source.kernel_walk.walk_state import Resolve
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_values import Order
from advisor.program.arrays.launch_arguments import Extents, Given
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import Workspace
from advisor.program.values.constants import Constants


@dataclass(frozen=True)
class Shown:
    """What launches show of parameters: Numba types, sizes of arrays, their order in memory, and which are
    NumPy arrays or have no elements; `same` are those that may share their array with another one.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    extents: Mapping[str, Extents] = field(default_factory=dict)
    orders: Mapping[str, Order] = field(default_factory=dict)
    given: Mapping[str, Given] = field(default_factory=dict)
    same: frozenset[str] = frozenset()


NOTHING_SHOWN = Shown()


def kernel_facts(
    declaration: Declaration,
    workspace: Workspace,
    resolve: Resolve,
    shown: Shown = NOTHING_SHOWN,
) -> KernelFacts:
    """All that the source says about one kernel; `resolve` finds the device function behind a name, and
    `shown` is what the launches tell of its parameters.
    """
    facts = KernelFacts(declaration)
    walk = KernelWalk(facts, workspace, resolve)
    for name in declaration.parameters:
        walk.env[name] = _parameter(name, declaration, walk, shown)
    walk.statements(declaration.node.body)
    updated = {one.array.name: one.array for one in facts.atomics if one.array is not None}
    facts.followed = frozenset(
        name
        for name, array in updated.items()
        if name not in shown.same and all_uses_are_followed(array, facts, resolve)
    )
    return facts


def _parameter(name: str, declaration: Declaration, walk: KernelWalk, shown: Shown) -> Value:
    """A parameter: an array when it is subscripted, measured or iterated anywhere, else a number."""
    known = shown.types.get(name, "")
    element, _, dims = known.partition("[")
    array = Array(name, "global", True, declaration.module, declaration.node)
    array.made, array.order = shown.extents.get(name, ()), shown.orders.get(name)
    array.given = shown.given.get(name)
    if dims:
        array.dtype, array.itemsize = element, itemsize_of(element)
    walk.facts.arrays.append(array)
    kind: Kind = "int" if _bounds_a_range(name, declaration) else None
    if known and not dims:
        kind = "int" if "int" in known else "float" if "float" in known else kind
    symbol = Scalar(walk.atoms.symbol(name), kind)
    return Scalar(symbol.form, symbol.kind, View(array))


def _as_used(name: str, value: Value, device: Declaration) -> Value:
    """An argument of a device function; one that bounds a `range` there is an integer."""
    if isinstance(value, Scalar) and value.kind is None and _bounds_a_range(name, device):
        return replace(value, kind="int")
    return value


def _bounds_a_range(name: str, declaration: Declaration) -> bool:
    """Whether a parameter is an argument of `range`, so an integer."""
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id == "range"
        and any(isinstance(item, ast.Name) and item.id == name for item in call.args)
        for call in declaration.module.inside(declaration.node, ast.Call)
    )


class KernelWalk(LoopWalk):
    """The walk through a kernel and the device functions that it calls."""

    def run_function(self, device: Declaration, bound: dict[str, Value]) -> Value:
        """The value that a device function returns for the given arguments; what it does is noted."""
        saved = (
            self.module,
            self.function,
            self.env,
            self.constants,
            self.returned,
            self.depth,
            self.conditions,
        )
        self.module, self.function = device.module, device.node
        self.env = {name: _as_used(name, value, device) for name, value in bound.items()}
        self.constants = Constants(self.workspace, device.module, device.node)
        self.returned, self.depth = [], self.depth + 1
        self.statements(device.node.body)
        results = self.returned
        self.module, self.function, self.env, self.constants, self.returned, self.depth, self.conditions = (
            saved
        )
        if not results:
            return Opaque()
        first = results[0]
        if all(result == first for result in results):
            return first
        sizes = {len(result.items) for result in results if isinstance(result, Tuple)}
        if len(sizes) == 1 and all(isinstance(result, Tuple) for result in results):
            columns = zip(*(result.items for result in results if isinstance(result, Tuple)), strict=True)
            return Tuple(tuple(self.opaque(list(column)) for column in columns))
        return self.opaque([*results, *bound.values()])

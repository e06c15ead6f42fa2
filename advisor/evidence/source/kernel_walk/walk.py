"""The walk through one kernel from its first statement to its last."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.index_bounds import Case, of_cases
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Array,
    Condition,
    KernelFacts,
    Kind,
    Opaque,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.kernel_loops import LoopWalk
from advisor.evidence.source.kernel_walk.named_values import NamedValues
from advisor.evidence.source.kernel_walk.walk_state import Resolve
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_values import Order
from advisor.program.arrays.launch_arguments import Extents, Given
from advisor.program.effects.device_functions import Resolver
from advisor.program.effects.use_analysis import UseAnalysis
from advisor.program.kernels.declarations import Declaration, cuda_member
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.constants import Constants

_QUESTIONS = frozenset({"shape", "size", "ndim", "dtype", "strides", "itemsize", "nbytes"})
_DEEPEST = 6


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
    return KernelWalk(KernelFacts(declaration), workspace, resolve).run_kernel(shown)


class WalkedKernels:
    """Kernels as their source has them, whatever launches show of their parameters; each is walked once."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._facts: dict[ast.AST, KernelFacts] = {}

    def facts(self, kernel: Declaration) -> KernelFacts:
        """What the walk through a kernel finds; nothing for certain of one that is nested too deeply."""
        if kernel.node not in self._facts:
            try:
                facts = kernel_facts(kernel, self.resolver.workspace, self.resolver.resolve)
            except RecursionError:
                facts = KernelFacts(kernel, complete=False)
            self._facts[kernel.node] = facts
        return self._facts[kernel.node]


def _parameter(name: str, walk: KernelWalk, shown: Shown) -> Value:
    """A parameter: an array when it is subscripted, measured or iterated anywhere, else a number."""
    declaration = walk.facts.declaration
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


def _tests_an_element(function: FunctionNode) -> bool:
    """Whether what a test asks for is an element itself, and not what it is compared with."""
    for node in below(function):
        tested: list[ast.expr] = []
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            tested = [node.test]
        elif isinstance(node, ast.BoolOp):
            tested = node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            tested = [node.operand]
        if any(isinstance(one, ast.Subscript) for one in tested):
            return True
    return False


class KernelWalk(LoopWalk):
    """The walk through a kernel and the device functions that it calls."""

    def run_kernel(self, shown: Shown = NOTHING_SHOWN) -> KernelFacts:
        """Walk the kernel itself; return all that was found."""
        declaration, facts = self.facts.declaration, self.facts
        for name in declaration.parameters:
            self.env[name] = _parameter(name, self, shown)
        self._note_truths(facts.arrays)
        self.statements(declaration.node.body)
        updated = {one.array.name: one.array for one in facts.atomics if one.array is not None}
        facts.followed = frozenset(
            name
            for name, array in updated.items()
            if name not in shown.same and all_uses_are_followed(array, facts, self.resolve)
        )
        return facts

    def _note_truths(self, arrays: Sequence[Array]) -> None:
        """Note which parameters hold truth values where no type is known, as for the compilation."""
        function = self.facts.declaration.node
        unknown = [one for one in arrays if one.itemsize is None]
        if unknown and _tests_an_element(function):
            uses = UseAnalysis(self._function_of).uses(function)
            for array in unknown:
                use = uses.get(array.name)
                array.truths = use is not None and use.is_truth and not (use.tested_as_number or use.fields)

    def _function_of(self, called: ast.expr) -> FunctionNode | None:
        dotted = self.module.dotted(called)
        found = self.resolve(dotted, self.module) if dotted is not None else None
        return found.node if found is not None else None

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
        self.facts.called.append(device)
        self.module, self.function = device.module, device.node
        self.env = NamedValues({name: _as_used(name, value, device) for name, value in bound.items()})
        self.constants = Constants(self.workspace, device.module, device.node)
        self.returned, self.depth = [], self.depth + 1
        if not self.statements(device.node.body):
            self.returned.append((Opaque(), self.conditions))
        returned = self.returned
        self.module, self.function, self.env, self.constants, self.returned, self.depth, self.conditions = (
            saved
        )
        return self._result(returned, len(self.conditions), list(bound.values()))

    def _result(
        self, returned: Sequence[tuple[Value, tuple[Condition, ...]]], around: int, given: Sequence[Value]
    ) -> Value:
        """The value of a call from those of the function's returns, each with its conditions, of which the
        first `around` are those of the call; a function that comes to its end returns nothing there.
        """
        results = [value for value, _ in returned if value != Opaque()]
        if not results:
            return Opaque()
        first = results[0]
        always = len(results) == len(returned) or self.truth(first) is None
        if always and all(result == first for result in results):
            return first
        sizes = {len(result.items) for result in results if isinstance(result, Tuple)}
        if len(sizes) == 1 and all(isinstance(result, Tuple) for result in results):
            columns = zip(*(result.items for result in results if isinstance(result, Tuple)), strict=True)
            return Tuple(tuple(self.opaque(list(column)) for column in columns))
        inside = [conditions[around:] for _, conditions in returned]
        paths = [frozenset[Form]().union(*(one.bounds for one in passed)) for passed in inside]
        cases = [
            Case(path, False) if value == Opaque() else self.case(value, path)
            for (value, _), path in zip(returned, paths, strict=True)
        ]
        return self.with_outcomes(self.opaque([*results, *given]), of_cases(cases))


def all_uses_are_followed(array: Array, facts: KernelFacts, resolve: Resolve) -> bool:
    """Whether each use of an array parameter, also in the device functions that get it, is an access or an
    atomic of the kernel's facts or asks for its shape. False where it gets another name, and where a function
    that gets it is not known.
    """
    declaration = facts.declaration
    if not array.parameter or not facts.complete or array.name not in declaration.parameters:
        return False
    seen = {one.place.node for one in facts.accesses if one.array is array}
    seen |= {one.place.node for one in facts.atomics if one.array is array}
    uses = _Uses(seen, resolve)
    return uses.are_followed(declaration.module, declaration.node, array.name, _DEEPEST)


class _Uses:
    def __init__(self, seen: set[ast.AST], resolve: Resolve) -> None:
        self.seen, self.resolve = seen, resolve

    def are_followed(self, module: ModuleSyntax, function: FunctionNode, name: str, depth: int) -> bool:
        names = [one for one in module.inside(function, ast.Name) if one.id == name]
        return depth > 0 and all(self._is_followed(one, module, depth) for one in names)

    def _is_followed(self, name: ast.Name, module: ModuleSyntax, depth: int) -> bool:
        if not isinstance(name.ctx, ast.Load):
            return False
        node: ast.expr = name
        parent = module.parents.get(name)
        if isinstance(parent, ast.Attribute) and parent.attr in _QUESTIONS:
            return True
        while isinstance(parent, ast.Subscript) and parent.value is node:
            if parent in self.seen:
                return True
            node, parent = parent, module.parents.get(parent)
        if not isinstance(parent, ast.Call) or node not in parent.args:
            return False
        if parent in self.seen or (node is name and module.dotted(parent.func) == "len"):
            return True
        return node is name and self._is_followed_in(parent, name, module, depth)

    def _is_followed_in(self, call: ast.Call, name: ast.Name, module: ModuleSyntax, depth: int) -> bool:
        dotted = module.dotted(call.func)
        if dotted is None or cuda_member(dotted) is not None:
            return False
        device = self.resolve(dotted, module)
        position = call.args.index(name)
        plain = not any(isinstance(one, ast.Starred) for one in call.args)
        if device is None or not plain or position >= len(device.parameters):
            return False
        return self.are_followed(device.module, device.node, device.parameters[position], depth - 1)

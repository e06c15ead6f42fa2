"""In which order the elements of array arguments lie in memory, as far as the host code shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from advisor.program.arrays.escaping_kernels import is_handed_on, kernel_is_handed_on
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.object_attributes import enclosing_class, values_of_attribute
from advisor.program.names.reaching_values import bound_before, reaching_values
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below
from advisor.program.values.call_sites import values_given
from advisor.program.values.constants import Constants

# Row-major, column-major, neither for certain; None where nothing is seen that speaks against row-major.
Order: TypeAlias = Literal["C", "F", "unknown"] | None
_DEPTH = 8
_ROW_MAJOR = frozenset({
    "zeros", "ones", "empty", "full", "eye", "arange", "linspace", "ascontiguousarray", "rand", "randn",
    "random", "random_sample", "standard_normal", "normal", "uniform", "randint", "integers",
    "device_array", "pinned_array", "mapped_array", "managed_array", "ravel", "flatten",
})  # fmt: skip
_KEEPING = frozenset({
    "array", "asarray", "copy", "zeros_like", "ones_like", "empty_like", "full_like", "device_array_like",
    "to_device", "as_cuda_array", "asnumpy", "asanyarray",
})  # fmt: skip
_KEEPING_METHODS = frozenset({"astype", "copy_to_host", "get", "view"})
_LIBRARIES = ("numpy.", "cupy.", "numba.")
# Where `order` stands among the positional arguments.
_ORDER_AT = {
    "zeros": 2, "ones": 2, "empty": 2, "full": 3, "reshape": 2, "device_array": 3, "pinned_array": 3,
    "mapped_array": 3, "asarray": 2,
}  # fmt: skip


def orders_of_arguments(arguments: Sequence[ast.expr], scope: HostScope) -> tuple[Order, ...]:
    """The order of each argument that is an array; what is said of a flat array has no use."""
    finder = ArrayOrders(scope)
    return tuple(finder.of(argument) for argument in arguments)


def orders_elsewhere(kernel: Declaration, workspace: Workspace) -> dict[str, Order]:
    """The orders of the parameters of a kernel without a launch in sight: not known where code that is not
    followed is given the kernel, to launch it with arrays of its own.
    """
    return dict.fromkeys(kernel.parameters, "unknown") if kernel_is_handed_on(kernel, workspace) else {}


def agreed(orders: Iterable[Order]) -> Order:
    """The order of an array that has one of several."""
    found = set(orders)
    if len(found) == 1:
        return found.pop()
    return "unknown" if found & {"F", "unknown"} else None


def flipped(order: Order) -> Order:
    """The order of the transpose."""
    return "F" if order == "C" else "C" if order == "F" else "unknown"


class ArrayOrders:
    """The orders of arrays in one host function."""

    def __init__(self, scope: HostScope) -> None:
        self.scope, self.module = scope, scope.module

    def of(self, node: ast.expr | None, depth: int = _DEPTH) -> Order:
        """The order of the array that an expression gives."""
        if node is None or depth == 0:
            return None
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        found: Order = method(node, depth - 1) if method else None
        return found

    def _elsewhere(self, module: ModuleSyntax, function: FunctionNode | None) -> ArrayOrders:
        return ArrayOrders(HostScope(module, function, self.scope.workspace))

    def _of_list(self, _: ast.List, __: int) -> Order:
        return "C"

    def _of_name(self, node: ast.Name, depth: int) -> Order:
        function = self.scope.function
        if function is None:
            return agreed(self.of(value, depth) for value in bound_before(self.module, node))
        values = reaching_values(self.module, function, node.id, node)
        if not values and any(argument.arg == node.id for argument in function.args.args):
            return self._given(function, node.id, depth)
        return agreed(self.of(value, depth) for value in values or self.module.assigned.get(node.id, []))

    def _given(self, function: FunctionNode, name: str, depth: int) -> Order:
        """The order of what the calls in this module hand over as a parameter."""
        calls = values_given(self.module, function, name)
        found = [self._elsewhere(self.module, caller).of(given, depth) for caller, given in calls]
        if not found and is_handed_on({function.name}, self.module, self.scope.workspace):
            return "unknown"
        return agreed(found) if found else None

    def _of_ifexp(self, node: ast.IfExp, depth: int) -> Order:
        return agreed((self.of(node.body, depth), self.of(node.orelse, depth)))

    def _of_unaryop(self, node: ast.UnaryOp, depth: int) -> Order:
        return self.of(node.operand, depth)

    def _of_binop(self, node: ast.BinOp, depth: int) -> Order:
        sides = [one for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
        return agreed(self.of(side, depth) for side in sides)

    def _of_subscript(self, node: ast.Subscript, depth: int) -> Order:
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            # An item of a mapping, whose own order means nothing.
            return None
        return "unknown" if self.of(node.value, depth) in ("F", "unknown") else None

    def _of_attribute(self, node: ast.Attribute, depth: int) -> Order:
        if node.attr == "T":
            return flipped(self.of(node.value, depth))
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        owner = enclosing_class(self.module, self.scope.function) if own and self.scope.function else None
        if owner is None:
            return None
        values = values_of_attribute(self.module, owner, node.attr)
        return agreed(self._elsewhere(self.module, method).of(value, depth) for method, value in values)

    def _of_call(self, node: ast.Call, depth: int) -> Order:
        dotted = self.module.dotted(node.func) or ""
        dotted = self.scope.workspace.library_name(dotted, self.module) if dotted else ""
        library = dotted.startswith(_LIBRARIES)
        name = dotted.rpartition(".")[2] if dotted else str(getattr(node.func, "attr", ""))
        method = node.func.value if isinstance(node.func, ast.Attribute) and not library else None
        array = method if method is not None else node.args[0] if node.args else None
        written = keyword_value(node, "order")
        at = _ORDER_AT.get(name)
        if written is None and library and at is not None and len(node.args) > at:
            written = node.args[at]
        if written is not None:
            stated = self._stated(written)
            if stated != "kept":
                return stated
            return self.of(array, depth)
        if keyword_value(node, "strides") is not None:
            return "unknown"
        if name == "asfortranarray":
            return "F"
        if name == "transpose":
            axes = len(node.args) > (0 if method is not None else 1) or bool(node.keywords)
            return "unknown" if axes else flipped(self.of(array, depth))
        if name in ("swapaxes", "moveaxis", "rollaxis"):
            return "unknown"
        if library:
            return "C" if name in _ROW_MAJOR else self.of(array, depth) if name in _KEEPING else None
        if method is not None and name in {*_KEEPING_METHODS, "copy", "reshape"}:
            kept = self.of(method, depth)
            return kept if name in _KEEPING_METHODS else "C" if kept in ("C", "F") else kept
        return self._returned(dotted, depth)

    def _stated(self, node: ast.expr) -> Order | Literal["kept"]:
        value = Constants(self.scope.workspace, self.module, self.scope.function).value(node)
        if not isinstance(value, str):
            return "unknown"
        if value in ("C", "F"):
            return "C" if value == "C" else "F"
        return "kept" if value in ("A", "K") else None

    def _returned(self, dotted: str, depth: int) -> Order:
        """The order of what a function of the workspace returns."""
        place = self.scope.workspace.member(dotted, self.module) if dotted else None
        function = place[0].top_level.get(place[1]) if place else None
        if place is None or not isinstance(function, ast.FunctionDef):
            return None
        inner = self._elsewhere(place[0], function)
        returns = [one.value for one in below(function) if isinstance(one, ast.Return)]
        return agreed(inner.of(value, depth) for value in returns) if returns else None

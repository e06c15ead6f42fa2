"""Which copies of the NumPy arrays of a launch could be left out.

Numba copies each of them to the device before the launch and back behind it. An array that the kernel cannot
write comes back as it was. Of one that it does not read and stores every element of, nothing that is copied
there is looked at; where it stores some elements only, the others come back as they went there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.effects.array_effects import ArrayEffects
from advisor.program.kernels.declarations import Declaration, cuda_member
from advisor.program.launches.grid_rounding import divides_up
from advisor.program.names.scope_bindings import is_same_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.statement_places import holds


@dataclass(frozen=True)
class NeedlessCopies:
    """The NumPy arrays of a launch, as written there, of which a copy could be left out.

    `each_iteration` are the same in all iterations of a loop around the launch, `again` are copied by another
    launch as well; the kernel writes no element of the `unchanged`, and reads none of the `unread`, all of
    which it writes.
    """

    each_iteration: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def needless_copies(
    call: ast.Call,
    kernel: Declaration | None,
    scope: HostScope,
    loops: Sequence[ast.For | ast.While],
    effects: ArrayEffects,
) -> NeedlessCopies:
    """The copies of a launch that could be left out, by the first reason found: a loop, another launch, or
    what the kernel does with the arrays.
    """
    given = [argument for argument in call.args if scope.is_host_array(argument)]
    for loop in loops:
        kept = _written(argument for argument in given if _outlives_iteration(argument, loop, scope.module))
        if kept:
            return NeedlessCopies(each_iteration=kept)
    again = _written(argument for argument in given if _is_launched_again(argument, call, scope))
    if again:
        return NeedlessCopies(again=again)
    return _one_way_only(call, kernel, given, scope, effects) if kernel is not None else NeedlessCopies()


def _written(arguments: Iterable[ast.expr]) -> tuple[str, ...]:
    return tuple(ast.unparse(argument) for argument in arguments)


def _outlives_iteration(argument: ast.expr, loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Whether an array is the same in all iterations of a loop: a name or attribute that it does not bind."""
    if isinstance(argument, ast.Name):
        return not module.stores(argument.id, loop)
    written = ast.unparse(argument)
    return isinstance(argument, ast.Attribute) and not any(
        isinstance(one.ctx, ast.Store) and ast.unparse(one) == written
        for one in module.inside(loop, ast.Attribute)
    )


def _is_launched_again(argument: ast.expr, call: ast.Call, scope: HostScope) -> bool:
    """Whether another launch of the same function body gets the same array."""
    function = scope.function
    if function is None or not isinstance(argument, ast.Name):
        return False
    return any(
        other is not call and is_same_value(scope.module, argument, name)
        for other, name in scope.module.once(_passed_names, function).get(argument.id, ())
    )


def _passed_names(module: ModuleSyntax, function: FunctionNode) -> dict[str, list[tuple[ast.Call, ast.Name]]]:
    """The names that launches in a function pass, with their places."""
    found: dict[str, list[tuple[ast.Call, ast.Name]]] = {}
    for call in module.inside(function, ast.Call):
        if isinstance(call.func, ast.Subscript) and isinstance(call.func.slice, ast.Tuple):
            for one in call.args:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append((call, one))
    return found


def _one_way_only(
    call: ast.Call, kernel: Declaration, given: Sequence[ast.expr], scope: HostScope, effects: ArrayEffects
) -> NeedlessCopies:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return NeedlessCopies()
    overwritten = _overwritten(call, kernel, scope)
    unread: list[ast.expr] = []
    unchanged: list[ast.expr] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if argument not in given:
            continue
        done = effects.of(kernel.module, kernel.node, parameter)
        if not done.writes:
            unchanged.append(argument)
        elif not done.reads and parameter in overwritten:
            unread.append(argument)
    return NeedlessCopies(unchanged=_written(unchanged), unread=_written(unread))


def _overwritten(call: ast.Call, kernel: Declaration, scope: HostScope) -> frozenset[str]:
    """The parameters of which a launch with a thread for each element stores every element."""
    configuration = call.func.slice if isinstance(call.func, ast.Subscript) else None
    parts = configuration.elts if isinstance(configuration, ast.Tuple) else []
    threads_for_all = bool(parts) and divides_up(parts[0], scope)
    return OverwrittenArrays(kernel.module, kernel.node).names(threads_for_all)


@dataclass
class OverwrittenArrays:
    """The stores of a kernel by which each thread, or each step of a grid's width, fills elements of its own.

    A store counts that stands under nothing but bounds of the indices, at indices that are each the thread's
    position along one axis of the grid or the counter of a loop over an axis of the array.
    """

    module: ModuleSyntax
    function: FunctionNode
    _positions: set[str] = field(default_factory=set)
    _found: set[str] = field(default_factory=set)

    def names(self, threads_for_all: bool) -> frozenset[str]:
        """The parameters with such a store; `threads_for_all` tells that the grid has a thread for each index
        within the bounds, without which only loops by the grid's width reach all elements.
        """
        self._block(self.function.body, frozenset(), threads_for_all)
        given = self.function.args
        return frozenset(self._found) & {one.arg for one in (*given.posonlyargs, *given.args)}

    def _block(self, body: Iterable[ast.stmt], counters: frozenset[str], covered: bool) -> None:
        for line in body:
            if isinstance(line, ast.Assign):
                self._note_position(line)
                if covered:
                    self._note_stores(line, counters)
            elif isinstance(line, ast.If):
                bounds = self._are_bounds(line.test, ast.Lt, ast.And)
                leaves = self._leaves(line)
                if bounds and not line.orelse:
                    self._block(line.body, counters, covered)
                if not leaves and self._has(ast.Return, line):
                    return
            elif isinstance(line, ast.For):
                self._loop(line, counters, covered)
            elif not isinstance(line, ast.Expr | ast.AugAssign | ast.AnnAssign | ast.Pass):
                return

    def _leaves(self, line: ast.If) -> bool:
        """Whether threads leave the kernel that stand outside of the bounds, and nothing else happens."""
        alone = len(line.body) == 1 and isinstance(line.body[0], ast.Return) and not line.orelse
        return alone and self._are_bounds(line.test, ast.GtE, ast.Or)

    def _loop(self, loop: ast.For, counters: frozenset[str], covered: bool) -> None:
        if not isinstance(loop.target, ast.Name) or not self._is_bound_once(loop.target.id):
            return
        if any(self._has(jump, loop) for jump in (ast.Break, ast.Continue, ast.Return)):
            return
        call = loop.iter
        if not isinstance(call, ast.Call) or self.module.dotted(call.func) != "range":
            return
        name = loop.target.id
        if len(call.args) == 1 and _is_extent(call.args[0]):
            self._block(loop.body, counters | {name}, covered)
        elif len(call.args) == 3 and self._is_position(call.args[0]) and self._is_width(call.args[2]):
            self._positions.add(name)
            self._block(loop.body, counters, True)

    def _has(self, jump: type[ast.stmt], statement: ast.stmt) -> bool:
        jumps = self.module.inside(self.function, jump)
        return any(holds(statement, (one.lineno, one.col_offset)) for one in jumps)

    def _note_position(self, line: ast.Assign) -> None:
        target = line.targets[0]
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [one.id for one in parts if isinstance(one, ast.Name) and self._is_bound_once(one.id)]
        if len(line.targets) == 1 and self._is_position(line.value, len(parts)):
            self._positions |= set(names)

    def _note_stores(self, line: ast.Assign, counters: frozenset[str]) -> None:
        for target in line.targets:
            if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
                continue
            keys = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            names = [one.id for one in keys if isinstance(one, ast.Name)]
            own = set(names) <= self._positions | counters and bool(set(names) & self._positions)
            if own and len(set(names)) == len(keys) and self._has_one_value(target.value.id):
                self._found.add(target.value.id)

    def _are_bounds(self, test: ast.expr, than: type[ast.cmpop], joined: type[ast.boolop]) -> bool:
        """Whether a test only compares positions with sizes: `i < n and j < a.shape[1]`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, joined):
            return all(self._are_bounds(one, than, joined) for one in test.values)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], than):
            return False
        size = test.comparators[0]
        plain = isinstance(size, ast.Name) and not self._is_stored(size.id)
        return self._is_position(test.left) and (plain or _is_extent(size))

    def _is_position(self, node: ast.expr, axes: int = 1) -> bool:
        """Whether an expression is `cuda.grid(axes)`, the name of a position, or the sum that makes one."""
        if isinstance(node, ast.Name):
            return axes == 1 and node.id in self._positions
        if isinstance(node, ast.Call):
            size = node.args[0] if len(node.args) == 1 else None
            return self._member(node.func) == "grid" and isinstance(size, ast.Constant) and size.value == axes
        if axes != 1 or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            return False
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Mult):
                parts = [self._member(part) or "" for part in (one, other.left, other.right)]
                kinds = {part.rpartition(".")[0] for part in parts}
                same_axis = len({part.rpartition(".")[2] for part in parts}) == 1
                if same_axis and parts[0].startswith("threadIdx.") and kinds >= {"blockIdx", "blockDim"}:
                    return True
        return False

    def _is_width(self, node: ast.expr) -> bool:
        """Whether an expression is the number of threads along the axis x of the grid."""
        if isinstance(node, ast.Name):
            values = self._values(node.id)
            return len(values) == 1 and not isinstance(values[0], ast.Name) and self._is_width(values[0])
        if isinstance(node, ast.Call):
            return self._member(node.func) == "gridsize" and ast.unparse(node.args[0]) == "1"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return {self._member(node.left), self._member(node.right)} == {"blockDim.x", "gridDim.x"}
        return False

    def _member(self, node: ast.expr) -> str | None:
        return cuda_member(self.module.dotted(node))

    def _values(self, name: str) -> list[ast.expr]:
        places = (self.module.parents.get(one) for one in self.module.stores(name, self.function))
        return [one.value for one in places if isinstance(one, ast.Assign)]

    def _is_stored(self, name: str) -> bool:
        return bool(self.module.stores(name, self.function))

    def _has_one_value(self, name: str) -> bool:
        return not self._is_stored(name)

    def _is_bound_once(self, name: str) -> bool:
        return len(self.module.stores(name, self.function)) == 1


def _is_extent(node: ast.expr) -> bool:
    """Whether an expression is a size of an array: `a.size`, `a.shape[0]`, `len(a)`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return isinstance(node, ast.Attribute) and node.attr == "size"

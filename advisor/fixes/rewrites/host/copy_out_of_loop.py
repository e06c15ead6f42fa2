"""Moves a copy to the device, or an allocation there, in front of a host loop that repeats it."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.host.host_loops import in_front_of, inside, line_of, loop_around, pauses
from advisor.fixes.support.host.host_uses import HostUses, Use
from advisor.fixes.support.kernel.assigned_names import assigned_in, names_in
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit

_ALLOCATIONS = ("device_array", "device_array_like")
_ALLOWED_OPTIONS = ("shape", "dtype", "order")


def edits(place: Place) -> list[Edit] | None:
    """The edits that move the line of the copy or allocation.

    None where what it copies may change in the loop, where a kernel of the loop writes to the copy, where
    memory is read in an iteration before a kernel has written it, and where the array is kept for longer than
    an iteration.
    """
    module, call = place.module, place.exactly(cst.Call)
    assignment = module.parent(call) if call is not None else None
    if call is None or not isinstance(assignment, cst.Assign) or len(assignment.targets) != 1:
        return None
    target, line = assignment.targets[0].target, line_of(module, assignment)
    loop = loop_around(module, line) if line is not None else None
    if not isinstance(target, cst.Name) or line is None or loop is None or pauses(module, loop):
        return None
    if not _arguments_stay(place, call, loop):
        return None
    moved = _MovedArray(HostUses(place), target.value, assignment, line, loop)
    made = cuda_attribute(module, call.func)
    copied = (
        moved.copy_stays(call) if made == "to_device" else made in _ALLOCATIONS and moved.is_filled_first()
    )
    return in_front_of(module, line, loop) if copied else None


def _arguments_stay(place: Place, call: cst.Call, loop: cst.For | cst.While) -> bool:
    """Whether the arguments are made of names that the loop does not assign, without calls and streams."""
    module, changed = place.module, assigned_in(place.module, loop)
    for argument in call.args:
        if argument.star or (argument.keyword is not None and argument.keyword.value not in _ALLOWED_OPTIONS):
            return False
        if any(name.value in changed for name in names_in(module, argument)):
            return False
        for inner in module.nodes_in(cst.Call, argument):
            if module.written(inner.func) != "len":
                return False
        if any(True for _ in module.nodes_in(cst.NamedExpr, argument)):
            return False
    return bool(call.args)


class _MovedArray:
    """The array on the device that a line of a loop makes."""

    def __init__(
        self,
        host: HostUses,
        name: str,
        assignment: cst.Assign,
        line: cst.SimpleStatementLine,
        loop: cst.For | cst.While,
    ) -> None:
        self.host, self.module = host, host.module
        self.line, self.loop = line, loop
        self.scope = host.module.function_around(host.module.range_of(line)[0])
        bound = host.module.bindings(name, self.scope)
        self.bound_once = len(bound) == 1 and bound[0] is assignment
        self.uses = [one for one in host.of(name, self.scope) if one.kind != "bound"]

    def copy_stays(self, call: cst.Call) -> bool:
        """Whether neither the array on the host nor the copy is written in the loop."""
        array = call.args[0].value
        if not self.bound_once or len(call.args) != 1 or not isinstance(array, cst.Name):
            return False
        local = self.scope is not None and self._is_bound(array.value, self.scope)
        scope = self.scope if local else None
        names = self.host.same_array(array.value, scope) if self._is_bound(array.value, scope) else None
        if names is None:
            return False
        there = [use for name in names for use in self.host.of(name, scope) if self._in_loop(use)]
        return all(use.only_reads for use in there) and all(
            use.only_reads or (use.kind == "argument" and not self._in_loop(use)) for use in self.uses
        )

    def is_filled_first(self) -> bool:
        """Whether a kernel that writes the array and reads nothing of it comes before all other uses in each
        iteration, and the array is used for nothing but kernels and copies to the host.
        """
        if not self.bound_once or not self.uses:
            return False
        first = self.uses[0]
        block = self._block_of_launch(first)
        if block is None or first.kind != "argument" or not _only_writes(first):
            return False
        reached = block is self.loop.body or all(inside(self.module, use.node, block) for use in self.uses)
        return reached and all(self._uses_one_stream(use) for use in self.uses)

    def _is_bound(self, name: str, scope: cst.FunctionDef | None) -> bool:
        """Whether a name is bound in a scope, by its parameters or statements, and not by `global`."""
        bound = self.module.bindings(name, scope)
        given = scope is not None and any(
            one.name.value == name for one in self.module.nodes_in(cst.Param, scope.params)
        )
        elsewhere = any(isinstance(one, cst.Global | cst.Nonlocal) for one in bound)
        return (given or bool(bound)) and not elsewhere

    def _in_loop(self, use: Use) -> bool:
        return inside(self.module, use.node, self.loop)

    def _block_of_launch(self, use: Use) -> cst.CSTNode | None:
        """The block with the statement that is the launch of a use behind the line of the allocation."""
        argument = self.module.parent(use.node)
        launch = self.module.parent(argument) if argument is not None else None
        expression = self.module.parent(launch) if launch is not None else None
        own = self.module.parent(expression) if isinstance(expression, cst.Expr) else None
        behind = self.module.range_of(use.node)[0] > self.module.range_of(self.line)[1]
        return self.module.parent(own) if own is not None and behind else None

    def _uses_one_stream(self, use: Use) -> bool:
        if use.kind != "argument":
            return use.kind in ("question", "to host")
        argument = self.module.parent(use.node)
        launch = self.module.parent(argument) if argument is not None else None
        known = self.host.launch_of(launch) if isinstance(launch, cst.Call) else None
        return known is not None and len(known[0].subscript.slice) == 2


def _only_writes(use: Use) -> bool:
    return use.effect.writes and not use.effect.reads

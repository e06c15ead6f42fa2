"""Moves a copy to the device, or an allocation there, in front of a host loop that repeats it."""

# /// fix
# title = "Move the line in front of the loop"
# safety = "needs review"
# rules = ["same-copy-in-host-loop", "copy-in-host-loop", "allocation-in-host-loop"]
# condition = """
# nothing but what is written in the loop changes the copied array meanwhile, as a function that was given \
# it earlier might; elements of the allocated array that the kernel does not write are not looked at"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import Loop, in_front_of, inside, loop_around, pauses
from advisor.fixes.support.host.host_uses import HostUses, Use
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, assigned_in
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit
from advisor.program.names.visible_names import visible
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import root_name

_ALLOCATIONS = ("device_array", "device_array_like")
_ALLOWED_OPTIONS = ("shape", "dtype", "order")


def edits(place: Place) -> list[Edit] | None:
    """The edits that move the line of the copy or allocation.

    None where what it copies may change in the loop, where a kernel of the loop writes to the copy, where
    memory is read in an iteration before a kernel has written it, and where the array is kept for longer than
    an iteration.
    """
    module, call = place.module, place.exactly(ast.Call)
    line = module.parent(call) if call is not None else None
    if call is None or not isinstance(line, ast.Assign) or len(line.targets) != 1:
        return None
    target, loop = line.targets[0], loop_around(module, line)
    if not isinstance(target, ast.Name) or module.shares_line(line) or loop is None or pauses(module, loop):
        return None
    if not _arguments_stay(place, call, loop):
        return None
    moved = _MovedArray(HostUses(place), target.id, line, loop)
    made = cuda_attribute(module, call.func)
    copied = (
        moved.copy_stays(call) if made == "to_device" else made in _ALLOCATIONS and moved.is_filled_first()
    )
    return in_front_of(module, line, loop) if copied else None


def _arguments_stay(place: Place, call: ast.Call, loop: Loop) -> bool:
    """Whether the arguments are made of names that the loop does not change, without calls and streams."""
    module, assigned = place.module, assigned_in(place.module, loop)
    if any(one.arg not in _ALLOWED_OPTIONS for one in call.keywords):
        return False
    for argument in (*call.args, *(one.value for one in call.keywords)):
        names = list(module.nodes_in(ast.Name, argument))
        if any(one.id in assigned or _part_changes(module, one, loop) for one in names):
            return False
        if any(True for _ in module.nodes_in((ast.Starred, ast.NamedExpr), argument)):
            return False
        if any(module.code_of(inner.func) != "len" for inner in module.nodes_in(ast.Call, argument)):
            return False
    return bool(call.args)


def _part_changes(module: SourceModule, name: ast.Name, loop: Loop) -> bool:
    """Whether a name stands for its attribute, item or length, and a loop may give it another one: it stores
    to a part of it, or calls a method of it.
    """
    above = module.parent(name)
    if name.id in module.syntax.imports or not isinstance(above, ast.Attribute | ast.Subscript | ast.Call):
        return False
    if isinstance(above, ast.Attribute) and above.attr in ARRAY_QUESTIONS:
        return False
    if isinstance(above, ast.Call) and called_name(above) == "device_array_like":
        return False
    called = {
        root_name(one.func) for one in module.nodes_in(ast.Call, loop) if not isinstance(one.func, ast.Name)
    }
    return name.id in called | module.syntax.changed_names(loop)


class _MovedArray:
    """The array on the device that a line of a loop makes."""

    def __init__(self, host: HostUses, name: str, line: ast.Assign, loop: Loop) -> None:
        self.host, self.module = host, host.module
        self.line, self.loop = line, loop
        self.scope = host.module.scope_of(line)
        self.bound_once = host.module.bindings(name, self.scope) == [line]
        self.uses = [one for one in host.of(name, self.scope) if one.kind != "bound"]

    def copy_stays(self, call: ast.Call) -> bool:
        """Whether neither the array on the host nor the copy is written in the loop."""
        array = call.args[0]
        if not self.bound_once or len(call.args) != 1 or call.keywords or not isinstance(array, ast.Name):
            return False
        seen = visible(self.module.syntax, array.id, array)
        if seen is None or seen.unbound or isinstance(seen.scope, ast.ClassDef):
            return False
        scope = None if isinstance(seen.scope, ast.Module) else seen.scope
        names = self.host.same_array(array.id, scope)
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
        reached = block is self.loop.body or all(
            any(inside(self.module, use.node, one) for one in block) for use in self.uses
        )
        return reached and all(self._uses_one_stream(use) for use in self.uses)

    def _in_loop(self, use: Use) -> bool:
        return inside(self.module, use.node, self.loop)

    def _block_of_launch(self, use: Use) -> list[ast.stmt] | None:
        """The block with the statement that is the launch of a use behind the line of the allocation."""
        launch = self.module.parent(use.node)
        line = self.module.parent(launch) if launch is not None else None
        behind = self.module.range_of(use.node)[0] > self.module.range_of(self.line)[1]
        return self.module.block_of(line) if isinstance(line, ast.Expr) and behind else None

    def _uses_one_stream(self, use: Use) -> bool:
        if use.kind != "argument":
            return use.kind in ("question", "to host")
        known = self.host.launch_of(self.module.parent(use.node))
        return known is not None and len(known[0].configuration) == 2


def _only_writes(use: Use) -> bool:
    return use.effect.writes and not use.effect.reads

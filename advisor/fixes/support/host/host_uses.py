"""What host code does with an array: each use of its name, and names that may stand for the same array."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.source_effects import known_call, known_method, parameter_effects
from advisor.fixes.support.host.understood_calls import is_understood
from advisor.fixes.support.kernel.assigned_names import around
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site, may_launch
from advisor.program.effects.array_effects import UNKNOWN, Effects
from advisor.program.effects.array_flow import QUESTIONS
from advisor.program.effects.callees import Known
from advisor.program.names.visible_names import visible
from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import LOOPS

Kind = Literal["bound", "question", "argument", "to device", "to host", "from device", "other"]

# Statements that keep nothing of what their expressions give.
_PLAIN = (ast.Expr, ast.Return, ast.Assert, ast.If, ast.While, ast.AugAssign)


@dataclass(frozen=True)
class Use:
    """One use of a name.

    `question` asks for the shape or type. `argument` is passed to a kernel, with the `effect` that has.
    `to device` and `from device` are the x in `cuda.to_device(x)` and `d.copy_to_host(x)` without a stream,
    `to host` is the d in `d.copy_to_host()`.
    """

    node: ast.Name
    kind: Kind
    effect: Effects = UNKNOWN

    @property
    def only_reads(self) -> bool:
        """Whether the elements of the array are the same afterwards, and nothing else stands for it."""
        if self.kind == "argument":
            return not self.effect.writes
        return self.kind in ("question", "to device", "to host")


class HostUses:
    """Uses of names in the file of a finding."""

    def __init__(self, place: Place) -> None:
        self.place, self.module = place, place.module

    @cached_property
    def launches(self) -> list[tuple[LaunchSite, Row | None]]:
        """The launches of the file that can be read, with their kernels."""
        found = []
        for row, kernel in self.place.facts.launches_in(self.place.finding.path):
            site = launch_site(self.module, row)
            if site is not None:
                found.append((site, kernel if kernel is None or self._may_be(site, kernel) else None))
        return found

    def _may_be(self, site: LaunchSite, kernel: Row) -> bool:
        function = self.place.function_of(kernel)
        return function is None or may_launch(site.module, site.subscript, function[1])

    def launch_of(self, call: ast.AST | None) -> tuple[LaunchSite, Row | None] | None:
        """The launch that a call is."""
        return next((one for one in self.launches if one[0].call is call), None)

    def effect(self, call: ast.Call, argument: ast.expr) -> Effects:
        """What a launch may do with an argument."""
        launch = self.launch_of(call)
        if launch is None or launch[1] is None or launch[0].arguments is None:
            return UNKNOWN
        kernel = self.place.function_of(launch[1])
        return parameter_effects(*kernel, call.args.index(argument)) if kernel is not None else UNKNOWN

    def of(self, name: str, scope: FunctionNode | None) -> list[Use]:
        """The uses of a variable of a function, or of the module for None, in the order of the text."""
        nodes = self.module.names.get(name, ())
        return [self._use(node) for node in nodes if belongs(self.module, node, scope)]

    def _use(self, node: ast.Name) -> Use:
        if not isinstance(node.ctx, ast.Load):
            return Use(node, "bound")
        above = self.module.parent(node)
        if isinstance(above, ast.Attribute):
            call = self.module.parent(above)
            if above.attr in QUESTIONS and isinstance(above.ctx, ast.Load):
                return Use(node, "question")
            called = isinstance(call, ast.Call) and call.func is above
            if called and above.attr == "copy_to_host" and _without_stream(call):  # type: ignore[arg-type]
                return Use(node, "to host")
        if isinstance(above, ast.Call) and node in above.args:
            return self._use_in_call(node, above)
        return Use(node, "other")

    def _use_in_call(self, node: ast.Name, call: ast.Call) -> Use:
        first, alone = call.args[0] is node, len(call.args) + len(call.keywords) == 1
        if isinstance(call.func, ast.Name) and call.func.id == "len" and first:
            return Use(node, "question")
        made = cuda_attribute(self.module, call.func)
        if first and made == "to_device" and alone:
            return Use(node, "to device")
        if first and made == "device_array_like":
            return Use(node, "question")
        if isinstance(call.func, ast.Attribute) and call.func.attr == "copy_to_host":
            return Use(node, "from device" if first and _without_stream(call) else "other")
        if self.launch_of(call) is not None:
            return Use(node, "argument", self.effect(call, node))
        return Use(node, "other")

    def same_array(
        self, name: str, scope: FunctionNode | None, reaching: ast.stmt | None = None
    ) -> set[str] | None:
        """The names of the scope that may stand for the array of a name or a part of it, itself included.

        They are followed from where the array is made: what it is itself made of is not looked at. None where
        the array is kept somewhere else, as in an attribute, a list, or by an inner function; with `reaching`
        only where that may happen before this statement is done.
        """
        found, waiting = {name}, [name]
        while waiting:
            own = waiting.pop()
            for use in self.of(own, scope):
                names = [] if use.kind != "other" else self._kept_as(use.node, own == name)
                if use.kind == "other" and not self.is_in(use.node, scope):
                    return None
                if names is None:
                    if reaching is None or self._comes_before(use.node, reaching):
                        return None
                    continue
                waiting += [one for one in names if one not in found]
                found.update(names)
        return found

    def _kept_as(self, node: ast.Name, array: bool) -> list[str] | None:
        """The names that a statement gives what a name stands for, or what may be part of it; none where it
        gives none. `array` tells that it is an array, not a list or tuple that may hold it.
        """
        if array and self._is_computed_with(node):
            return []
        inner: ast.AST = node
        above = self.module.parent(node)
        items: list[str] = []
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Call):
                does = self._does(above, inner)
                if array and does in (Known.NUMBERS, Known.QUESTION):
                    return items
                if does is None:
                    return None
            if isinstance(above, ast.Compare) or (isinstance(above, ast.Subscript) and inner is above.slice):
                return items
            if isinstance(above, ast.Lambda | ast.NamedExpr):
                return None
            if isinstance(above, ast.comprehension) and inner is above.iter:
                items += target_names(above.target)
            inner, above = above, self.module.parent(above)
        names = self._named_by(above, node)
        return None if names is None else [*items, *names]

    def _named_by(self, statement: ast.AST | None, node: ast.Name) -> list[str] | None:
        """The names that a statement gives what comes out of its expression."""
        if isinstance(statement, ast.Assign):
            names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
            whole = len(names) == len(statement.targets)
            return names if whole else self._element_stored(node, statement)
        if isinstance(statement, ast.AugAssign | ast.For) and isinstance(statement.target, ast.Name):
            return [statement.target.id]
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            # A list in an attribute or another list grows by `+=`.
            own = inside(self.module, node, statement.target)
            return [] if own or isinstance(statement.value, ast.Subscript) else None
        return [] if isinstance(statement, _PLAIN) else None

    def _is_computed_with(self, node: ast.expr) -> bool:
        """Whether an array, or a part of it, is an operand: what comes out is a new array."""
        above = self.module.parent(node)
        while isinstance(above, ast.Subscript | ast.Attribute) and above.value is node:
            node, above = above, self.module.parent(above)
        return isinstance(above, ast.BinOp | ast.UnaryOp | ast.Compare)

    def _element_stored(self, node: ast.Name, line: ast.Assign) -> list[str] | None:
        """No names where the array is the one that an element is stored to; None for other targets."""
        if len(line.targets) == 1 and isinstance(line.targets[0], ast.Subscript):
            return [] if line.targets[0].value is node else None
        return None

    def _comes_before(self, node: ast.Name, line: ast.stmt) -> bool:
        """Whether a name stands before the end of a statement, or behind it in a loop around both."""
        module = self.module
        outer = around(module, line, module.scope_of(line) or module.tree)
        again = any(isinstance(one, LOOPS) and inside(module, node, one) for one in outer)
        return again or module.range_of(node)[0] < module.range_of(line)[1]

    def is_in(self, node: ast.Name, scope: FunctionNode | None) -> bool:
        """Whether a name stands in the statements of a function, or of the module for None, itself."""
        return self.module.scope_of(node) is scope

    def _does(self, call: ast.Call, part: ast.AST) -> Known | None:
        """What a call does with a part of it, its function or an argument; None where it may keep it."""
        does = known_call(self.module, call)
        if does is None and part is call.func:
            return known_method(self.module, call)
        return Known.SAME if does is None and is_understood(self.module, call) else does


def belongs(module: SourceModule, node: ast.Name, scope: FunctionNode | None) -> bool:
    """Whether a name in a function, or in the module for None, is not one of a function or class in there."""
    around = module.syntax.scopes(node)
    if scope is not None and scope not in around:
        return False
    found = visible(module.syntax, node.id, node)
    return found is None or found.scope not in (around if scope is None else around[: around.index(scope)])


def _without_stream(call: ast.Call) -> bool:
    """Whether a copy to the host waits until it is done: it names no stream."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return len(call.args) <= 1 and not call.keywords and not starred

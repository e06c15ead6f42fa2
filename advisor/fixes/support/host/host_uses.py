"""What host code does with an array: each use of its name, and names that may stand for the same array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import libcst as cst

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.source_effects import parameter_effects
from advisor.fixes.support.host.understood_calls import is_understood
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, is_assigned
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site, may_launch
from advisor.program.effects.array_effects import UNKNOWN, Effects

Kind = Literal["bound", "question", "argument", "to device", "to host", "from device", "other"]

_QUESTIONS = frozenset({*ARRAY_QUESTIONS, "nbytes", "itemsize", "strides"})
# Methods of arrays without arguments, and functions of NumPy with at most so many arguments, whose results
# share nothing with the array. Further arguments may be the array that they fill and return.
_FRESH_METHODS = frozenset({
    "copy", "sum", "prod", "mean", "max", "min", "std", "var", "any", "all", "argmax", "argmin", "tolist",
    "item",
    "copy_to_host",
})  # fmt: skip
_FRESH_FUNCTIONS = {
    **dict.fromkeys(("abs",), 1),
    **dict.fromkeys(("array", "copy", "sum", "mean", "max", "min", "std", "dot", "array_equal"), 2),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "full_like"), 3),
    "allclose": 4,
}
_HARMLESS = ("dtype", "axis", "order")
_VIEWS = frozenset(
    {"reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "diagonal", "astype", "fill"}
)
_FRESH_BUILTINS = ("len", "float", "int", "print")


@dataclass(frozen=True)
class Use:
    """One use of a name.

    `question` asks for the shape or type. `argument` is passed to a kernel, with the `effect` that has.
    `to device` and `from device` are the x in `cuda.to_device(x)` and `d.copy_to_host(x)` without a stream,
    `to host` is the d in `d.copy_to_host()`.
    """

    node: cst.Name
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
        for row, kernel in self.place.facts.launches():
            site = launch_site(self.module, row) if row.path == self.place.finding.path else None
            if site is not None:
                found.append((site, kernel if kernel is None or self._may_be(site, kernel) else None))
        return found

    def _may_be(self, site: LaunchSite, kernel: Row) -> bool:
        function = self.place.function_of(kernel)
        return function is None or may_launch(site.module, site.subscript, function[1])

    def launch_of(self, call: cst.Call) -> tuple[LaunchSite, Row | None] | None:
        """The launch that a call is."""
        return next((one for one in self.launches if one[0].call is call), None)

    def effect(self, call: cst.Call, argument: cst.Arg) -> Effects:
        """What a launch may do with an argument."""
        launch = self.launch_of(call)
        if launch is None or launch[1] is None or launch[0].arguments is None:
            return UNKNOWN
        kernel = self.place.function_of(launch[1])
        position = next(number for number, one in enumerate(call.args) if one is argument)
        return parameter_effects(*kernel, position) if kernel is not None else UNKNOWN

    def of(self, name: str, scope: cst.FunctionDef | None) -> list[Use]:
        """The uses of a variable of a function, or of the module for None, in the order of the text."""
        found = []
        for node in self.module.names.get(name, ()):
            if is_variable(self.module, node) and belongs(self.module, node, scope):
                found.append(self._use(node))
        return found

    def _use(self, node: cst.Name) -> Use:
        module, above = self.module, self.module.parent(node)
        if is_assigned(module, node):
            return Use(node, "bound")
        if isinstance(above, cst.Attribute) and above.value is node:
            call = module.parent(above)
            if above.attr.value in _QUESTIONS:
                return Use(node, "question")
            called = isinstance(call, cst.Call) and call.func is above
            if called and above.attr.value == "copy_to_host" and _without_stream(call):  # type: ignore[arg-type]
                return Use(node, "to host")
        if isinstance(above, cst.Arg) and not above.star:
            call = module.parent(above)
            if isinstance(call, cst.Call):
                return self._use_in_call(node, above, call)
        return Use(node, "other")

    def _use_in_call(self, node: cst.Name, argument: cst.Arg, call: cst.Call) -> Use:
        first = call.args[0] is argument and argument.keyword is None
        if isinstance(call.func, cst.Name) and call.func.value == "len" and first:
            return Use(node, "question")
        if first and cuda_attribute(self.module, call.func) == "to_device" and len(call.args) == 1:
            return Use(node, "to device")
        if first and cuda_attribute(self.module, call.func) == "device_array_like":
            return Use(node, "question")
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "copy_to_host":
            return Use(node, "from device" if first and _without_stream(call) else "other")
        if self.launch_of(call) is not None:
            return Use(node, "argument", self.effect(call, argument))
        return Use(node, "other")

    def same_array(
        self, name: str, scope: cst.FunctionDef | None, reaching: cst.BaseStatement | None = None
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

    def _kept_as(self, node: cst.Name, array: bool) -> list[str] | None:
        """The names that a statement gives what a name stands for, or what may be part of it; none where it
        gives none. `array` tells that it is an array, not a list or tuple that may hold it.
        """
        above: cst.CSTNode | None = self.module.parent(node)
        if array and self._is_computed_with(node):
            return []
        inner: cst.CSTNode = node
        while above is not None and not isinstance(above, cst.BaseStatement | cst.BaseSmallStatement):
            if isinstance(above, cst.Call):
                if self._is_fresh(above, inner, array):
                    return []
                if not self._gives_back(above, inner):
                    return None
            if isinstance(above, cst.Index | cst.Slice | cst.Comparison):
                return []
            if isinstance(above, cst.Lambda | cst.NamedExpr):
                return None
            inner, above = above, self.module.parent(above)
        if isinstance(above, cst.Assign):
            targets = [one.target for one in above.targets]
            names = [one.value for one in targets if isinstance(one, cst.Name)]
            return names if len(names) == len(targets) else self._element_stored(node, above)
        if isinstance(above, cst.AugAssign) and isinstance(above.target, cst.Name):
            return [above.target.value]
        if isinstance(above, cst.For) and isinstance(above.target, cst.Name):
            return [above.target.value]
        plain = cst.Expr | cst.Return | cst.Assert | cst.If | cst.While | cst.AugAssign
        return [] if isinstance(above, plain) else None

    def _is_computed_with(self, node: cst.CSTNode) -> bool:
        """Whether an array, or a part of it, is an operand: what comes out is a new array."""
        above = self.module.parent(node)
        while isinstance(above, cst.Subscript | cst.Attribute) and above.value is node:
            node, above = above, self.module.parent(above)
        return isinstance(above, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison)

    def _element_stored(self, node: cst.Name, line: cst.Assign) -> list[str] | None:
        """No names where the array is the one that an element is stored to; None for other targets."""
        if len(line.targets) == 1 and isinstance(line.targets[0].target, cst.Subscript):
            owner = line.targets[0].target.value
            return [] if owner is node else None
        return None

    def _comes_before(self, node: cst.Name, line: cst.BaseStatement) -> bool:
        """Whether a name stands before the end of a statement, or behind it in a loop around both."""
        if self.module.range_of(node)[0] < self.module.range_of(line)[1]:
            return True
        above = self.module.parent(line)
        while above is not None and not isinstance(above, cst.FunctionDef):
            if isinstance(above, cst.For | cst.While) and inside(self.module, node, above):
                return True
            above = self.module.parent(above)
        return False

    def is_in(self, node: cst.Name, scope: cst.FunctionDef | None) -> bool:
        """Whether a name stands in the statements of a function, or of the module for None, itself."""
        return self.module.function_around(self.module.range_of(node)[0]) is scope

    def _is_fresh(self, call: cst.Call, part: cst.CSTNode, array: bool) -> bool:
        """Whether what a call gives shares nothing with a part of it, its function or an argument."""
        if not isinstance(call.func, cst.Attribute):
            return isinstance(call.func, cst.Name) and call.func.value in _FRESH_BUILTINS
        plain = not any(
            one.star or (one.keyword is not None and one.keyword.value not in _HARMLESS) for one in call.args
        )
        owner = self.module.written(call.func.value)
        if owner in ("np", "numpy"):
            return plain and array and len(call.args) <= _FRESH_FUNCTIONS.get(call.func.attr.value, 0)
        method = part is call.func and array and call.func.attr.value in _FRESH_METHODS
        return method and not call.args

    def _gives_back(self, call: cst.Call, part: cst.CSTNode) -> bool:
        """Whether a call keeps nothing of a part of it but in what it gives: a method of an array that takes
        no array, or a function of NumPy.
        """
        if isinstance(call.func, cst.Attribute) and part is call.func:
            return call.func.attr.value in _VIEWS
        return is_understood(self.module, call)


def belongs(module: SourceModule, node: cst.Name, scope: cst.FunctionDef | None) -> bool:
    """Whether a name stands for the variable of a scope, not for one of another function."""
    above = module.parent(node)
    while above is not None and above is not scope:
        if isinstance(above, cst.FunctionDef) and _is_own(module, above, node.value):
            return False
        above = module.parent(above)
    return above is scope


def is_variable(module: SourceModule, node: cst.Name) -> bool:
    """Whether a name stands for a variable: no attribute, no keyword and no part of an import."""
    above = module.parent(node)
    attribute = isinstance(above, cst.Attribute) and above.attr is node
    keyword = isinstance(above, cst.Arg) and above.keyword is node
    return not attribute and not keyword and not isinstance(above, cst.ImportAlias | cst.FunctionDef)


def _is_own(module: SourceModule, function: cst.FunctionDef, name: str) -> bool:
    given = any(one.name.value == name for one in module.nodes_in(cst.Param, function.params))
    kept = any(isinstance(one, cst.Global | cst.Nonlocal) for one in module.bindings(name, function))
    return given or (bool(module.bindings(name, function)) and not kept)


def _without_stream(call: cst.Call) -> bool:
    """Whether a copy to the host waits until it is done: it names no stream."""
    return len(call.args) <= 1 and not any(one.keyword or one.star for one in call.args)

"""What a kernel does with an array that it gets: reads its elements, writes them, or cannot be told."""

from __future__ import annotations

from typing import Literal

import libcst as cst

from advisor.fixes.assigned_names import ARRAY_QUESTIONS, is_assigned, names_in
from advisor.fixes.source_module import SourceModule
from advisor.fixes.thread_axes import cuda_attribute

Effect = frozenset[Literal["read", "write"]]

NOTHING: Effect = frozenset()
READ: Effect = frozenset({"read"})
WRITE: Effect = frozenset({"write"})
_QUESTIONS = frozenset({*ARRAY_QUESTIONS, "strides", "itemsize", "nbytes"})
_BUILTINS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "pow", "print", "range", "round"})
_LIBRARIES = frozenset({"math", "cmath", "numpy", "numba", "numba.types", "numba.cuda.libdevice"})
_ALIASES = frozenset({"math", "cmath", "np", "numpy", "numba", "libdevice"})
_DEPTH = 6


def parameter_names(function: cst.FunctionDef) -> list[str]:
    """The names of a function's parameters that can be given by position, in order."""
    return [one.name.value for one in (*function.params.posonly_params, *function.params.params)]


def parameter_effect(
    module: SourceModule, function: cst.FunctionDef, position: int, depth: int = _DEPTH
) -> Effect | None:
    """What a kernel or device function does with the elements of a parameter, from position 0.

    None where that cannot be told, as for a parameter that gets another name; a number has no effects.
    """
    names = parameter_names(function)
    inner = any(True for _ in module.nodes_in(cst.FunctionDef, function.body))
    if position >= len(names) or depth == 0 or inner or any(True for _ in _lambdas(module, function)):
        return None
    found: Effect = NOTHING
    for name in names_in(module, function.body):
        if name.value == names[position]:
            effect = _Uses(module, function, depth).of_name(name)
            if effect is None:
                return None
            found |= effect
    return found


def _lambdas(module: SourceModule, function: cst.FunctionDef) -> list[cst.Lambda]:
    return list(module.nodes_in(cst.Lambda, function.body))


class _Uses:
    """Uses of names and elements in one function."""

    def __init__(self, module: SourceModule, function: cst.FunctionDef, depth: int) -> None:
        self.module, self.function, self.depth = module, function, depth

    def of_name(self, name: cst.Name) -> Effect | None:
        above = self.module.parent(name)
        if is_assigned(self.module, name):
            return None
        if isinstance(above, cst.Attribute):
            return NOTHING if above.attr.value in _QUESTIONS else None
        if isinstance(above, cst.Subscript):
            return self.of_element(above)
        if isinstance(above, cst.Arg):
            return self._of_argument(above, element=False)
        plain = cst.BinaryOperation | cst.UnaryOperation | cst.Comparison | cst.ComparisonTarget
        plain |= cst.BooleanOperation | cst.Index | cst.Slice | cst.If | cst.While | cst.IfExp
        return NOTHING if isinstance(above, plain) else None

    def of_element(self, node: cst.Subscript | cst.Attribute) -> Effect | None:
        above = self.module.parent(node)
        if isinstance(above, cst.AssignTarget):
            return WRITE
        if isinstance(above, cst.AugAssign | cst.AnnAssign) and above.target is node:
            return WRITE if isinstance(above, cst.AnnAssign) else READ | WRITE
        sliced = isinstance(node, cst.Subscript) and any(
            isinstance(one.slice, cst.Slice) for one in node.slice
        )
        if sliced:
            return None
        if isinstance(above, cst.Subscript | cst.Attribute) and above.value is node:
            return self.of_element(above)
        if isinstance(above, cst.Arg):
            return self._of_argument(above, element=True)
        if isinstance(above, cst.Assign):
            return READ if self._stays_a_number(above) else None
        unclear = (
            cst.Element | cst.StarredElement | cst.For | cst.Return | cst.Yield | cst.NamedExpr | cst.Del
        )
        return None if isinstance(above, unclear) else READ

    def _stays_a_number(self, line: cst.Assign, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the names that get an element are used as numbers, not as rows of the array."""
        for target in line.targets:
            if not isinstance(target.target, cst.Name):
                return isinstance(target.target, cst.Subscript) and len(line.targets) == 1
            name = target.target.value
            uses = [one for one in names_in(self.module, self.function.body) if one.value == name]
            if name not in seen and not all(self._is_number(one, seen | {name}) for one in uses):
                return False
        return True

    def _is_number(self, use: cst.Name, seen: frozenset[str]) -> bool:
        above = self.module.parent(use)
        if isinstance(above, cst.Arg):
            return self._of_argument(above, element=False) == NOTHING
        if isinstance(above, cst.Assign):
            return self._stays_a_number(above, seen)
        rows = cst.Subscript | cst.Attribute | cst.For | cst.Element | cst.Return
        return not isinstance(above, rows)

    def _of_argument(self, argument: cst.Arg, element: bool) -> Effect | None:
        call = self.module.parent(argument)
        if not isinstance(call, cst.Call) or argument.star:
            return None
        own: Effect = READ if element else NOTHING
        called = call.func
        if isinstance(called, cst.Attribute) and cuda_attribute(self.module, called.value) == "atomic":
            return READ | WRITE if call.args[0] is argument else own
        if isinstance(called, cst.Name):
            bound = self.module.bindings(called.value, None)
            if len(bound) == 1 and isinstance(bound[0], cst.FunctionDef):
                inner = self._of_callee(bound[0], call, argument)
                return None if inner is None else inner | own
            return own if self._takes_numbers(called, bound) else None
        if cuda_attribute(self.module, called) is not None:
            return own if element else None
        root = called
        while isinstance(root, cst.Attribute):
            root = root.value
        known = isinstance(root, cst.Name) and root.value in _ALIASES
        return own if known else None

    def _takes_numbers(self, called: cst.Name, bound: list[cst.CSTNode]) -> bool:
        """Whether a function is a builtin or of a library whose functions take numbers."""
        if not bound:
            return called.value in _BUILTINS
        return all(
            isinstance(one, cst.ImportFrom)
            and one.module is not None
            and self.module.written(one.module) in _LIBRARIES
            for one in bound
        )

    def _of_callee(self, callee: cst.FunctionDef, call: cst.Call, argument: cst.Arg) -> Effect | None:
        names = parameter_names(callee)
        if any(one.star for one in call.args):
            return None
        if argument.keyword is not None:
            wanted = argument.keyword.value
            position = names.index(wanted) if wanted in names else len(names)
        else:
            position = next(number for number, one in enumerate(call.args) if one is argument)
        return parameter_effect(self.module, callee, position, self.depth - 1)

"""Arrays that a launch passes to a kernel, as far as the host code of its file shows what they are."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.errors import SourceProblem
from advisor.model.text.source_text import SourceText
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_types import HostTypes
from advisor.program.names.reaching_values import reaching_values
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import ModuleSyntax, parse_module
from advisor.program.values.constants import Constants

_DEPTH = 8
_MADE = frozenset({"zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array"})
_ALIKE = frozenset({
    "to_device", "ascontiguousarray", "asarray", "array", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "device_array_like",
})  # fmt: skip
_SAME_SHAPE_METHODS = frozenset({"astype", "copy"})


@dataclass(frozen=True)
class ArgumentArray:
    """Element type, as Numba calls it, and sizes of an array; None for what the host code does not show."""

    dtype: str | None = None
    shape: tuple[int | None, ...] | None = None

    @property
    def itemsize(self) -> int | None:
        """Bytes of one element."""
        return itemsize_of(self.dtype)


def argument_array(site: LaunchSite, position: int) -> ArgumentArray:
    """What is known of the argument at a position, from 0."""
    found = _call_and_scope(site, position)
    if found is None:
        return ArgumentArray()
    call, scope = found
    kind = HostTypes(scope).of(call.args[position])
    return ArgumentArray(kind.dtype if kind else None, _Shapes(scope).of(call.args[position], _DEPTH))


def array_type(site: LaunchSite, position: int) -> str | None:
    """The element type of the argument at a position, from 0, where that is an array; None for numbers."""
    found = _call_and_scope(site, position)
    kind = HostTypes(found[1]).of(found[0].args[position]) if found is not None else None
    return kind.dtype if kind is not None and kind.dims else None


def is_host_array(site: LaunchSite, position: int) -> bool:
    """Whether the argument at a position, from 0, is a NumPy array for certain."""
    found = _call_and_scope(site, position)
    return bool(found and found[1].is_host_array(found[0].args[position]))


def _call_and_scope(site: LaunchSite, position: int) -> tuple[ast.Call, HostScope] | None:
    syntax = _syntax(site.module.text)
    call = _call_at(site, syntax) if syntax else None
    if syntax is None or call is None or site.arguments is None or position >= len(call.args):
        return None
    function = next((one for one in syntax.scopes(call) if isinstance(one, ast.FunctionDef)), None)
    return call, HostScope(syntax, function, Workspace(Path()))


@lru_cache(maxsize=8)
def _syntax(text: str) -> ModuleSyntax | None:
    try:
        # Without a file nothing is read beside the text.
        return parse_module(SourceText("", text))
    except SourceProblem:
        return None


def _call_at(site: LaunchSite, syntax: ModuleSyntax) -> ast.Call | None:
    begin, _ = site.module.range_of(site.call)
    line = site.module.line_of(begin)
    column = begin - site.module.line_start(begin) + 1
    for call in syntax.calls:
        if (
            call.lineno == line
            and isinstance(call.func, ast.Subscript)
            and syntax.span(call).column == column
        ):
            return call
    return None


class _Shapes:
    """The shapes of expressions in one host function."""

    def __init__(self, scope: HostScope) -> None:
        self._scope = scope
        self._constants = Constants(scope.workspace, scope.module, scope.function)

    def of(self, node: ast.expr | None, depth: int) -> tuple[int | None, ...] | None:
        if node is None or depth == 0:
            return None
        if isinstance(node, ast.Name):
            return self._agreed(self._values(node), depth - 1)
        if not isinstance(node, ast.Call):
            return None
        dotted = self._scope.module.dotted(node.func) or ""
        name = dotted.rpartition(".")[2]
        if dotted.startswith("numpy.random."):
            return self._drawn(node)
        if dotted.startswith(("numpy.", "numba.cuda.", "cupy.")):
            if name in _MADE:
                return self._written(node)
            if name in _ALIKE and node.args:
                return self.of(node.args[0], depth - 1)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_SHAPE_METHODS:
            return self.of(node.func.value, depth - 1)
        return None

    def _values(self, node: ast.Name) -> Sequence[ast.expr | None]:
        function = self._scope.function
        if function is not None:
            values = reaching_values(self._scope.module, function, node.id, node)
            parameters = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            if values is None or values or any(one.arg == node.id for one in parameters):
                return values or []
        module = self._scope.module
        return [] if node.id in module.rebound else module.assigned.get(node.id, [])

    def _agreed(self, values: Sequence[ast.expr | None], depth: int) -> tuple[int | None, ...] | None:
        found = {self.of(value, depth) for value in values}
        return found.pop() if len(found) == 1 else None

    def _written(self, node: ast.Call) -> tuple[int | None, ...] | None:
        given = keyword_value(node, "shape")
        return self._sizes(node.args[0] if node.args else given)

    def _drawn(self, node: ast.Call) -> tuple[int | None, ...] | None:
        """The shape of random numbers whose `size` is named."""
        return self._sizes(keyword_value(node, "size"))

    def _sizes(self, shape: ast.expr | None) -> tuple[int | None, ...] | None:
        value = self._constants.value(shape) if shape is not None else None
        if isinstance(value, int) and not isinstance(value, bool):
            return (value,)
        if isinstance(value, tuple):
            return tuple(one if isinstance(one, int) else None for one in value)
        return None

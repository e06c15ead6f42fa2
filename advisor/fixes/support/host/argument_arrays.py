"""Arrays that a launch passes to a kernel, as far as the host code of its file shows what they are."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.errors import SourceProblem
from advisor.model.text.source_text import SourceText
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Array, Number
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax, parse_module


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
    value = scope.value(call.args[position])
    if isinstance(value, Array):
        return ArgumentArray(value.dtype, value.shape)
    return ArgumentArray(value.dtype if isinstance(value, Number) else None)


def array_type(site: LaunchSite, position: int) -> str | None:
    """The element type of the argument at a position, from 0, where that is an array; None for numbers."""
    found = _call_and_scope(site, position)
    value = found[1].value(found[0].args[position]) if found is not None else None
    return value.dtype if isinstance(value, Array) else None


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
    return call, HostScope(syntax, function, HostValues(Workspace(Path())))


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

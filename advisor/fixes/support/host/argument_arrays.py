"""Arrays that a launch passes to a kernel, as far as the host code of its file shows what they are."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import UNKNOWN, Array, Number, Value, copied_by_launch
from advisor.program.names.workspace import Workspace


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
    value = _value(site, position)
    if isinstance(value, Array):
        return ArgumentArray(value.dtype, value.shape)
    return ArgumentArray(value.dtype if isinstance(value, Number) else None)


def array_type(site: LaunchSite, position: int) -> str | None:
    """The element type of the argument at a position, from 0, where that is an array; None for numbers."""
    value = _value(site, position)
    return value.dtype if isinstance(value, Array) else None


def is_host_array(site: LaunchSite, position: int) -> bool:
    """Whether the argument at a position, from 0, is a NumPy array for certain."""
    return bool(copied_by_launch(_value(site, position)))


def _value(site: LaunchSite, position: int) -> Value:
    arguments = site.arguments or []
    if position >= len(arguments):
        return UNKNOWN
    module = site.module
    values = module.answer(_host_values, module.tree)
    return values.of(arguments[position], values.frame(module.syntax, site.function()))


def _host_values(_module: SourceModule, _tree: ast.Module) -> HostValues:
    # Without a file nothing is read beside the text.
    return HostValues(Workspace(Path()))

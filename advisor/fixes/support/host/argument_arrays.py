"""Arrays that a launch passes to a kernel, as far as the host code of its file shows what they are."""

from __future__ import annotations

import ast
from pathlib import Path

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import UNKNOWN, Array, Number, Value
from advisor.program.names.workspace import Workspace


def argument_value(site: LaunchSite, position: int) -> Value:
    """What is known of the argument at a position, from 0."""
    arguments = site.arguments or []
    if position >= len(arguments):
        return UNKNOWN
    values = site.module.answer(_host_values, site.module.tree)
    return values.of(arguments[position], values.frame(site.module.syntax, site.function()))


def argument_array(site: LaunchSite, position: int) -> Array:
    """What is known of the argument at a position, from 0, where that is an array."""
    value = argument_value(site, position)
    return value if isinstance(value, Array) else Array()


def number_type(site: LaunchSite, position: int) -> str:
    """The type of the argument at a position, from 0, as Numba calls it; empty where it may be no number."""
    value = argument_value(site, position)
    return (value.dtype or "") if isinstance(value, Number) else ""


def is_host_array(site: LaunchSite, position: int) -> bool:
    """Whether the argument at a position, from 0, is a NumPy array for certain."""
    return argument_array(site, position).copied_by_launch is True


def _host_values(_module: SourceModule, _tree: ast.Module) -> HostValues:
    # Without a file nothing is read beside the text.
    return HostValues(Workspace(Path()))

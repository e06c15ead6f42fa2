"""Stores records as one array for each field, so that neighbouring threads read neighbouring elements."""

# /// fix
# title = "Store the records as one array for each field"
# safety = "needs review"
# rules = ["uncoalesced-access"]
# needs_kernel = true
# condition = """
# these files hold every launch of the kernel, the array is a NumPy array, and no other argument shares \
# memory with it; results stay equal, the host makes a contiguous copy of each field for each copy to the \
# device"""
#
# [parameters]
# most_fields = 32
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.host import array_columns, record_fields
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.host.host_arguments import host_arguments
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edits of a kernel and of its launches in the same file; None for arrays that are used elsewhere."""
    body = own_kernel(place)
    array = _array(place, body) if body else None
    sites = place.launches()
    if body is None or array is None or not sites or any(one.module is not body.module for one in sites):
        return None
    position = body.parameters.index(array)
    arguments = host_arguments(sites, position)
    if arguments is None:
        return None
    columns = array_columns.kernel_edits(body, array)
    if columns is not None:
        widths = [_width(site, position) for site in sites]
        most = float(place.parameters["most_fields"])
        if any(width > most if width is not None else not _several(body, array) for width in widths):
            return None
        host = array_columns.host_edits(body.module, arguments)
        return [*columns, *host] if host else None
    return record_fields.all_edits(body, array, arguments)


def _width(site: LaunchSite, position: int) -> int | None:
    """The elements of a row of the array at a position of a launch, None where they are not known."""
    shape = argument_array(site, position).shape
    return shape[-1] if shape else None


def _several(body: KernelBody, array: str) -> bool:
    """Whether the kernel reads several columns, so that a row looks like a record."""
    return len(array_columns.column_numbers(body, array)) > 1


def _array(place: Place, body: KernelBody) -> str | None:
    """The parameter whose element the finding is about."""
    found = {node.id for node in place.within(ast.Name)} & set(body.parameters)
    outer = place.within(ast.Subscript)
    if not outer:
        return None
    base: ast.expr = outer[0]
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    name = base.id if isinstance(base, ast.Name) else None
    return name if name in found and not body.module.bindings(name, body.function) else None

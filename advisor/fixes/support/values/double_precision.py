"""Whether a device function or kernel may get data of double precision, as launches and signatures show."""

from __future__ import annotations

import re

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.kernel.walked_kernel import called_functions
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site
from advisor.program.syntax.module import FunctionNode

_WIDE = ("float64", "complex128")
_STATED = re.compile(r"\b(float64|double|complex128|f8|c16)\b")


def gets_double_precision(place: Place, module: SourceModule, function: FunctionNode) -> bool:
    """Whether one of the launches of a kernel, or of the kernels that call a device function, passes arrays
    of double precision, or a signature says so.
    """
    if any(_STATED.search(module.code_of(one)) for one in function.decorator_list):
        return True
    for row, kernel in place.facts.launches():
        found = place.function_of(kernel) if kernel is not None else None
        if found is None or kernel is None or not _reaches(*found, function):
            continue
        if any(_STATED.search(found[0].code_of(one)) for one in found[1].decorator_list):
            return True
        if _passes_double(place, row):
            return True
    return False


def _reaches(module: SourceModule, kernel: FunctionNode, function: FunctionNode) -> bool:
    """Whether a kernel is the function, or may call it, through functions of its file or by an import."""
    called = (kernel, *called_functions(module, kernel))
    return kernel is function or any(function.name in words_in(module, one.body) for one in called)


def _passes_double(place: Place, row: Row) -> bool:
    module = place.modules.get(row.path)
    site: LaunchSite | None = launch_site(module, row) if module is not None else None
    if site is None or site.arguments is None:
        return False
    return any(argument_array(site, position).dtype in _WIDE for position in range(len(site.arguments)))

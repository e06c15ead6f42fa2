"""Makes a device array Fortran-ordered whose first axis the lanes of the kernel run along."""

# /// fix
# title = "Make the array Fortran-ordered, so that the lanes run along its first axis"
# safety = "needs review"
# rules = ["uncoalesced-access", "transposed-index", "transpose-without-tile"]
# needs_kernel = true
# condition = """
# the host code does not depend on the order in memory of the arrays that it copies back, and the copy in \
# another order is made rarely enough to pay"""
#
# [parameters]
# # Fewer lanes than this along x would not fill a sector of 32 bytes with float32.
# lanes = 8
# # Resources of the time model that fewer sectors relieve, and the speed-up below which the change is not
# # worth it.
# relieves = "l1 l2 dram"
# least_speedup = 1.1
# ///

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.metrics.derived.timing import resource_times
from advisor.evidence.metrics.times.resources import joined_time
from advisor.evidence.source.kernel_walk.affine_forms import atom
from advisor.fixes import known_fixes
from advisor.fixes.place import Place
from advisor.fixes.rewrites.memory import stage_shared_tile, swap_thread_axes
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_arguments import creation_of, is_allocation, is_copy
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import element_indices, walked_kernel
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.values.array_uses import array_elements
from advisor.model.devices import find_device
from advisor.model.errors import EvidenceUnavailable, UsageError
from advisor.model.findings import Edit
from advisor.model.records import Reading, Record

# The lane's number in its block, along x.
_LANE = "tid.x"


def edits(place: Place) -> list[Edit] | None:
    """The edits of the array's creation for each launch; None where other uses of it would lose, and where
    a run shows that something else takes about as long as moving the sectors does.
    """
    if not _pays(place):
        return None
    kernel, sites, array = place.kernel(), place.launches(), _array(place)
    if kernel is None or not sites or array is None or _explicit_signature(*kernel):
        return None
    position = _position(kernel[1], array)
    if position is None or not _lanes_along_first_axis(*kernel, array):
        return None
    found: list[Edit] = []
    for site in sites:
        call = creation_of(site, position, sites)
        edit = _ordered(site.module, call) if call is not None and _fills_sectors(place, site) else None
        if edit is None:
            return None
        found += place.in_file(site.module, [edit])
    return None if _another_fix_helps(place) else sorted(set(found))


def _pays(place: Place) -> bool:
    """Whether fewer sectors may make the kernel faster by what the host's copy in another order is worth.

    They do not shorten the wait for a load: where a thread walks along its row, a sector serves its next
    loads from L1, and in the other order each of these needs a sector of its own.
    """
    relieved = frozenset(str(place.parameters["relieves"]).split())
    left = speedup_left(place, relieved)
    return left is None or left >= float(place.parameters["least_speedup"])


def _array(place: Place) -> str | None:
    """The array of the finding, where the lanes run along a slow axis in each of its accesses."""
    rows = place.rows("access")
    names = {row.label for row in rows if place.is_at(row)}
    if len(names) != 1:
        return None
    name = names.pop()
    # Rows without a pattern are of instructions; the text of the kernel is looked at as well.
    same = [row.values for row in rows if row.label == name and "lane_axis" in row.values]
    slow = all(one["lane_axis"] == "slow" and one.get("space") == "global" for one in same)
    return name if same and slow else None


def _position(function: ast.FunctionDef, array: str) -> int | None:
    """Which argument a kernel's array is, None where it is none or has a default."""
    given = function.args
    if given.posonlyargs or given.kwonlyargs or given.vararg:
        return None
    names = [one.arg for one in given.args[: len(given.args) - len(given.defaults)]]
    return names.index(array) if array in names else None


def _explicit_signature(module: SourceModule, function: ast.FunctionDef) -> bool:
    """Whether the types of the arguments, and so their order in memory, are or may be stated."""
    if len(function.decorator_list) != 1:
        return True
    decorator = function.decorator_list[0]
    if isinstance(decorator, ast.Call):
        if decorator.args or any(one.arg in (None, "argtypes") for one in decorator.keywords):
            return True
        decorator = decorator.func
    return cuda_attribute(module, decorator) != "jit"


def _lanes_along_first_axis(module: SourceModule, function: ast.FunctionDef, array: str) -> bool:
    """Whether each use of an array in a kernel is an element whose first index alone follows the lane."""
    atoms = walked_kernel(module, function).atoms
    uses = array_elements(module, function.body, array)
    for use in uses or ():
        indices = element_indices(module, function, use)
        if indices is None or len(indices) < 2:
            return False
        same = [indices[0] - atom(_LANE), *indices[1:]]
        if any(_LANE in atoms.depends(one) for one in same):
            return False
    return uses is not None


def _fills_sectors(place: Place, site: LaunchSite) -> bool:
    width = site.row.values.get("block_x")
    return width is None or float(width) >= float(place.parameters["lanes"])


def _ordered(module: SourceModule, call: ast.Call) -> Edit | None:
    """The edit that makes a new array Fortran-ordered, None for calls of another form."""
    if is_allocation(module, call):
        end = module.outer_range([*call.args, *(one.value for one in call.keywords)][-1])[1]
        return Edit(end, end, ', order="F"')
    numpy = name_of(module, "numpy")
    if numpy is None or not is_copy(module, call):
        return None
    value = call.args[0]
    if isinstance(value, ast.Call) and module.code_of(value.func).split(".")[-1] == "asfortranarray":
        return None
    ordered = f"{numpy}.asfortranarray({module.outer_code_of(value)})"
    return Edit(*module.outer_range(value), ordered)


def _another_fix_helps(place: Place) -> bool:
    """Whether the lanes can follow the array as it lies, which needs no change of the host's arrays."""
    parameters = {fix.id: fix.parameters for fix in known_fixes()}
    swapped = swap_thread_axes.edits(replace(place, parameters=parameters["swap-thread-axes"]))
    staged = stage_shared_tile.edits(replace(place, parameters=parameters.get("stage-shared-tile", {})))
    return bool(swapped or staged)


def speedup_left(place: Place, relieved: frozenset[str]) -> float | None:
    """The time of the finding's kernel over that of what is not relieved; None where no run of the kernel is
    known. Resources are those of the time model, as `l1`.
    """
    row, device = place.kernel_row(), place.facts.device
    if row is None or device is None:
        return None
    kernel = Record("kernel", row.label, row.path, row.span, row.label)
    kernel.readings = {name: Reading(value, "simulated") for name, value in row.values.items()}
    try:
        times = resource_times(kernel, find_device(device.label))
    except (UsageError, EvidenceUnavailable):
        return None
    left = joined_time({name: seconds for name, seconds in times.items() if name not in relieved})
    return joined_time(times) / left if left > 0.0 else None

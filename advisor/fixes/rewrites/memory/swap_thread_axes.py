"""Exchanges the thread axes x and y in a kernel and in all of its launches."""

# /// fix
# title = "Exchange the thread axes x and y in the kernel and its launches"
# safety = "needs review"
# rules = ["transposed-index", "uncoalesced-access"]
# needs_kernel = true
# condition = """
# all launches of the kernel are seen here (another one must be changed as well), and the grid has at most \
# 65,535 blocks along each axis; sums of floats by atomics may differ in the last bits, as from run to run"""
#
# [parameters]
# # Fewer lanes than this along y would not fill a sector of 32 bytes with float32.
# lanes = 8
# # How often a loop is taken to run when accesses inside and outside of it are weighed and no run has shown
# # it.
# loop_repeats = 8
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.kernel.thread_axes import exchanged
from advisor.fixes.support.launches.launch_axes import (
    block_of,
    exchanged_launch,
    launched_by_name,
    unseen_launches,
)
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.values.exchange_gain import exchange_pays
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of its launches; None where one of them cannot be read with certainty."""
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites or not exchange_pays(place):
        return None
    module, function = kernel
    inside = exchanged(module, function)
    if inside is None or not _complete(place, function, sites):
        return None
    found = place.in_file(module, inside)
    for site in sites:
        outside = exchanged_launch(site)
        if outside is None:
            return None
        found += place.in_file(site.module, outside)
    return sorted(set(found))


def _complete(place: Place, kernel: ast.FunctionDef, sites: list[LaunchSite]) -> bool:
    """Whether the launches are all of this kernel, and each has enough threads along y to be lanes."""
    found = place.kernel()
    modules = [*([found[0]] if found else []), *(site.module for site in sites)]
    if any(unseen_launches(module, kernel, sites) for module in modules):
        return False
    least = float(place.parameters["lanes"])
    blocks = [block_of(site) for site in sites]
    return all(launched_by_name(site, kernel.name) for site in sites) and all(
        block is not None and block[1] >= least for block in blocks
    )

"""Lets the compiler use the fast, less exact float32 functions and divisions in a kernel."""

# /// fix
# title = "Compile with fastmath=True"
# safety = "needs review"
# rules = ["exact-special-functions"]
# needs_kernel = true
# condition = """
# results may differ in the last bits: divisions, square roots and special functions are approximated, \
# subnormal numbers count as zero, and no value is infinite or not a number"""
# ///

from __future__ import annotations

from advisor.fixes.place import Place
from advisor.fixes.support.edits.decorator_options import with_option
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edit of the decorator; None where `fastmath` is given there already, or options are not seen."""
    kernel = place.kernel()
    if kernel is None:
        return None
    module, function = kernel
    edit = with_option(module, function, "fastmath", "True")
    return place.in_file(module, [edit]) if edit else None

"""Writes the float constants of a kernel's line as float32, and those that its variables start with."""

# /// fix
# title = "Write the constants as float32"
# safety = "needs review"
# rules = ["float64-promotion"]
# condition = "the data is float32; results are rounded to float32 at each step"
#
# [parameters]
# # 32 lanes of 4 bytes lie in 4 sectors of 32 bytes.
# float32_sectors = 4
# ///

from __future__ import annotations

from collections.abc import Collection

import libcst as cst
from libcst import matchers

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.subtracted_sums import subtracted_sums
from advisor.fixes.support.values.double_precision import gets_double_precision
from advisor.fixes.support.values.never_float32 import NeverFloat32
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """An edit for each float constant in the lines of the finding and of its further places, and for the
    constant that a variable which is assigned there starts with.

    None where there is none or no NumPy, and where a launch passes arrays of double precision. Constants
    that meet integers or float64 stay, since the result is float64 all the same, and so do sums that are
    subtracted from each other.
    """
    module = place.module
    numpy = name_of(module, "numpy")
    function = place.function()
    if numpy is None or function is None or gets_double_precision(place, module, function):
        return None
    begin, end = module.range_of(function.body)
    spans = (place.span, *(further.span for further in place.finding.further_places))
    lines = frozenset(line for span in spans for line in range(span.line, span.end_line + 1))
    starts = _start_values(module, function, lines)
    double = subtracted_sums(module, function)
    wide = NeverFloat32(place, module, function, double)
    found = []
    for node in module.nodes_between(cst.Float, begin, end):
        here = module.line_of(module.range_of(node)[0]) in lines and _counts(module, node)
        if (here or node in starts) and not _meets_wide(module, function, node, wide):
            found.append(module.replaced(node, f"{numpy}.float32({node.value})"))
    return found or None


def _start_values(module: SourceModule, function: cst.FunctionDef, lines: Collection[int]) -> set[cst.Float]:
    """The constants assigned elsewhere in the function to names that a line adds to: `total = 0.0`."""
    inside = list(module.nodes_in(cst.AugAssign, function)) + list(module.nodes_in(cst.Assign, function))
    names = {
        name
        for node in inside
        if module.line_of(module.range_of(node)[0]) in lines
        for name in [_target(node)]
        if name is not None and _reads(node, name)
    }
    return {
        node.value
        for node in inside
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Float) and _target(node) in names
    }


def _target(node: cst.Assign | cst.AugAssign) -> str | None:
    target = node.target if isinstance(node, cst.AugAssign) else node.targets[0].target
    return target.value if isinstance(target, cst.Name) else None


def _reads(node: cst.Assign | cst.AugAssign, name: str) -> bool:
    """Whether the new value depends on the old one."""
    if isinstance(node, cst.AugAssign):
        return True
    return bool(matchers.findall(node.value, matchers.Name(name)))


def _meets_wide(module: SourceModule, function: cst.FunctionDef, node: cst.Float, wide: NeverFloat32) -> bool:
    """Whether a constant is computed with, or its variable also gets, what is never float32."""
    value: cst.CSTNode = node
    above = module.parent(node)
    while isinstance(above, cst.UnaryOperation):
        value, above = above, module.parent(above)
    if isinstance(above, cst.BinaryOperation):
        return wide.holds(above.right if value is above.left else above.left)
    if isinstance(above, cst.ComparisonTarget):
        whole = module.parent(above)
        return isinstance(whole, cst.Comparison) and wide.holds(whole.left)
    if isinstance(above, cst.Comparison):
        return wide.holds(above.comparisons[0].comparator)
    name = _target(above) if isinstance(above, cst.Assign) else None
    if name is None:
        return False
    return wide.holds(cst.Name(name)) or any(
        isinstance(one, cst.Assign | cst.AugAssign) and one is not above and wide.holds(one.value)
        for one in module.bindings(name, function)
    )


def _counts(module: SourceModule, node: cst.Float) -> bool:
    """Whether a constant takes part in arithmetic: not as an exponent, and not converted already."""
    parent = module.parent(node)
    if isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Power):
        return parent.right is not node
    if isinstance(parent, cst.Arg):
        call = module.parent(parent)
        called = module.written(call.func).split(".")[-1] if isinstance(call, cst.Call) else ""
        return not called.startswith(("float", "int", "uint", "array"))
    return True

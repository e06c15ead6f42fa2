"""Writes the float constants of a line of a kernel as float32."""

from __future__ import annotations

import libcst as cst

from advisor.findings import Edit
from advisor.fixes.imported_names import name_of
from advisor.fixes.place import Place
from advisor.fixes.source_module import SourceModule


def edits(place: Place) -> list[Edit] | None:
    """An edit for each float constant in the finding's lines; None where there is none or no NumPy."""
    module = place.module
    numpy = name_of(module, "numpy")
    function = place.function()
    if numpy is None or function is None:
        return None
    begin, end = module.range_of(function.body)
    lines = range(place.span.line, place.span.end_line + 1)
    found = []
    for node in module.nodes(cst.Float):
        start, stop = module.range_of(node)
        if begin <= start and stop <= end and module.line_of(start) in lines and _counts(module, node):
            found.append(module.replaced(node, f"{numpy}.float32({node.value})"))
    return found or None


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

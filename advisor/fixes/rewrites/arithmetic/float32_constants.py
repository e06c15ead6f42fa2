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

import ast
from collections.abc import Collection

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.kernel.subtracted_sums import subtracted_sums
from advisor.fixes.support.values.double_precision import gets_double_precision
from advisor.fixes.support.values.never_float32 import NeverFloat32
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name

_CONVERSIONS = ("float", "int", "uint", "array")


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
    spans = (place.span, *(further.span for further in place.finding.further_places))
    lines = frozenset(line for span in spans for line in range(span.line, span.end_line + 1))
    starts = _start_values(module, function, lines)
    double = subtracted_sums(module, function)
    wide = NeverFloat32(place, module, function, double)
    found = []
    for node in filter(_is_float, module.nodes_in(ast.Constant, function.body)):
        here = module.line_of(module.range_of(node)[0]) in lines and _counts(module, node)
        if (here or node in starts) and not _meets_wide(module, function, node, wide):
            found.append(module.replaced(node, f"{numpy}.float32({module.code_of(node)})"))
    return found or None


def _is_float(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float


def _start_values(module: SourceModule, function: ast.FunctionDef, lines: Collection[int]) -> set[ast.expr]:
    """The constants assigned elsewhere in the function to names that a line adds to: `total = 0.0`."""
    body = function.body
    inside: list[ast.Assign | ast.AugAssign] = list(module.nodes_in(ast.Assign, body))
    inside += module.nodes_in(ast.AugAssign, body)
    names = {
        name
        for node in inside
        if node.lineno in lines
        for name in [_target(node)]
        if name is not None and _reads(module, node, name)
    }
    return {
        node.value
        for node in inside
        if isinstance(node, ast.Assign) and _is_float(node.value) and _target(node) in names
    }


def _target(node: ast.Assign | ast.AugAssign) -> str | None:
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _reads(module: SourceModule, node: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether the new value depends on the old one."""
    return isinstance(node, ast.AugAssign) or name in words_in(module, node.value)


def _meets_wide(
    module: SourceModule, function: ast.FunctionDef, node: ast.Constant, wide: NeverFloat32
) -> bool:
    """Whether a constant is computed with, or its variable also gets, what is never float32."""
    value: ast.AST = node
    above = module.parent(node)
    while isinstance(above, ast.UnaryOp):
        value, above = above, module.parent(above)
    if isinstance(above, ast.BinOp):
        return wide.holds(above.right if value is above.left else above.left)
    if isinstance(above, ast.Compare):
        return wide.holds(above.comparators[0] if value is above.left else above.left)
    name = _target(above) if isinstance(above, ast.Assign) else None
    if name is None:
        return False
    return wide.holds(ast.Name(name, ast.Load())) or any(
        isinstance(one, ast.Assign | ast.AugAssign) and one is not above and wide.holds(one.value)
        for one in module.bindings(name, function)
    )


def _counts(module: SourceModule, node: ast.Constant) -> bool:
    """Whether a constant takes part in arithmetic: not as an exponent, and not converted already."""
    parent = module.parent(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow):
        return parent.right is not node
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    converted = isinstance(call, ast.Call) and called_name(call).startswith(_CONVERSIONS)
    return not converted

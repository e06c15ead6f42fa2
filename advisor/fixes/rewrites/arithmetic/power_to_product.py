"""Writes powers with a constant exponent as products, and the half power as a square root."""

# /// fix
# title = "Write the power as a product or a square root"
# safety = "needs review"
# rules = ["slow-power"]
# condition = "the base is a floating-point number; results may differ in the last bits"
# ///

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

_FACTORS = {"2": 2, "2.0": 2, "2.": 2, "3": 3, "3.0": 3, "3.": 3}
_HALF = ("0.5", ".5")
# A product stands here as it is; elsewhere it needs brackets.
_LOOSE = (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg, cst.Expr, cst.Index, cst.AssignTarget)


def edits(place: Place) -> list[Edit] | None:
    """The edit of the power, with an import where it needs one; None for other exponents and bases."""
    found = _power(place)
    if found is None:
        return None
    node, base, exponent = found
    module = place.module
    written = module.written(exponent)
    if written in _FACTORS and _repeats(base):
        factor = module.written(base)
        product = " * ".join([factor] * _FACTORS[written])
        loose = isinstance(module.parent(node), _LOOSE) or node.lpar
        return [module.replaced(node, product if loose else f"({product})")]
    if written in _HALF:
        return _square_root(module, node, base)
    return None


def _power(
    place: Place,
) -> tuple[cst.BinaryOperation | cst.Call, cst.BaseExpression, cst.BaseExpression] | None:
    """The power at a place, its base and its exponent."""
    for node in place.within(cst.BinaryOperation):
        if isinstance(node.operator, cst.Power):
            return node, node.left, node.right
    for call in place.within(cst.Call):
        name = place.module.written(call.func)
        if name in ("math.pow", "pow") and len(call.args) == 2 and not any(one.keyword for one in call.args):
            return call, call.args[0].value, call.args[1].value
    return None


def _repeats(base: cst.BaseExpression) -> bool:
    """Whether a base can be written twice: a name, or an element of an array by names and numbers."""
    if isinstance(base, cst.Name | cst.Integer | cst.Float):
        return True
    if isinstance(base, cst.Attribute):
        return _repeats(base.value)
    if isinstance(base, cst.Subscript):
        indices = [one.slice for one in base.slice]
        return _repeats(base.value) and all(
            isinstance(one, cst.Index) and _repeats(one.value) for one in indices
        )
    return False


def _square_root(
    module: SourceModule, node: cst.BinaryOperation | cst.Call, base: cst.BaseExpression
) -> list[Edit] | None:
    known = name_of(module, "math")
    found = [] if known else [import_edit(module, "math")]
    if None in found:
        return None
    inner = module.written(base.with_changes(lpar=(), rpar=()))
    root = module.replaced(node, f"{known or 'math'}.sqrt({inner})")
    return [root, *(edit for edit in found if edit is not None)]

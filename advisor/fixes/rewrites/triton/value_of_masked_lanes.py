"""Gives a masked `tl.load` a value for the lanes that the mask holds back, which does not change the result.

For a sum or a product that is zero, for a maximum minus infinity, for a minimum infinity.
"""

# /// fix
# title = "Give the masked lanes a value"
# safety = "needs review"
# rules = ["triton-masked-load-in-sum", "triton-masked-load-in-maximum"]
# condition = """
# the values are floating-point numbers, and what is computed from the given one before a sum does not \
# change the result"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.call_keywords import with_keyword
from advisor.model.findings import Edit
from advisor.program.syntax.calls import keyword_value

_VALUES = {
    "sum": "0.0",
    "dot": "0.0",
    "xor_sum": "0",
    "max": 'float("-inf")',
    "argmax": 'float("-inf")',
    "min": 'float("inf")',
    "argmin": 'float("inf")',
}


def edits(place: Place) -> list[Edit] | None:
    """The edit that adds `other=`; None for another reduction, or where the value may be given already.

    None, too, where a maximum or minimum is not of the loaded value itself, or both are taken of it.
    """
    call = place.exactly(ast.Call)
    row = place.facts.row_at("triton_access", place.finding)
    value = _VALUES.get(str(row.values.get("reduction", ""))) if row is not None else None
    if call is None or value is None or not isinstance(call.func, ast.Attribute | ast.Name):
        return None
    if "inf" in value and not (
        row is not None and row.values.get("reduced_as_loaded") and not row.values.get("reduced_both_ways")
    ):
        return None
    if len(call.args) > 2 or keyword_value(call, "other") is not None:
        return None
    edit = with_keyword(place.module, call, "other", value)
    return None if edit is None else [edit]

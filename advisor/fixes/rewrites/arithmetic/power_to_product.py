"""Writes powers with a constant exponent as products, and the half power as a square root."""

# /// fix
# title = "Write the power as a product or a square root"
# safety = "needs review"
# rules = ["slow-power"]
# condition = "the base is a floating-point number; results may differ in the last bits"
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

# A product stands here as it is; elsewhere it needs parentheses.
_LOOSE = (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.Expr, ast.Tuple)


def edits(place: Place) -> list[Edit] | None:
    """The edit of the power, with an import where it needs one; None for other exponents and bases."""
    found = _power(place)
    if found is None:
        return None
    node, base, exponent = found
    module = place.module
    if exponent is not None and exponent in (2, 3) and _repeats(base):
        product = " * ".join([module.outer_code_of(base)] * int(exponent))
        return [module.replaced(node, product if _is_loose(module, node) else f"({product})")]
    return _square_root(module, node, base) if exponent == 0.5 else None


def _power(place: Place) -> tuple[ast.BinOp | ast.Call, ast.expr, float | None] | None:
    """The power at a place, its base and its exponent, None for one that is no number."""
    for node in place.within(ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return node, node.left, _number(node.right)
    for call in place.within(ast.Call):
        plain = len(call.args) == 2 and not call.keywords
        if plain and place.module.code_of(call.func) in ("math.pow", "pow"):
            return call, call.args[0], _number(call.args[1])
    return None


def _number(node: ast.expr) -> float | None:
    """The value of a number as it is written, None for anything else."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _repeats(base: ast.expr) -> bool:
    """Whether a base can be written twice: a name, or an element of an array by names and numbers."""
    if isinstance(base, ast.Attribute):
        return _repeats(base.value)
    if isinstance(base, ast.Subscript):
        indices = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
        return _repeats(base.value) and all(map(_repeats, indices))
    return isinstance(base, ast.Name) or _number(base) is not None


def _is_loose(module: SourceModule, node: ast.BinOp | ast.Call) -> bool:
    """Whether nothing binds closer than a product around a node."""
    parent = module.parent(node)
    if isinstance(parent, ast.Call | ast.Subscript):
        # An argument or an index, not what is called or indexed.
        return module.range_of(parent)[0] != module.range_of(node)[0]
    return isinstance(parent, _LOOSE) or module.is_parenthesized(node)


def _square_root(module: SourceModule, node: ast.BinOp | ast.Call, base: ast.expr) -> list[Edit] | None:
    known = name_of(module, "math")
    root = module.replaced(node, f"{known or 'math'}.sqrt({module.code_of(base)})")
    if known:
        return [root]
    added = import_edit(module, "math")
    return None if added is None else [root, added]

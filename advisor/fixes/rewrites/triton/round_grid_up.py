"""Rounds the size of a grid up: `triton.cdiv(n, BLOCK)` for `n // BLOCK`."""

# /// fix
# title = "Round the grid up by triton.cdiv"
# safety = "needs review"
# rules = ["triton-grid-rounded-down"]
# condition = "all loads and stores of the kernel are masked by the size that is divided"
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edits of the grid's quotients by a block's size; None where the grid is not written at the launch
    or in the one assignment of its name, or where the file does not import triton.
    """
    module = place.module
    launched = place.exactly(ast.Subscript)
    name = name_of(module, "triton")
    call = module.parent(launched) if launched is not None else None
    if launched is None or name is None or not isinstance(call, ast.Call):
        return None
    grid = _grid(place, launched)
    blocks = {module.code_of(one) for one in (*call.args, *(given.value for given in call.keywords))}
    found = (
        [] if grid is None else [one for one in _quotients(module, grid) if _by_block(module, one, blocks)]
    )
    if not found:
        return None
    return [
        module.replaced(one, f"{name}.cdiv({module.code_of(one.left)}, {module.code_of(one.right)})")
        for one in found
    ]


def _grid(place: Place, launched: ast.Subscript) -> ast.expr | None:
    """The expression of the grid; None where a launch has more than one index."""
    module, part = place.module, launched.slice
    if isinstance(part, ast.Tuple) and not module.is_parenthesized(part):
        return None
    if not isinstance(part, ast.Name):
        return part
    function = module.function_around(place.begin)
    bindings = module.bindings(part.id, function) or module.bindings(part.id, None)
    return bindings[0].value if len(bindings) == 1 and isinstance(bindings[0], ast.Assign) else None


def _quotients(module: SourceModule, grid: ast.expr) -> list[ast.BinOp]:
    """The whole divisions that are sizes of the grid, not parts of a larger sum."""
    return [
        one
        for one in module.nodes_in(ast.BinOp, grid)
        if isinstance(one.op, ast.FloorDiv)
        and not isinstance(module.parent(one), ast.BinOp | ast.UnaryOp)
        and not any(isinstance(inner.op, ast.Add | ast.Sub) for inner in module.nodes_in(ast.BinOp, one.left))
    ]


def _by_block(module: SourceModule, quotient: ast.BinOp, blocks: set[str]) -> bool:
    return isinstance(quotient.right, ast.Subscript) or module.code_of(quotient.right) in blocks

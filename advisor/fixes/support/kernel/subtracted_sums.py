"""Sums of a kernel that are subtracted from each other, as in a variance from two sums.

What is left is small beside the sums, so that the digits which float32 cuts off are many of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.launches.launch_sites import given_value
from advisor.program.syntax.module import FunctionNode

_Bindings = Mapping[str, list[ast.AST]]


def subtracted_sums(module: SourceModule, function: FunctionNode) -> frozenset[str]:
    """The names that add up values from a float constant on, where a difference is taken of what was computed
    from such names on both of its sides.
    """
    bound = {name: module.bindings(name, function) for name in words_in(module, function.body)}
    sums = _origins(module, {name: lines for name, lines in bound.items() if lines})
    found: set[str] = set()
    for node in module.nodes_in(ast.BinOp, function.body):
        if isinstance(node.op, ast.Sub):
            left, right = (_of(module, side, sums) for side in (node.left, node.right))
            if left and right:
                found |= left | right
    return frozenset(found)


def _origins(module: SourceModule, bound: _Bindings) -> dict[str, set[str]]:
    """The sums that each name is computed from."""
    found = {name: {name} if _is_sum(module, name, lines) else set() for name, lines in bound.items()}
    changed = True
    while changed:
        changed = False
        for name, lines in bound.items():
            before = len(found[name])
            for line in lines:
                value = line.value if isinstance(line, ast.AugAssign) else given_value(line, name)
                found[name] |= _of(module, value, found) if value is not None else set()
            changed = changed or len(found[name]) > before
    return found


def _is_sum(module: SourceModule, name: str, lines: list[ast.AST]) -> bool:
    """Whether a name starts with a float constant and is added to, or computed from itself."""
    values = [given_value(line, name) for line in lines]
    again = any(
        isinstance(line, ast.AugAssign) or (value is not None and name in words_in(module, value))
        for line, value in zip(lines, values, strict=True)
    )
    return again and any(isinstance(value, ast.Constant) and type(value.value) is float for value in values)


def _of(module: SourceModule, node: ast.AST, sums: Mapping[str, set[str]]) -> set[str]:
    return {one for name in words_in(module, node) for one in sums.get(name, ())}

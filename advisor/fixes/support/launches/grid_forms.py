"""Grids that cover a size with whole blocks, `(n + T - 1) // T`: where the block's size T stands in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.literals import written_integer

_DEPTH = 6


@dataclass(frozen=True)
class Stand:
    """An expression that stands for the block's size plus `addend`; `by_name` where it follows a number that
    is written elsewhere.
    """

    node: ast.expr
    addend: int = 0
    by_name: bool = False


def number_of(site: LaunchSite, value: ast.expr) -> ast.Constant | None:
    """The integer that an expression is: written there, by a name that is given it once, or `BLOCK[0]` of a
    tuple with such a name; else None.
    """
    value = site.defined(value)
    if isinstance(value, ast.Constant):
        return value if type(value.value) is int else None
    if isinstance(value, ast.Subscript):
        owner, position = site.defined(value.value), written_integer(value.slice)
        if isinstance(owner, ast.Tuple) and position is not None and position < len(owner.elts):
            return number_of(site, owner.elts[position])
    return None


class GridForm:
    """The grid of a launch along one axis, for blocks whose size along it is a number in the file."""

    def __init__(self, site: LaunchSite, size: ast.Constant) -> None:
        self.site, self.size = site, size
        self.threads = written_integer(size) or 0

    def stands(self, grid: ast.expr, depth: int = _DEPTH) -> list[Stand] | None:
        """Where the block's size stands in a grid of at least `n / T` blocks; None for other grids."""
        found = self._stands(grid, depth)
        if found is None:
            return None
        # The size within `n` would change what is covered.
        named = [one for one in map(self._size, self._parts(grid, depth)) if one is not None and one.by_name]
        return found if len(named) <= len(found) else None

    def _stands(self, grid: ast.expr, depth: int) -> list[Stand] | None:
        if depth == 0:
            return None
        match self.site.defined(grid):
            case meant if meant is not grid:
                return self._stands(meant, depth - 1)
            case ast.Call() as call:
                return self._of_call(call, depth)
            case ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub()), ast.FloorDiv(), threads)):
                return self._one(threads)  # -(-n // T)
            case ast.BinOp(whole, ast.FloorDiv(), threads):
                return self._of_rounded(whole, threads)
            case ast.BinOp(ast.BinOp(_, ast.FloorDiv(), threads), ast.Add(), one) | ast.BinOp(
                one, ast.Add(), ast.BinOp(_, ast.FloorDiv(), threads)
            ) if written_integer(one) == 1:
                return self._one(threads)  # n // T + 1, which covers n and one more
        return None

    def _one(self, threads: ast.expr) -> list[Stand] | None:
        size = self._size(threads)
        return [size] if size else None

    def _size(self, node: ast.expr) -> Stand | None:
        """The block's size, by its name or as the same number."""
        if isinstance(node, ast.Call) and called_name(node) == "float" and len(node.args) == 1:
            node = node.args[0]
        number = number_of(self.site, node)
        if number is self.size and number is not node:
            return Stand(node, by_name=True)
        return Stand(node) if written_integer(node) == self.threads > 1 else None

    def _of_rounded(self, left: ast.expr, right: ast.expr) -> list[Stand] | None:
        """`(n + T - 1) // T` and `(n + 99) // 100`, the parts of the sum in any order."""
        below = self._size(right)
        if below is None:
            return None
        sizes, offset, others, nodes = [], 0, 0, []
        for sign, part in _terms(left, 1):
            size, number = self._size(part) if sign > 0 else None, written_integer(part)
            if size is not None:
                sizes.append(size)
            elif number is not None:
                offset += sign * number
                nodes.append(part)
            else:
                others += 1
        if not others:
            return None
        if len(sizes) == 1 and offset == -1:
            return [below, *sizes]
        if not sizes and len(nodes) == 1 and offset == self.threads - 1:
            return [below, Stand(nodes[0], -1)]
        return None

    def _of_call(self, call: ast.Call, depth: int) -> list[Stand] | None:
        """`ceil(n / T)`, `int(…)` and `max(…, 1)` of a grid."""
        match called_name(call), call.args:
            case _ if call.keywords:
                return None
            case "int", [value]:
                return self._stands(value, depth - 1)
            case "max", [_, _]:
                grids = [one for one in call.args if written_integer(one) is None]
                return self._stands(grids[0], depth - 1) if len(grids) == 1 else None
            case "ceil", [ast.BinOp(_, ast.Div(), threads)]:
                return self._one(threads)
        return None

    def _parts(self, grid: ast.expr, depth: int) -> list[ast.expr]:
        """The names and elements of tuples in a grid, also behind its names."""
        meant = self.site.defined(grid)
        if meant is not grid and depth:
            return self._parts(meant, depth - 1)
        module = self.site.module
        found: list[ast.expr] = []
        for node in module.nodes_in(ast.Name, grid):
            above = module.parent(node)
            found.append(above if isinstance(above, ast.Subscript) and above.value is node else node)
        return found


def _terms(value: ast.expr, sign: int) -> list[tuple[int, ast.expr]]:
    """The parts of a sum with their signs."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        other = sign if isinstance(value.op, ast.Add) else -sign
        return [*_terms(value.left, sign), *_terms(value.right, other)]
    return [(sign, value)]

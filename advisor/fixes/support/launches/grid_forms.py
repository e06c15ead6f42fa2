"""Grids that cover a size with whole blocks, `(n + T - 1) // T`: where the block's size T stands in them."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.support.launches.launch_sites import LaunchSite

_DEPTH = 6


@dataclass(frozen=True)
class Stand:
    """An expression that stands for the block's size plus `addend`; `by_name` where it follows a number that
    is written elsewhere.
    """

    node: cst.BaseExpression
    addend: int = 0
    by_name: bool = False


def number_of(site: LaunchSite, value: cst.BaseExpression) -> cst.Integer | None:
    """The number that an expression is: written there, by a name that is given it once, or `BLOCK[0]` of a
    tuple with such a name; else None.
    """
    value = site.defined(value)
    if isinstance(value, cst.Integer):
        return value
    if isinstance(value, cst.Subscript) and len(value.slice) == 1:
        owner, index = site.defined(value.value), value.slice[0].slice
        number = index.value if isinstance(index, cst.Index) else None
        if isinstance(owner, cst.Tuple) and isinstance(number, cst.Integer):
            position = number.evaluated_value
            if position < len(owner.elements) and isinstance(owner.elements[position], cst.Element):
                return number_of(site, owner.elements[position].value)
    return None


class GridForm:
    """The grid of a launch along one axis, for blocks whose size along it is a number in the file."""

    def __init__(self, site: LaunchSite, size: cst.Integer) -> None:
        self.site, self.size = site, size

    def stands(self, grid: cst.BaseExpression, depth: int = _DEPTH) -> list[Stand] | None:
        """Where the block's size stands in a grid of at least `n / T` blocks; None for other grids."""
        found = self._stands(grid, depth)
        if found is None:
            return None
        # The size within `n` would change what is covered.
        named = [one for one in map(self._size, self._parts(grid, depth)) if one is not None and one.by_name]
        return found if len(named) <= len(found) else None

    def _stands(self, grid: cst.BaseExpression, depth: int) -> list[Stand] | None:
        if depth == 0:
            return None
        meant = self.site.defined(grid)
        if meant is not grid:
            return self._stands(meant, depth - 1)
        if isinstance(grid, cst.Call):
            return self._of_call(grid, depth)
        if isinstance(grid, cst.UnaryOperation) and isinstance(grid.operator, cst.Minus):
            return self._of_negated(grid.expression)
        if not isinstance(grid, cst.BinaryOperation):
            return None
        if isinstance(grid.operator, cst.FloorDivide):
            return self._of_rounded(grid.left, grid.right)
        return self._of_one_more(grid) if isinstance(grid.operator, cst.Add) else None

    def _size(self, node: cst.BaseExpression) -> Stand | None:
        """The block's size, by its name or as the same number."""
        if (
            isinstance(node, cst.Call)
            and self.site.module.written(node.func) == "float"
            and len(node.args) == 1
        ):
            node = node.args[0].value
        number = number_of(self.site, node)
        if number is self.size and number is not node:
            return Stand(node, by_name=True)
        same = isinstance(node, cst.Integer) and node.evaluated_value == self.size.evaluated_value
        return Stand(node) if same and self.size.evaluated_value > 1 else None

    def _of_rounded(self, left: cst.BaseExpression, right: cst.BaseExpression) -> list[Stand] | None:
        """`(n + T - 1) // T` and `(n + 99) // 100`, the parts of the sum in any order."""
        below = self._size(right)
        if below is None:
            return None
        sizes, offset, others, nodes = [], 0, 0, []
        for sign, part in _terms(left, 1):
            size = self._size(part) if sign > 0 else None
            if size is not None:
                sizes.append(size)
            elif isinstance(part, cst.Integer):
                offset += sign * part.evaluated_value
                nodes.append(part)
            else:
                others += 1
        if not others:
            return None
        if len(sizes) == 1 and offset == -1:
            return [below, *sizes]
        if not sizes and len(nodes) == 1 and offset == self.size.evaluated_value - 1:
            return [below, Stand(nodes[0], -1)]
        return None

    def _of_one_more(self, grid: cst.BinaryOperation) -> list[Stand] | None:
        """`n // T + 1`, which covers n and one more."""
        for whole, one in ((grid.left, grid.right), (grid.right, grid.left)):
            if isinstance(one, cst.Integer) and one.evaluated_value == 1:
                divides = isinstance(whole, cst.BinaryOperation) and isinstance(
                    whole.operator, cst.FloorDivide
                )
                size = self._size(whole.right) if divides else None  # type: ignore[attr-defined]
                return [size] if size else None
        return None

    def _of_negated(self, whole: cst.BaseExpression) -> list[Stand] | None:
        """`-(-n // T)`."""
        if isinstance(whole, cst.BinaryOperation) and isinstance(whole.operator, cst.FloorDivide):
            negative = isinstance(whole.left, cst.UnaryOperation) and isinstance(
                whole.left.operator, cst.Minus
            )
            size = self._size(whole.right)
            return [size] if negative and size else None
        return None

    def _of_call(self, call: cst.Call, depth: int) -> list[Stand] | None:
        """`ceil(n / T)`, `int(…)` and `max(…, 1)` of a grid."""
        name = self.site.module.written(call.func).rpartition(".")[2]
        values = [one.value for one in call.args]
        if any(one.keyword or one.star for one in call.args):
            return None
        if name == "int" and len(values) == 1:
            return self._stands(values[0], depth - 1)
        if name == "max" and len(values) == 2:
            grids = [one for one in values if not isinstance(one, cst.Integer)]
            return self._stands(grids[0], depth - 1) if len(grids) == 1 else None
        if name == "ceil" and len(values) == 1 and isinstance(values[0], cst.BinaryOperation):
            size = self._size(values[0].right) if isinstance(values[0].operator, cst.Divide) else None
            return [size] if size else None
        return None

    def _parts(self, grid: cst.BaseExpression, depth: int) -> list[cst.BaseExpression]:
        """The names and elements of tuples in a grid, also behind its names."""
        meant = self.site.defined(grid)
        if meant is not grid and depth:
            return self._parts(meant, depth - 1)
        module = self.site.module
        found: list[cst.BaseExpression] = []
        for node in module.nodes_in(cst.Name, grid):
            above = module.parent(node)
            found.append(above if isinstance(above, cst.Subscript) and above.value is node else node)
        return found


def _terms(value: cst.BaseExpression, sign: int) -> list[tuple[int, cst.BaseExpression]]:
    """The parts of a sum with their signs."""
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add | cst.Subtract):
        other = sign if isinstance(value.operator, cst.Add) else -sign
        return [*_terms(value.left, sign), *_terms(value.right, other)]
    return [(sign, value)]

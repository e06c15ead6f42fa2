"""The values of expressions in a Triton kernel; calls are another matter."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import Form, polynomial
from advisor.evidence.source.triton.walk.notes import ChoiceNote, has_arange
from advisor.evidence.source.triton.walk.quantities import (
    COMPUTED,
    MAGNITUDE,
    Group,
    Quantity,
    Shape,
    Undefined,
    Value,
    rearranged,
    routed,
)
from advisor.evidence.source.triton.walk.walk_state import WalkState, flattened
from advisor.program.values.constant_folding import binary

_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Expressions(WalkState):
    """Names, operators, comparisons, subscripts."""

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression; loads and the like in it are noted."""
        if node is None:
            return self.unknown()
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        found: Value = method(node) if method is not None else self._anything(node)
        if isinstance(found, Quantity) and found.form.too_large:
            return replace(self.opaque([found]), shape=found.shape, pointer=found.pointer)
        return found

    def quantity(self, node: ast.expr | None) -> Quantity:
        """The same as one value."""
        found = self.value(node)
        return found if isinstance(found, Quantity) else self.unknown()

    def _anything(self, node: ast.expr) -> Value:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return self.unknown()

    def _constant(self, node: ast.Constant) -> Value:
        return self.known(node.value) or Quantity(self.atoms.symbol("=None"), constant=True)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            return self.env[node.id]
        constant = self.module_constant(node)
        if constant is not None:
            return constant
        if node.id in self.function.module.assigned:
            return Quantity(self.atoms.symbol(node.id), constant=True)
        return self.unknown()

    def _tuple(self, node: ast.Tuple | ast.List) -> Value:
        return Group(tuple(self.value(one) for one in node.elts if not isinstance(one, ast.Starred)))

    _list = _tuple

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if not isinstance(left, Quantity) or not isinstance(right, Quantity):
            return self.unknown()
        return self.combined(node.op, left, right)

    def combined(self, operator: ast.operator, left: Quantity, right: Quantity) -> Quantity:
        """The value of a binary operation."""
        found = self.opaque([left, right], "mod" if isinstance(operator, ast.Mod) else "value")
        pointer = None
        if isinstance(operator, ast.Add | ast.Sub):
            pointer = left.pointer or right.pointer
        undefined, zeroed = found.undefined, left.zeroed & right.zeroed
        if isinstance(operator, ast.Mult):
            undefined, zeroed = _times_zero(left, right), left.zeroed | right.zeroed
        elif isinstance(operator, ast.Pow) and right.value is not None and right.value % 2 == 0:
            undefined = routed(left.undefined, MAGNITUDE)
        result = replace(
            found,
            pointer=pointer,
            undefined=undefined,
            zeroed=zeroed,
            dtype=_wider(left.dtype, right.dtype),
            value=_whole_number(operator, left.value, right.value),
            blocked=left.blocked or right.blocked,
        )
        form = None if left.loaded and right.loaded else polynomial(operator, left.form, right.form)
        if form is not None:
            known = self._known_number(result)
            return replace(result, form=known if known is not None else form, compared=())
        if isinstance(operator, ast.BitAnd | ast.BitOr):
            return result
        return replace(result, compared=())

    def _known_number(self, value: Quantity) -> Form | None:
        found = self.known(value.value) if value.value is not None else None
        return None if found is None else found.form

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        operand = self.quantity(node.operand)
        if isinstance(node.op, ast.USub):
            number = None if operand.value is None else -operand.value
            undefined = routed(operand.undefined, COMPUTED)
            return replace(
                operand, form=-operand.form, pointer=None, value=number, compared=(), undefined=undefined
            )
        if isinstance(node.op, ast.Not):
            return replace(self.opaque([operand]), undefined=frozenset())
        return self.opaque([operand])

    def _compare(self, node: ast.Compare) -> Value:
        parts = [self.quantity(one) for one in (node.left, *node.comparators)]
        found = replace(self.opaque(parts), pointer=None)
        if any(isinstance(one, ast.Is | ast.IsNot | ast.In | ast.NotIn) for one in node.ops):
            return replace(
                found, shape=(), axes=frozenset(), undefined=frozenset(), constant=True, compared=()
            )
        limited = [
            (position, limit)
            for one, other, operator in zip(parts, parts[1:], node.ops, strict=False)
            for position, limit in ((one, other), (other, one))
            if isinstance(operator, _COMPARED)
            and has_arange(position.form)
            and self._is_size(limit, position)
        ]
        for position, limit in limited:
            self._note_bound(position, limit)
        return replace(found, compared=tuple(one.form for one, _ in limited) or (found.form,))

    def _is_size(self, limit: Quantity, position: Quantity) -> bool:
        """Whether a number limits positions by the size of the data: it names a parameter, or was loaded."""
        if has_arange(limit.form) or limit.shape != ():
            return False
        names = limit.form.atoms()
        own = len(position.form.terms) == 1 and {extent for extent in position.shape or () if extent != 1}
        if own and len(names) == 1 and own == names:
            # A block's positions within itself are always below its extent.
            return False
        self.notes.limits.update(names)
        return (
            limit.loaded
            or any(name in self.function.parameters for name in names)
            or any(name.startswith(("value#", "carried#", "loaded#")) for name in names)
        )

    def _note_bound(self, position: Quantity, limit: Quantity) -> None:
        """Note positions that a size of the data bounds.

        That is a parameter of the launch, or a constant where the program's index counts through blocks; what
        was loaded is the length of one of several parts of the data.
        """
        counts = any(one.startswith("pid.") for one in self.atoms.depends(position.form))
        if not limit.loaded and (counts or not limit.constant):
            self.notes.bounds.add(position.form)

    def _boolop(self, node: ast.BoolOp) -> Value:
        parts = [self.quantity(one) for one in node.values]
        found = self.opaque(parts)
        if sum(one.is_block for one in parts) > 0:
            self.notes.choices.append(ChoiceNote(node, self.where(), "logical operator", found))
        return found

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.quantity(node.test)
        self.note_choice(node.test, condition, "conditional expression")
        one, other = self.value(node.body), self.value(node.orelse)
        if isinstance(one, Quantity) and isinstance(other, Quantity):
            return self.either(one, other)
        return one

    def note_choice(self, node: ast.expr, condition: Quantity, kind: str) -> None:
        """Note a branch."""
        self.notes.choices.append(ChoiceNote(node, self.where(), kind, condition))

    def either(self, one: Quantity, other: Quantity) -> Quantity:
        """The value of a name that two ways give different values."""
        if one == other:
            return one
        shape: Shape = one.shape if one.shape == other.shape else _likely(one.shape, other.shape)
        same = one.form == other.form
        found = self.opaque([one, other])
        return replace(
            found,
            form=one.form if same else found.form,
            shape=shape,
            pointer=one.pointer if one.pointer == other.pointer else one.pointer or other.pointer,
            dtype=one.dtype if one.dtype == other.dtype else None,
            raised=one.raised and other.raised,
            undefined=one.undefined | other.undefined,
            zeroed=one.zeroed & other.zeroed,
            constant=one.constant and other.constant,
            compared=tuple({*one.compared, *other.compared}),
            blocked=one.blocked or other.blocked,
        )

    def _attribute(self, node: ast.Attribute) -> Value:
        if self.names.of(node) is not None:
            return Quantity(self.atoms.symbol(ast.unparse(node)), constant=True)
        base = node.value
        if isinstance(base, ast.Name) and base.id not in self.env:
            return self.module_constant(node) or Quantity(self.atoms.symbol(ast.unparse(node)), constant=True)
        value = self.value(base)
        if not isinstance(value, Quantity):
            return self.unknown()
        if node.attr == "T":
            return turned(value)
        if node.attr in ("dtype", "shape", "type", "element_ty", "scalar"):
            return replace(self.opaque([]), constant=True, shape=None)
        return self.unknown()

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.value(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(value, Group):
            at = parts[0]
            if (
                isinstance(at, ast.Constant)
                and isinstance(at.value, int)
                and -len(value.items) <= at.value < len(value.items)
            ):
                return value.items[at.value]
            return self.opaque(flattened(value.items))
        news = [isinstance(one, ast.Constant) and one.value is None for one in parts]
        if not all(new or isinstance(one, ast.Slice) for new, one in zip(news, parts, strict=True)):
            return replace(self.opaque([value]), shape=None)
        return expanded(value, news)


def expanded(value: Quantity, news: list[bool]) -> Quantity:
    """A value with new axes of extent one where `news` is true."""
    if value.shape is None:
        return value
    rest = len(value.shape) - (len(news) - sum(news))
    if rest < 0:
        return replace(value, shape=None)
    marks = [*news, *([False] * rest)]
    old = iter(value.shape)
    shape = tuple(1 if new else next(old) for new in marks)
    by: dict[int, int | None] = {}
    axis = -1
    for place in range(-1, -len(marks) - 1, -1):
        if not marks[place]:
            by[axis] = place
            axis -= 1
    return rearranged(value, shape, by)


def turned(value: Quantity) -> Quantity:
    """A block of two axes with these exchanged."""
    if value.shape is None or len(value.shape) != 2:
        return replace(value, shape=None, undefined=frozenset())
    return rearranged(value, value.shape[::-1], {-1: -2, -2: -1})


def _times_zero(left: Quantity, right: Quantity) -> frozenset[Undefined]:
    """The undefined lanes of a product. Where the other factor is a mask, or zero in those lanes, its author
    means them to be zero.
    """
    if left.compared or right.compared:
        return frozenset()
    pairs = ((left, right), (right, left))
    found = [one for part, other in pairs for one in part.undefined if not one.axes <= other.zeroed]
    magnitudes = left.form == right.form or all(one.route == MAGNITUDE for one in found)
    return routed(found, MAGNITUDE if magnitudes else COMPUTED)


def _wider(one: str | None, other: str | None) -> str | None:
    return one if one == other else None


def _likely(one: Shape, other: Shape) -> Shape:
    """The shape of what is a number on one way and a block on the other: that of the block."""
    if one == ():
        return other
    return one if other == () else None


def _whole_number(operator: ast.operator, left: int | None, right: int | None) -> int | None:
    """The whole number that an operation gives, None where it is not known."""
    found = None if left is None or right is None else binary(operator, left, right)
    return found if type(found) is int else None

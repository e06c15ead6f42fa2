"""Blocks in a Triton kernel: how they are made, and how their axes are arranged."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import atom
from advisor.evidence.source.triton.walk.expressions import Expressions, expanded, turned
from advisor.evidence.source.triton.walk.notes import ExtentNote
from advisor.evidence.source.triton.walk.quantities import Extent, Group, Quantity, Shape, Value
from advisor.evidence.source.triton.walk.walk_state import flattened
from advisor.program.syntax.calls import keyword_value


class Blocks(Expressions):
    """Functions of triton.language that make blocks or rearrange them."""

    def argument(self, node: ast.Call, position: int, name: str) -> ast.expr | None:
        """The expression of an argument that is given by place or by name."""
        if position < len(node.args) and not any(
            isinstance(a, ast.Starred) for a in node.args[: position + 1]
        ):
            return node.args[position]
        return keyword_value(node, name)

    def _tl_program_id(self, node: ast.Call) -> Value:
        return self.program(self.quantity(self.argument(node, 0, "axis")).value)

    def _tl_arange(self, node: ast.Call) -> Value:
        start, end = self.argument(node, 0, "start"), self.argument(node, 1, "end")
        first, last = self.quantity(start), self.quantity(end)
        count = self.combined(ast.Sub(), last, first)
        self._note_extent(end if end is not None else node, count, end)
        self.atoms.opaque(())
        name = f"arange#{len(self.atoms.known)}"
        self.atoms.symbol(name)
        return Quantity(atom(name) + first.form, (self._extent(count),), frozenset({-1}))

    def _extent(self, value: Quantity) -> Extent:
        if value.value is not None:
            return value.value
        terms = value.form.terms
        return terms[0][0][0] if len(terms) == 1 and len(terms[0][0]) == 1 and terms[0][1] == 1 else None

    def _note_extent(self, node: ast.expr, value: Quantity, written: ast.expr | None) -> None:
        name = written.id if isinstance(written, ast.Name) else None
        self.notes.extents.append(ExtentNote(node, self.where(), value, name))

    def shape_of(self, node: ast.expr | None, note: bool = False) -> Shape:
        """The shape that an argument gives, None where it cannot be told."""
        if isinstance(node, ast.Tuple | ast.List):
            found: list[Extent] = []
            for one in node.elts:
                value = self.quantity(one)
                if note:
                    self._note_extent(one, value, one)
                found.append(self._extent(value))
            return tuple(found)
        value_ = self.value(node)
        if isinstance(value_, Group):
            return tuple(self._extent(one) for one in flattened(value_.items))
        return None

    def _tl_zeros(self, node: ast.Call) -> Value:
        shape = self.shape_of(self.argument(node, 0, "shape"), note=True)
        return Quantity(self.atoms.opaque(()), shape, dtype=type_name(self.argument(node, 1, "dtype")))

    def _tl_full(self, node: ast.Call) -> Value:
        shape = self.shape_of(self.argument(node, 0, "shape"), note=True)
        filled = self.quantity(self.argument(node, 1, "value"))
        return Quantity(
            self.atoms.opaque(self.atoms.depends(filled.form)),
            shape,
            dtype=type_name(self.argument(node, 2, "dtype")),
        )

    def _tl_zeros_like(self, node: ast.Call) -> Value:
        like = self.quantity(node.args[0] if node.args else None)
        return Quantity(self.atoms.opaque(()), like.shape, dtype=like.dtype)

    def _tl_broadcast_to(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        shape = self.shape_of(self.argument(node, 1, "shape"))
        return replace(value, shape=shape)

    def _tl_reshape(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        shape = self.shape_of(self.argument(node, 1, "shape")) if len(node.args) < 3 else None
        return replace(value, shape=shape, undefined=frozenset(), axes=frozenset())

    _tl_view = _tl_reshape

    def _tl_ravel(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        return replace(value, shape=None, undefined=frozenset(), axes=frozenset())

    def _tl_trans(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        return turned(value) if len(node.args) == 1 else replace(value, shape=None, undefined=frozenset())

    def _tl_permute(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        return replace(value, shape=None, undefined=frozenset())

    def _tl_expand_dims(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        axis = self.quantity(self.argument(node, 1, "axis")).value
        if value.shape is None or axis is None:
            return replace(value, shape=None)
        at = axis if axis >= 0 else len(value.shape) + 1 + axis
        return expanded(value, [False] * at + [True])

    def _tl_cast(self, node: ast.Call) -> Value:
        value = self.quantity(node.args[0] if node.args else None)
        return cast(value, self.argument(node, 1, "dtype"))


def cast(value: Quantity, written: ast.expr | None) -> Quantity:
    """A value as another type; `raised` when what was loaded becomes float32."""
    name = type_name(written)
    fresh = value.loaded and all(one.startswith("loaded#") for one in value.form.atoms())
    return replace(value, dtype=name, raised=name == "float32" and fresh)


def type_name(node: ast.expr | None) -> str | None:
    """The last part of a type's name, such as `float16` of `tl.float16`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None

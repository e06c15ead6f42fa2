"""Loads, stores and atomics of a Triton kernel."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.source.triton.walk.blocks import Blocks
from advisor.evidence.source.triton.walk.notes import AccessNote, AtomicNote
from advisor.evidence.source.triton.walk.quantities import Quantity, Undefined, Value


class Memory(Blocks):
    """Functions of triton.language that read and write memory, by pointers and block pointers."""

    def _tl_make_block_ptr(self, node: ast.Call) -> Value:
        for one in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.value(one)
        base = self.quantity(self.argument(node, 0, "base"))
        shape = self.shape_of(self.argument(node, 4, "block_shape"))
        form = self.opaque([self.quantity(self.argument(node, 3, "offsets")), base]).form
        return Quantity(base.form + form, shape, pointer=base.pointer, blocked=True)

    def _tl_advance(self, node: ast.Call) -> Value:
        base = self.quantity(node.args[0] if node.args else None)
        moved = replace(self.opaque([base]), shape=base.shape, pointer=base.pointer)
        return replace(moved, blocked=True)

    def _tl_load(self, node: ast.Call) -> Value:
        note = self._access(node, "load", 1)
        address, number = note.address, note.number
        found = self.opaque([address], "loaded")
        self.atoms.known[found.form.terms[0][0][0]] = replace(
            self.atoms.known[found.form.terms[0][0][0]], loaded=True
        )
        axes = note.mask.axes if note.mask is not None else frozenset()
        undefined = (
            frozenset({Undefined(number, axes)}) if note.has_mask and not note.has_other and axes else None
        )
        return replace(
            found,
            undefined=undefined or frozenset(),
            pointer=None,
            loaded=True,
            compared=(),
            axes=address.axes,
            zeroed=axes if note.zeros else frozenset(),
        )

    def _tl_store(self, node: ast.Call) -> Value:
        # What is stored is computed, and loaded, before.
        self.value(self.argument(node, 1, "value"))
        self._access(node, "store", 2)
        return self.unknown()

    def _access(self, node: ast.Call, kind: str, at: int) -> AccessNote:
        address = self.quantity(self.argument(node, 0, "pointer"))
        written = self.argument(node, at, "mask")
        none = isinstance(written, ast.Constant) and written.value is None
        mask = None if written is None or none else self.quantity(written)
        other = self.argument(node, 2, "other") if kind == "load" else None
        if other is not None:
            self.value(other)
        zeros = is_zero(other)
        named = {one.arg for one in node.keywords}
        note = AccessNote(
            node, self.where(), kind, address, mask, mask is not None, other is not None,
            "boundary_check" in named or None in named or address.blocked, len(self.notes.accesses),
            "volatile" in named, zeros,
        )  # fmt: skip
        self.notes.accesses.append(note)
        return note

    def _atomic(self, node: ast.Call, operation: str) -> Value:
        address = self.quantity(self.argument(node, 0, "pointer"))
        values = [self.value(one) for one in (*node.args[1:], *(k.value for k in node.keywords))]
        parent = self.function.module.parents.get(node)
        used = not isinstance(parent, ast.Expr)
        self.notes.atomics.append(AtomicNote(node, self.where(), operation, address, used))
        return replace(
            self.opaque([address, *values], "loaded"), pointer=None, loaded=True, undefined=frozenset()
        )


def is_zero(node: ast.expr | None) -> bool:
    """Whether an expression is the number zero."""
    return isinstance(node, ast.Constant) and node.value in (0, 0.0, False)

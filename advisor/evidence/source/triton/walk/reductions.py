"""Loads, stores, atomics, products, reductions and selections of a Triton kernel."""

from __future__ import annotations

import ast
from dataclasses import replace

from advisor.evidence.source.triton.walk.blocks import Blocks, type_name
from advisor.evidence.source.triton.walk.notes import AccessNote, AtomicNote, ChoiceNote, DotNote
from advisor.evidence.source.triton.walk.quantities import (
    MAGNITUDE,
    Quantity,
    Shape,
    Undefined,
    Value,
    rearranged,
    routed,
)
from advisor.evidence.source.triton.walk.walk_state import flattened
from advisor.program.syntax.calls import keyword_value

REDUCTIONS = frozenset({
    "sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "cumsum", "cumprod", "associative_scan",
    "sort", "reduce_or",
})  # fmt: skip
# What a lane gets of these depends on the lanes before it only.
_SCANS = frozenset({"cumsum", "cumprod", "associative_scan"})
_COSTLY = frozenset({
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "erf", "dot", "load", "div_rn", "sigmoid",
    "softmax", "tanh", "pow", "log1p", "expm1",
})  # fmt: skip


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


class Reductions(Memory):
    """Functions of triton.language that join the values of several lanes, and `tl.where`."""

    def _tl_dot(self, node: ast.Call) -> Value:
        left = self.quantity(self.argument(node, 0, "input"))
        right = self.quantity(self.argument(node, 1, "other"))
        written = self.argument(node, 2, "acc")
        accumulator = self.quantity(written) if written is not None else None
        named = {one.arg for one in node.keywords}
        result = type_name(keyword_value(node, "out_dtype"))
        chosen = bool(named & {"input_precision", "allow_tf32", None}) or len(node.args) > 3
        self.notes.dots.append(DotNote(node, self.where(), left, right, chosen, result, accumulator))
        # Zeros in the other factor are products of zero, whatever this one holds there.
        if -2 not in right.zeroed:
            self._reach(left, -1, "dot")
        if -1 not in left.zeroed:
            self._reach(right, -2, "dot")
        shape: Shape = None
        if left.shape is not None and right.shape is not None and len(left.shape) == len(right.shape) >= 2:
            shape = (*left.shape[:-1], right.shape[-1])
        found = self.opaque([left, right, *([accumulator] if accumulator else [])])
        return replace(
            found, shape=shape, undefined=frozenset(), pointer=None, dtype=result or "float32", compared=()
        )

    def _reduced(self, node: ast.Call, name: str, values: list[Value]) -> Value:
        self.notes.reductions += 1
        written = self.argument(node, 1, "axis")
        for keyword in node.keywords:
            self.value(keyword.value)
        parts = list(flattened(values[:1]))
        if not parts:
            return self.unknown()
        value = parts[0]
        axis: int | None = None
        given = self.quantity(written).value if written is not None else None
        if value.shape is not None and given is not None:
            axis = given if given < 0 else given - len(value.shape)
        if name not in _SCANS:
            self._reach(value, axis if written is not None else None, name, anywhere=written is None)
        found = replace(self.opaque([value]), pointer=None, compared=())
        if name in _SCANS or name == "sort":
            return replace(found, undefined=frozenset())
        if written is None:
            return replace(found, shape=(), undefined=frozenset(), axes=frozenset())
        kept = any(one.arg == "keep_dims" for one in node.keywords)
        if axis is None or value.shape is None or kept:
            return replace(found, shape=value.shape if kept else None, undefined=frozenset())
        by: dict[int, int | None] = {
            one: one + 1 if one < axis else one for one in range(-len(value.shape), 0)
        }
        by[axis] = None
        return rearranged(
            found, tuple(e for n, e in enumerate(value.shape) if n - len(value.shape) != axis), by
        )

    def _reach(self, value: Quantity, axis: int | None, name: str, anywhere: bool = False) -> None:
        """Note that undefined lanes flow into a reduction along an axis."""
        for one in value.undefined:
            if anywhere or (axis is not None and axis in one.axes):
                note = self.notes.accesses[one.load]
                if (name, one.route) not in note.reached and _go_together(note.where.settings, self.settings):
                    note.reached.append((name, one.route))

    def _tl_abs(self, node: ast.Call) -> Value:
        value = self.quantity(self.argument(node, 0, "x"))
        return replace(
            self.opaque([value]), pointer=None, compared=(), undefined=routed(value.undefined, MAGNITUDE)
        )

    def _tl_maximum(self, node: ast.Call) -> Value:
        parts = [self.quantity(self.argument(node, at, name)) for at, name in ((0, "x"), (1, "y"))]
        for keyword in node.keywords:
            self.value(keyword.value) if keyword.arg not in ("x", "y") else None
        # What cannot win in a block does not win against another block.
        undefined = frozenset(lane for one in parts for lane in one.undefined)
        return replace(self.opaque(parts), pointer=None, compared=(), undefined=undefined)

    _tl_minimum = _tl_maximum

    def _tl_where(self, node: ast.Call) -> Value:
        condition = self.quantity(self.argument(node, 0, "condition"))
        sides = [self.argument(node, 1, "x"), self.argument(node, 2, "y")]
        parts = [self.quantity(one) for one in sides]
        costly = sum(self._is_costly(one) for one in sides)
        self.notes.choices.append(ChoiceNote(node, self.where(), "where", condition, costly))
        found = self.opaque([condition, *parts])
        kept = frozenset(
            replace(one, axes=axes)
            for part in parts
            for one in part.undefined
            if (axes := one.axes - condition.axes) and axes == one.axes
        )
        zeroed = condition.axes if any(is_zero(one) for one in sides) else frozenset[int]()
        return replace(found, undefined=kept, zeroed=zeroed, pointer=parts[0].pointer, compared=())

    def _is_costly(self, node: ast.expr | None) -> bool:
        """Whether an expression holds a load or a function of many instructions."""
        for one in ast.walk(node) if node is not None else ():
            if isinstance(one, ast.Call):
                name = self.names.of(one.func) or ""
                if name.rpartition(".")[2] in _COSTLY:
                    return True
        return False


def _go_together(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether what stands under these conditions of compilation and under those is meant to meet."""
    return one <= other or other <= one

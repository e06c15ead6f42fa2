"""The values of calls in a Triton kernel, and what they do: loads, stores, products, reductions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from advisor.facts.forms import atom
from advisor.facts.triton.declarations import TritonFunction
from advisor.facts.triton.expressions import Expressions, expanded, turned
from advisor.facts.triton.names import short_name
from advisor.facts.triton.notes import AccessNote, AtomicNote, ChoiceNote, DotNote, ExtentNote, PrintNote
from advisor.facts.triton.quantities import (
    Extent,
    Group,
    Quantity,
    Shape,
    Undefined,
    Value,
    rearranged,
)
from advisor.facts.triton.walk_state import flattened

REDUCTIONS = frozenset({
    "sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "cumsum", "cumprod", "associative_scan", "sort",
    "reduce_or",
})  # fmt: skip
_SCANS = frozenset({"cumsum", "cumprod", "associative_scan", "sort"})
_SAME = frozenset(
    {"multiple_of", "max_contiguous", "max_constancy", "assume", "extra.cuda.libdevice.identity"}
)
_PRINTS = frozenset({"device_print", "static_print", "debug_barrier", "device_assert"})
_COSTLY = frozenset({
    "tl.exp", "tl.log", "tl.sqrt", "tl.sin", "tl.cos", "tl.erf", "tl.dot", "tl.load", "tl.exp2", "tl.log2", "tl.rsqrt",
    "tl.div_rn", "tl.sigmoid", "tl.softmax", "tl.tanh", "tl.pow",
})  # fmt: skip
_COSTLY_LAST = frozenset(
    {"tanh", "pow", "exp", "log", "erf", "sqrt", "rsqrt", "sin", "cos", "log1p", "expm1"}
)
_DEPTH = 3


class Calls(Expressions):
    """Calls: functions of triton.language, methods of blocks, and functions of the project."""

    def _call(self, node: ast.Call) -> Value:
        name = self.names.of(node.func)
        if name is not None and name.startswith("tl."):
            return self._library(node, name[3:])
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func):
            return self._method(node, node.func)
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "abs", "float", "int", "len"):
            return replace(self.opaque([self.value(one) for one in node.args]), pointer=None)
        target = self._function(node.func)
        if target is not None:
            return self._helper(node, target)
        values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        values += [self.value(one.value) for one in node.keywords]
        found = self.opaque(values)
        return replace(found, shape=found.shape if name is not None else None, pointer=None)

    def _is_module(self, function: ast.Attribute) -> bool:
        root: ast.expr = function
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id not in self.env

    def _function(self, node: ast.expr) -> TritonFunction | None:
        dotted = self.function.module.dotted(node)
        return None if dotted is None or short_name(dotted) else self.find(dotted, self.function)

    def run_function(self, target: TritonFunction, bound: dict[str, Value]) -> Value:
        """The value that another function returns for given arguments."""
        raise AssertionError("a walk gives its own")

    def _helper(self, node: ast.Call, target: TritonFunction) -> Value:
        self.notes.called.add(target.key)
        given = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        named = {one.arg: self.value(one.value) for one in node.keywords if one.arg}
        if self.inside >= _DEPTH or any(isinstance(one, ast.Starred) for one in node.args):
            return replace(self.opaque([*given, *named.values()]), shape=None, undefined=frozenset())
        bound: dict[str, Value] = dict(zip(target.parameters, given, strict=False)) | {
            name: value for name, value in named.items() if name in target.parameters
        }
        for name, default in target.defaults().items():
            if name not in bound:
                bound[name] = self.value(default)
        return self.run_function(target, bound)

    def _library(self, node: ast.Call, name: str) -> Value:
        method: Callable[[ast.Call], Value] | None = getattr(self, f"_tl_{name}", None)
        if method is not None:
            return method(node)
        if name in REDUCTIONS:
            return self._reduced(node, name, [self.value(one) for one in node.args])
        if name.startswith("atomic_"):
            return self._atomic(node, name.removeprefix("atomic_"))
        if name in _PRINTS:
            self.notes.prints.append(PrintNote(node, self.where(), name))
        values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        values += [self.value(one.value) for one in node.keywords]
        if name in _SAME and values:
            self.notes.assumed |= name != "max_constancy"
            return values[0]
        if name.startswith(("inline_asm", "make_tensor_descriptor")) or name in (
            "split",
            "join",
            "cat",
            "gather",
        ):
            return replace(self.opaque(values), shape=None, undefined=frozenset())
        return replace(self.opaque(values), pointer=None)

    def argument(self, node: ast.Call, position: int, name: str) -> ast.expr | None:
        """The expression of an argument that is given by place or by name."""
        if position < len(node.args) and not any(
            isinstance(a, ast.Starred) for a in node.args[: position + 1]
        ):
            return node.args[position]
        return next((one.value for one in node.keywords if one.arg == name), None)

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

    def _tl_where(self, node: ast.Call) -> Value:
        before = len(self.notes.accesses)
        condition = self.quantity(self.argument(node, 0, "condition"))
        sides = [self.argument(node, 1, "x"), self.argument(node, 2, "y")]
        loads = len(self.notes.accesses) - before
        parts = [self.quantity(one) for one in sides]
        loads = len(self.notes.accesses) - before - loads
        costly = sum(self._is_costly(one) for one in sides)
        self.notes.choices.append(ChoiceNote(node, self.where(), "where", condition, costly, loads))
        found = self.opaque([condition, *parts])
        kept = frozenset(
            Undefined(one.load, axes)
            for part in parts
            for one in part.undefined
            if (axes := one.axes - condition.axes) and axes == one.axes
        )
        raised = bool(parts) and all(one.raised or one.constant for one in parts)
        return replace(
            found, undefined=kept, pointer=parts[0].pointer if parts else None, raised=raised, compared=()
        )

    def _is_costly(self, node: ast.expr | None) -> bool:
        """Whether an expression holds a load or a function of many instructions."""
        for one in ast.walk(node) if node is not None else ():
            if isinstance(one, ast.Call):
                name = self.names.of(one.func) or ""
                if name in _COSTLY or (name and name.rpartition(".")[2] in _COSTLY_LAST):
                    return True
        return False

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
        )

    def _tl_store(self, node: ast.Call) -> Value:
        self._access(node, "store", 2)
        self.value(self.argument(node, 1, "value"))
        return self.unknown()

    def _access(self, node: ast.Call, kind: str, at: int) -> AccessNote:
        address = self.quantity(self.argument(node, 0, "pointer"))
        written = self.argument(node, at, "mask")
        none = isinstance(written, ast.Constant) and written.value is None
        mask = None if written is None or none else self.quantity(written)
        other = self.argument(node, 2, "other") if kind == "load" else None
        if other is not None:
            self.value(other)
        named = {one.arg for one in node.keywords}
        note = AccessNote(
            node, self.where(), kind, address, mask, mask is not None, other is not None,
            "boundary_check" in named or None in named or address.blocked, len(self.notes.accesses),
            "volatile" in named, bool(named & {"eviction_policy", "cache_modifier"}),
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

    def _tl_dot(self, node: ast.Call) -> Value:
        left = self.quantity(self.argument(node, 0, "input"))
        right = self.quantity(self.argument(node, 1, "other"))
        written = self.argument(node, 2, "acc")
        accumulator = self.quantity(written) if written is not None else None
        named = {one.arg for one in node.keywords}
        result = type_name(next((one.value for one in node.keywords if one.arg == "out_dtype"), None))
        chosen = bool(named & {"input_precision", "allow_tf32", None}) or len(node.args) > 3
        self.notes.dots.append(DotNote(node, self.where(), left, right, chosen, result, accumulator))
        self._reach(left, -1, "dot")
        self._reach(right, -2, "dot")
        shape: Shape = None
        if left.shape is not None and right.shape is not None and len(left.shape) == len(right.shape) >= 2:
            shape = (*left.shape[:-1], right.shape[-1])
        found = self.opaque([left, right, *([accumulator] if accumulator else [])])
        kept = frozenset(
            one for part, axis in ((left, -1), (right, -2)) for one in part.undefined if axis not in one.axes
        )
        return replace(
            found, shape=shape, undefined=kept, pointer=None, dtype=result or "float32", compared=()
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
        self._reach(value, axis if written is not None else None, name, anywhere=written is None)
        found = replace(self.opaque([value]), pointer=None, compared=())
        if name in _SCANS:
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
        """Nothing; notes that undefined lanes flow into a reduction along an axis."""
        for one in value.undefined:
            if anywhere or (axis is not None and axis in one.axes):
                reached = self.notes.accesses[one.load].reached
                if name not in reached:
                    reached.append(name)

    def _method(self, node: ast.Call, function: ast.Attribute) -> Value:
        value = self.value(function.value)
        if not isinstance(value, Quantity):
            return self.unknown()
        name = function.attr
        if name == "to":
            return cast(value, node.args[0] if node.args else None)
        if name in REDUCTIONS:
            written = (
                node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "axis"), None)
            )
            like = ast.Call(function, [function.value, *([written] if written is not None else [])],
                            [k for k in node.keywords if k.arg != "axis"])  # fmt: skip
            return self._reduced(like, name, [value])
        if name == "trans":
            return turned(value)
        if name in ("load", "store") or name.startswith("atomic"):
            # A tensor descriptor, which checks its bounds by itself.
            for one in node.args:
                self.value(one)
            return replace(self.opaque([value], "loaded"), shape=None, loaded=True)
        if name in ("reshape", "view", "permute", "ravel", "expand_dims", "broadcast_to", "split", "gather"):
            return replace(value, shape=None, undefined=frozenset())
        values = [self.value(one) for one in node.args]
        return replace(self.opaque([value, *values]), pointer=None)


def cast(value: Quantity, written: ast.expr | None) -> Quantity:
    """A value as another type; `raised` when what was loaded becomes float32."""
    name = type_name(written)
    raised = name == "float32" and value.loaded
    form = value.form
    return replace(value, form=form, dtype=name, raised=raised, value=value.value)


def type_name(node: ast.expr | None) -> str | None:
    """The last part of a type's name, such as `float16` of `tl.float16`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None

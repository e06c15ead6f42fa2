"""The meaning of calls in a kernel: positions, declared arrays, atomics, barriers, device functions."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import atom, number
from advisor.evidence.source.kernel_walk.expressions import Expressions
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    Array,
    AtomicUse,
    BarrierUse,
    DrawUse,
    Index,
    Kind,
    Opaque,
    Operands,
    RowUse,
    Scalar,
    Space,
    Tuple,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.operand_kinds import exponent_kind
from advisor.program.arrays.element_types import COSTLY, FLOAT_CASTS, INTEGER_CASTS, itemsize_of
from advisor.program.kernels.declarations import Declaration, cuda_member

_AXES = ("x", "y", "z")
_DEEPEST_CALL = 6
_MOST_ACCESSES = 2000
_LIBRARIES = ("math.", "numpy.", "cmath.", "numba.", "operator.")
_BUILTINS = frozenset(
    {"abs", "bool", "complex", "divmod", "enumerate", "len", "max", "min", "pow", "print", "round", "zip"}
)
_MEETING = ("shfl", "vote", "ballot", "all_sync", "any_sync", "eq_sync", "match", "syncwarp", "cg.", "reduce")
_GRID = "numba.cuda.cg.this_grid()"
_DRAWS = ("random.xoroshiro128p_uniform_", "random.xoroshiro128p_normal_")
_ROUNDING = frozenset({"floor", "ceil", "round", "rint", "trunc"})
_TRUNCATING = frozenset({"floor", "ceil", "trunc"})
_WHOLE = (
    _ROUNDING
    | {"abs", "fabs", "sqrt", "exp", "hypot", "xoroshiro128p_uniform_float32"}
    | {
        "xoroshiro128p_uniform_float64",
    }
)
_UNCHANGED_BY_ZERO = frozenset({"add", "sub", "or_", "xor"})


class Calls(Expressions, ABC):
    """Adds calls to the expressions; `run_function` walks a device function's body."""

    depth = 0

    def _call(self, node: ast.Call) -> Value:
        dotted = self._called_name(node)
        member = cuda_member(dotted)
        if member is not None:
            result = self._cuda_call(member, node)
            if result is not None:
                return result
        name = dotted.rpartition(".")[2] if dotted else ""
        if isinstance(node.func, ast.Attribute) and self._is_grid_barrier(node.func):
            self._note_barrier(node, of_grid=True)
            return self.opaque([], "int")
        if dotted in ("range", "numba.prange", "numba.cuda.prange"):
            return self.opaque(self._arguments(node))
        if isinstance(node.func, ast.Name) and node.func.id in self.env:
            self._arguments(node)
            return self.opaque([self.env[node.func.id]], loaded=True)
        if name in INTEGER_CASTS or name in FLOAT_CASTS:
            return self._cast(name, node)
        if dotted == "len" and node.args:
            view = self.view(self.value(node.args[0]))
            if view is not None:
                return self.extent(view.array, len(view.prefix))
        device = self.resolve(dotted, self.module) if dotted else None
        if device is not None:
            return self._device_call(device, node)
        if dotted == "pow" and (power := self._power_call(node)) is not None:
            return power
        return self._library_call(node, dotted or "", name)

    def _is_grid_barrier(self, method: ast.Attribute) -> bool:
        """Whether a method waits for all threads of the grid, as `cuda.cg.this_grid().sync` does."""
        if method.attr != "sync":
            return False
        group = method.value
        found = self.env.get(group.id) if isinstance(group, ast.Name) else self.value(group)
        return isinstance(found, Opaque) and found.name == _GRID

    def _called_name(self, node: ast.Call) -> str | None:
        dotted = self.module.dotted(node.func)
        return None if dotted is None else self.workspace.library_name(dotted, self.module)

    def _arguments(self, node: ast.Call) -> list[Value]:
        values = [self.value(item.value if isinstance(item, ast.Starred) else item) for item in node.args]
        return values + [self.value(keyword.value) for keyword in node.keywords]

    def _rounded_arguments(self, node: ast.Call, rounds: bool) -> list[Value]:
        """The arguments of a call, of which it makes a whole number where it `rounds`."""
        outer, self.truncated = self.truncated, node.args[0] if rounds and node.args else None
        values = self._arguments(node)
        self.truncated = outer
        return values

    def _library_call(self, node: ast.Call, dotted: str, name: str) -> Value:
        values = self._rounded_arguments(node, name in _TRUNCATING)
        if (cuda_member(dotted) or "").startswith(_DRAWS):
            self._note_draw(node, values)
        unknown = not dotted.startswith(_LIBRARIES) and dotted not in _BUILTINS
        self.facts.threads_meet |= unknown
        self.facts.calls_unknown |= unknown
        self.note_handed_on(values if unknown else ())
        base = [self.value(node.func.value)] if isinstance(node.func, ast.Attribute) and not dotted else []
        scalars = [self.as_scalar(value) for value in values]
        kinds = {scalar.kind for scalar in scalars}
        kind: Kind = "float" if dotted.startswith(("math.", "numpy.")) and name in COSTLY else None
        if name in ("min", "max", "abs") and len(kinds) == 1:
            kind = next(iter(kinds))
            kind = "float" if kind == "complex" else kind
        if name in ("floor", "ceil", "round"):
            # Numba gives Python's int on the CPU alone: for CUDA `math.floor` is the device's own function.
            kind = "float" if dotted.startswith(("math.", "numpy.")) else "int"
        result = self.opaque(
            [*values, *base],
            kind,
            what="clamp" if name in ("min", "max", "clamp") else "value",
            rounds=name in _ROUNDING,
        )
        quotient = self.atoms.quotient(scalars[0].form) if name in ("floor", "ceil") and scalars else None
        if quotient is not None:
            self.atoms.divides(result.form, replace(quotient, up=name == "ceil"))
        library = dotted.startswith(("math.", "numpy.", "cmath.", "numba.cuda.libdevice."))
        if library and name.removeprefix("fast_").rstrip("f") in COSTLY | {"pow"}:
            power = name.rstrip("f") in ("pow", "power") and len(scalars) > 1
            written = (
                Operands(self._pow_exponent(scalars[1]), self.is_given(scalars[1])) if power else Operands()
            )
            self.note_operation(node, "power" if power else "call", dotted, scalars, written, result)
        return result

    def _note_draw(self, node: ast.Call, values: Sequence[Value]) -> None:
        """Note a draw from a state of an array, or from a tuple that holds one."""
        if len(values) != 2:
            return
        states, index = values
        number_of_state = self.as_scalar(index).form
        place = number_of_state.constant
        if isinstance(states, Tuple):
            held = states.items[place] if place is not None and 0 <= place < len(states.items) else None
            view = self.view(held) if held is not None else None
            indices = view.prefix if view is not None else ()
        else:
            view = self.view(states)
            indices = (*view.prefix, Index(number_of_state)) if view is not None else ()
        if view is not None and indices and not any(one.is_slice for one in indices):
            self.facts.draws.append(DrawUse(self.place(node), view.array, indices))

    def _pow_exponent(self, exponent: Scalar) -> str:
        written = exponent_kind(exponent)
        return "converted integer" if written == "integer literal" else written

    def _cast(self, name: str, node: ast.Call) -> Value:
        if name == "float64":
            self.facts.float64_cast = True
        self.facts.narrow_cast |= name in ("int32", "uint32")
        values = self._rounded_arguments(node, name in INTEGER_CASTS)
        if len(values) != 1:
            return self.opaque(values)
        value = self.as_scalar(values[0])
        integer = name in INTEGER_CASTS
        if integer and value.kind == "float":
            whole = int(value.constant) if isinstance(value.constant, float) else None
            if whole is None:
                # Numbers of things may be stored as floats: an element by itself may be one of its own.
                result = self.opaque([value], "int", rounds=value.view is None)
                quotient = self.atoms.quotient(value.form)
                if quotient is not None:
                    self.atoms.divides(result.form, quotient)
                if value.view is None and not self._is_whole(node.args[0]):
                    self.atoms.truncate(result.form)
                return result
            return Scalar(number(whole), "int", constant=whole)
        if not integer and value.kind == "int" and value.constant is None:
            return self.opaque([value], "float")
        return Scalar(value.form, "int" if integer else "float", value.view, value.constant)

    def _is_whole(self, node: ast.expr) -> bool:
        """Whether a number is rounded already, or cannot be negative."""
        dotted = self._called_name(node) if isinstance(node, ast.Call) else None
        return dotted is not None and dotted.rpartition(".")[2] in _WHOLE

    # -- numba.cuda ------------------------------------------------------------------------------------

    def _cuda_call(self, member: str, node: ast.Call) -> Value | None:
        if member in ("grid", "gridsize"):
            return self._grid(member, node)
        if member in ("shared.array", "local.array", "const.array_like"):
            given = self.view(self.value(node.args[0])) if member.startswith("const.") and node.args else None
            # Numba puts arrays that the program holds into constant memory; a parameter stays where it is.
            if given is not None and given.array.parameter:
                return given
            return self._declare(member.partition(".")[0], node)
        if member.startswith("atomic."):
            return self._atomic(member.removeprefix("atomic."), node)
        if member == "syncthreads" or member.startswith("syncthreads_"):
            values = self._arguments(node)
            self._note_barrier(node)
            return self.opaque([], "int") if values else Opaque()
        if member == "cg.this_grid":
            return Opaque(_GRID)
        self.facts.fenced |= member.startswith("threadfence")
        if member.startswith(_MEETING):
            self.facts.threads_meet = True
            self.facts.warp_barriers.append(len(self.facts.accesses))
        return None

    def _note_barrier(self, node: ast.Call, of_grid: bool = False) -> None:
        self.facts.barriers.append(BarrierUse(self.place(node), len(self.facts.accesses), of_grid))
        self.facts.threads_meet = True

    def _grid(self, member: str, node: ast.Call) -> Value:
        self.facts.block_index_read = True
        count = self.scalar(node.args[0]).form.constant if node.args else None
        if count not in (1, 2, 3):
            return self.opaque([Scalar(atom(f"tid.{axis}")) for axis in _AXES], "int")
        items = []
        for axis in _AXES[:count]:
            size = self.atoms.symbol(f"bdim.{axis}")
            if member == "gridsize":
                items.append(Scalar(size * self.atoms.symbol(f"gdim.{axis}"), "int"))
                continue
            self.facts.thread_dimensions.add(axis)
            items.append(Scalar(atom(f"bid.{axis}") * size + atom(f"tid.{axis}"), "int"))
        return items[0] if count == 1 else Tuple(tuple(items))

    def _declare(self, space: str, node: ast.Call) -> Value:
        arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        for name, item in zip(("shape", "dtype"), node.args, strict=False):
            arguments.setdefault(name, item)
        dims: tuple[int | None, ...] = ()
        if "shape" in arguments:
            shape = self.value(arguments["shape"])
            parts = shape.items if isinstance(shape, Tuple) else (shape,)
            dims = tuple(part.form.constant if isinstance(part, Scalar) else None for part in parts)
            if dims == (0,):
                dims = (None,)
        dtype = self._dtype(arguments.get("dtype"))
        self.facts.threads_meet |= space == "shared"
        kinds: dict[str, Space] = {"shared": "shared", "local": "local", "const": "constant"}
        array = Array(
            self._target_name(node),
            kinds[space],
            False,
            self.module,
            node,
            dims,
            itemsize_of(dtype),
            dtype,
        )
        self.facts.arrays.append(array)
        return View(array)

    def _dtype(self, node: ast.expr | None) -> str | None:
        if node is None:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        dotted = self.module.dotted(node)
        if dotted is None:
            return None
        dotted = self.workspace.library_name(dotted, self.module)
        if itemsize_of(dotted):
            return dotted
        place = self.workspace.member(dotted, self.module)
        for value in place[0].assigned.get(place[1], []) if place else []:
            name = place[0].dotted(value) if place else None
            if itemsize_of(name):
                return name
        return None

    def _target_name(self, node: ast.Call) -> str:
        """The name that an array is given, alone or as one of several."""
        parent = self.module.parents.get(node)
        if isinstance(parent, ast.Tuple) and node in parent.elts:
            position, around = parent.elts.index(node), self.module.parents.get(parent)
            names = around.targets[0] if isinstance(around, ast.Assign) else None
            paired = isinstance(names, ast.Tuple | ast.List) and len(names.elts) == len(parent.elts)
            target = names.elts[position] if paired and isinstance(names, ast.Tuple | ast.List) else None
        else:
            target = parent.targets[0] if isinstance(parent, ast.Assign) else getattr(parent, "target", None)
        return target.id if isinstance(target, ast.Name) else "array"

    def _atomic(self, operation: str, node: ast.Call) -> Value:
        target = self.view(self.value(node.args[0])) if node.args else None
        indices: tuple[Index, ...] = ()
        has_index = operation != "compare_and_swap" and len(node.args) > 1
        if has_index:
            indices = self.indices(node.args[1])
        rest = [self.value(item) for item in node.args[2 if has_index else 1 :]]
        if target is not None:
            indices = (*target.prefix, *indices)
        polls = self.testing and operation in _UNCHANGED_BY_ZERO and _is_zero(rest[-1] if rest else None)
        array, spins = (target.array if target else None), self.spinning or polls
        use = AtomicUse(self.place(node), operation, array, indices, spins, len(self.facts.accesses))
        self.facts.atomics.append(use)
        return self.opaque(
            [*rest, *(Scalar(index.form) for index in indices), self._every_thread()], loaded=True
        )

    def _every_thread(self) -> Value:
        """What an atomic gives back differs from thread to thread."""
        return Tuple(tuple(Scalar(atom(f"tid.{axis}")) for axis in _AXES))

    # -- device functions ------------------------------------------------------------------------------

    def _device_call(self, device: Declaration, node: ast.Call) -> Value:
        values = [self.value(item) for item in node.args if not isinstance(item, ast.Starred)]
        keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        if self.depth >= _DEEPEST_CALL or len(self.facts.accesses) > _MOST_ACCESSES:
            self.facts.complete = False
            return self.opaque([*values, *keywords.values()], loaded=True)
        names = device.parameters
        bound: dict[str, Value] = {name: self.opaque([]) for name in names}
        bound.update(zip(names, values, strict=False))
        bound.update(keywords)
        first = len(self.facts.accesses) + self.withdrawn
        result = self.run_function(device, bound)
        if not self.depth:
            self._note_rows(device, node, values, first - self.withdrawn)
        return result

    def _note_rows(self, device: Declaration, node: ast.Call, values: Sequence[Value], first: int) -> None:
        """Note at the accesses of a device function through which argument of the call they went."""
        views = [(argument, self.view(value)) for argument, value in zip(node.args, values, strict=False)]
        rows = [(view, RowUse(self.place(argument), device.name, view.prefix))
                for argument, view in views if view is not None and self._of_thread(view)]  # fmt: skip
        for position in range(first, len(self.facts.accesses) if rows else first):
            access = self.facts.accesses[position]
            for view, row in rows:
                if access.array is view.array and self._only_the_row(access.indices, view.prefix):
                    self.facts.accesses[position] = Access(
                        access.place, access.array, access.indices, access.kind, access.whole, row
                    )
                    break

    def _of_thread(self, view: View) -> bool:
        return any(name.startswith("tid.") for name in self.depends(view))

    def _only_the_row(self, indices: Sequence[Index], prefix: Sequence[Index]) -> bool:
        """Whether indices begin as a row does, and the thread chose the row but not the place in it."""
        if len(indices) < len(prefix):
            return False
        inside = [index.form for index in indices[len(prefix) :] if index.form.constant is None]
        for index, given in zip(indices, prefix, strict=False):
            if not given.is_slice:
                if index.form is not given.form and index.form != given.form:
                    return False
            elif index.form.constant is None:
                inside.append(index.form - given.form)
        depends = (name for form in inside for name in self.atoms.depends(form))
        return not any(name.startswith("tid.") for name in depends)

    @abstractmethod
    def run_function(self, device: Declaration, bound: dict[str, Value]) -> Value:
        """The value that a device function returns for the given arguments; what it does is noted."""


def _is_zero(value: Value | None) -> bool:
    return isinstance(value, Scalar) and value.constant == 0

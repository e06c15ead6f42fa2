"""The meaning of names, subscripts and operations in a kernel, as affine forms and what they depend on."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from advisor.evidence.source.kernel_walk.affine_forms import (
    THREAD,
    Outcomes,
    Quotient,
    atom,
    number,
    polynomial,
)
from advisor.evidence.source.kernel_walk.index_bounds import of_cases, of_comparison, of_parts
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    Array,
    Index,
    Kind,
    Opaque,
    Operands,
    OperationUse,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.evidence.source.kernel_walk.operand_kinds import (
    base_kind,
    divisor_kind,
    is_sum,
    power_exponent,
    result_kind,
)
from advisor.evidence.source.kernel_walk.walk_state import WalkState
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.tree_nodes import dotted_root

_AXES = {"x": "x", "y": "y", "z": "z"}
_INDEX_OBJECTS = {"threadIdx": "tid", "blockIdx": "bid", "blockDim": "bdim", "gridDim": "gdim"}
_NOT_WRITTEN = Operands()


class Names(WalkState):
    """Constants, names and attributes."""

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, bool):
            return Scalar(number(int(value)), "bool", constant=float(value))
        if isinstance(value, int):
            return Scalar(number(value), "int", constant=value)
        if isinstance(value, float):
            return Scalar(self.atoms.symbol(f"={value!r}"), "float", constant=value)
        if isinstance(value, complex):
            return Scalar(self.atoms.symbol(f"={value!r}"), "complex")
        return Scalar(self.atoms.symbol("=text"), None, constant=value if isinstance(value, str) else None)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            return self.env[node.id]
        dotted = self.workspace.library_name(self.module.dotted(node) or node.id, self.module)
        if "." in dotted:
            return self._library(dotted) or self._fixed(node) or Opaque(dotted)
        return self._fixed(node) or Opaque(node.id)

    def _fixed(self, node: ast.expr) -> Value | None:
        return self._known(self.constants.value(node))

    def _known(self, value: object) -> Value | None:
        if isinstance(value, bool | int):
            return Scalar(
                number(int(value)), "bool" if isinstance(value, bool) else "int", constant=int(value)
            )
        if isinstance(value, float):
            return Scalar(self.atoms.symbol(f"={value!r}"), "float", constant=value)
        if isinstance(value, tuple):
            items = [self._known(item) or self.opaque([]) for item in value]
            return Tuple(tuple(items))
        return None

    def _library(self, dotted: str) -> Value | None:
        member = cuda_member(dotted)
        if member is None:
            return None
        head, _, axis = member.partition(".")
        if head in _INDEX_OBJECTS and axis in _AXES:
            name = f"{_INDEX_OBJECTS[head]}.{axis}"
            if head == "threadIdx":
                self.facts.thread_dimensions.add(axis)
            self.facts.block_index_read |= head in ("blockIdx", "gridDim")
            return Scalar(atom(name) if head in ("threadIdx", "blockIdx") else self.atoms.symbol(name), "int")
        if member == "laneid":
            self.facts.thread_dimensions.add("x")
            return self.opaque([Scalar(atom("tid.x"))], "int")
        if member == "warpsize":
            return Scalar(self.atoms.symbol("warpsize"), "int")
        return None

    def _attribute(self, node: ast.Attribute) -> Value:
        root = dotted_root(node)
        if root is not None and root.id not in self.env:
            dotted = self.module.dotted(node)
            if dotted is not None:
                dotted = self.workspace.library_name(dotted, self.module)
                return self._library(dotted) or self._fixed(node) or Opaque(dotted)
        base = self.value(node.value)
        view = self.view(base)
        if view is not None and node.attr in ("shape", "size", "ndim", "T", "strides", "dtype"):
            return self._property(view, node.attr)
        if node.attr in ("real", "imag"):
            if isinstance(base, Scalar) and base.view is not None and base.view.prefix:
                base.view.array.complex_parts = True
            if not isinstance(base, Scalar):
                return view or self.opaque([base])
            return replace(base, constant=None, kind="float" if base.kind == "complex" else base.kind)
        if node.attr in ("x", "y", "z", "w") and isinstance(base, Scalar):
            return Scalar(base.form, base.kind)
        return self.opaque([base], loaded=True)

    def _property(self, view: View, name: str) -> Value:
        given = len(view.prefix)
        if name == "shape":
            count = max(len(view.array.dims) - given, 0) or 4
            return Tuple(tuple(self.extent(view.array, given + axis) for axis in range(count)))
        if name == "size":
            return (
                self.extent(view.array, given)
                if view.array.dims
                else Scalar(self.atoms.symbol(f"{view.array.name}.size"), "int")
            )
        return Opaque(f"{view.array.name}.{name}")

    def extent(self, array: Array, axis: int) -> Scalar:
        """The size of an array along an axis: a number where it is constant, else a symbol."""
        if axis < len(array.dims) and array.dims[axis] is not None:
            known = array.dims[axis]
            assert known is not None
            return Scalar(number(known), "int", constant=known)
        return Scalar(self.atoms.symbol(f"{array.name}.shape[{axis}]"), "int")

    def _tuple(self, node: ast.Tuple) -> Value:
        return Tuple(tuple(self.value(item) for item in node.elts))

    _list = _tuple


class Subscripts(Names):
    """Subscripts: loads, stores, rows and slices of arrays."""

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base, Tuple):
            index = self.scalar(node.slice).form.constant
            if index is not None and -len(base.items) <= index < len(base.items):
                return base.items[index]
            return self.opaque([base])
        view = self.view(base)
        if view is None:
            return self.opaque([base, self.value_of_index(node.slice)], loaded=True)
        view = self.indexed(view, node.slice)
        if isinstance(base, Scalar):
            self.withdraw(base)
        if any(index.is_slice for index in view.prefix):
            return view
        return self.load(node, view)

    def load(self, node: ast.AST, view: View) -> Scalar:
        """The value of an element, noting the load."""
        kind: Kind = None
        if view.array.dtype:
            name = view.array.dtype.rpartition(".")[2]
            kind = (
                "float"
                if name.startswith(("float", "f"))
                else "int"
                if name.startswith(("int", "uint"))
                else "complex"
                if name.startswith("complex")
                else None
            )
        depends: frozenset[str] = frozenset()
        for index in view.prefix:
            depends |= self.atoms.depends(index.form)
        depends |= self.kept.get(id(view.array), frozenset())
        self.note_access(node, view, "load")
        found = self.atoms.opaque(depends, True, "load", self._one_for_many(view))
        for name in found.atoms():
            self.loaded_from[name] = view, len(self.facts.barriers)
        return Scalar(found, kind, view)

    def _changes_loaded(self, view: View, value: Value | None) -> bool:
        """Whether a stored value comes from the element that it replaces, loaded with no barrier between."""
        loads = (
            [self.loaded_from.get(name) for name in value.form.atoms()] if isinstance(value, Scalar) else []
        )
        return any(
            barriers == len(self.facts.barriers) and one.array is view.array and one.prefix == view.prefix
            for one, barriers in (load for load in loads if load is not None)
        )

    def _one_for_many(self, view: View) -> bool:
        """Whether an element is chosen by an index that threads with different data may share."""
        return self._merges([Scalar(index.form) for index in view.prefix])

    def withdraw(self, base: Scalar) -> None:
        """Take back the load of a row, when only an element of it is used."""
        for position in range(len(self.facts.accesses) - 1, max(len(self.facts.accesses) - 40, -1), -1):
            access = self.facts.accesses[position]
            if (
                base.view is not None
                and access.array is base.view.array
                and access.indices == base.view.prefix
            ):
                if access.kind == "load":
                    self.withdrawn += 1
                    del self.facts.accesses[position]
                return

    def note_access(self, node: ast.AST, view: View, kind: str, value: Value | None = None) -> None:
        """Note a load, store or update of the element or part of an array that `view` names; `value` is what
        a store puts there.
        """
        for index in view.prefix:
            if index.form.terms:
                self.facts.index_atoms |= index.form.atoms()
        depends = frozenset[str]() if value is None else self.depends(value)
        if kind != "load":
            self._note_kept(view.array, depends)
        changed = kind == "store" and self._changes_loaded(view, value)
        place = self.place(node)
        access = Access(place, view.array, view.prefix, kind, False, None, depends, changed)  # type: ignore[arg-type]
        self.facts.accesses.append(access)

    def _note_kept(self, array: Array, depends: frozenset[str]) -> None:
        """Note what elements depend on of an array that each thread has for itself."""
        if array.space == "local":
            self.kept[id(array)] = self.kept.get(id(array), frozenset()) | depends

    def note_handed_on(self, values: Sequence[Value]) -> None:
        """Note the rows among the arguments of a function that is not known, and that it may fill a thread's
        arrays with anything.
        """
        for value in values:
            view = self.view(value)
            if view is None:
                continue
            self._note_kept(view.array, frozenset(THREAD))
            if view.prefix:
                row = (id(view.array), *(index.form for index in view.prefix))
                self.facts.rows_handed_on.add(row)

    def value_of_index(self, node: ast.expr) -> Value:
        """The meaning of what stands in square brackets, slices included."""
        return self.opaque([Scalar(index.form) for index in self.indices(node)])

    def indices(self, node: ast.expr) -> tuple[Index, ...]:
        """The indices in square brackets."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[Index] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                found.append(self._slice(part))
                continue
            value = self.value(part)
            if isinstance(value, Tuple):
                found += [Index(self.as_scalar(item).form) for item in value.items]
            elif isinstance(part, ast.Constant) and part.value is None:
                continue
            else:
                found.append(Index(self.as_scalar(value).form))
        return tuple(found)

    def _slice(self, part: ast.Slice) -> Index:
        step = self.scalar(part.step).form if part.step is not None else number(1)
        if part.upper is not None:
            self.value(part.upper)
        if part.lower is not None:
            return Index(self.scalar(part.lower).form, True, step)
        # Backwards a slice begins at an end that is not known here.
        forwards = step.constant is None or step.constant > 0
        return Index(number(0) if forwards else self.opaque([]).form, True, step)

    def indexed(self, view: View, node: ast.expr) -> View:
        """A view with further indices, which fill first what earlier subscripts have left open by slices."""
        prefix = list(view.prefix)
        still_open = [position for position, known in enumerate(prefix) if known.is_slice]
        for index in self.indices(node):
            if still_open:
                position = still_open.pop(0)
                begin = prefix[position]
                form = begin.form + begin.step * index.form
                prefix[position] = Index(form, index.is_slice, begin.step * index.step)
            else:
                prefix.append(index)
        return View(view.array, tuple(prefix))


class Expressions(Subscripts):
    """Evaluates expressions of one kernel and of the device functions it calls, and notes what they do."""

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.scalar(node.operand)
        if isinstance(node.op, ast.USub):
            negated = -value.constant if isinstance(value.constant, int | float) else None
            if value.kind == "float" and negated is not None:
                return Scalar(self.atoms.symbol(f"={negated!r}"), "float", constant=negated)
            return Scalar(-value.form, value.kind, constant=negated)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Not):
            return self.with_outcomes(self.opaque([value], "bool"), self.outcomes(value).negated())
        return self.opaque([value], value.kind)

    def _binop(self, node: ast.BinOp) -> Value:
        left_value, right_value = self.value(node.left), self.value(node.right)
        if isinstance(left_value, Tuple) and isinstance(right_value, Tuple) and isinstance(node.op, ast.Add):
            return Tuple(left_value.items + right_value.items)
        left, right = self.as_scalar(left_value), self.as_scalar(right_value)
        kind = result_kind(node.op, left.kind, right.kind)
        operation = type(node.op)
        if operation in (ast.Pow, ast.FloorDiv, ast.Mod, ast.Div):
            names = {
                ast.Pow: "power",
                ast.FloorDiv: "floor_divide",
                ast.Mod: "modulo",
                ast.Div: "true_divide",
            }
            return self._costly(node, names[operation], left, right, kind, wraps=is_sum(node.left))
        if kind != "float":
            form = polynomial(node.op, left.form, right.form)
            if form is not None:
                return Scalar(form, kind)
            if (
                operation is ast.LShift
                and isinstance(right.form.constant, int)
                and 0 <= right.form.constant < 31
            ):
                return Scalar(left.form * number(1 << right.form.constant), kind)
        result = self.opaque([left, right], kind, rounds=operation in (ast.RShift, ast.BitAnd))
        if kind != "float" and right.form.constant is not None:
            self.atoms.computed(result.form, left.form)
        if operation in (ast.BitAnd, ast.BitOr) and left.kind == right.kind == "bool":
            joined = ast.And() if operation is ast.BitAnd else ast.Or()
            return self.with_outcomes(result, of_parts(joined, (self.outcomes(left), self.outcomes(right))))
        return result

    def _power_call(self, node: ast.Call) -> Scalar | None:
        """`pow(x, y)` of Python's builtin, which is compiled as `x ** y` is; None with other arguments."""
        if len(node.args) != 2 or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        left, right = (self.scalar(argument) for argument in node.args)
        return self._costly(node, "power", left, right, result_kind(ast.Pow(), left.kind, right.kind))

    def _costly(
        self, node: ast.expr, operator: str, left: Scalar, right: Scalar, kind: Kind, wraps: bool = False
    ) -> Scalar:
        integers = None
        if left.kind and right.kind:
            integers = {left.kind, right.kind} <= {"int", "bool"}
        result = self.opaque([left, right], kind, rounds=operator in ("floor_divide", "modulo"))
        a, b = left.form.constant, right.form.constant
        if operator in ("floor_divide", "modulo") and a is not None and b:
            result = Scalar(number(a // b if operator == "floor_divide" else a % b), kind)
        elif operator == "modulo" and kind != "float":
            self.atoms.remainder(result.form, left.form)
        if a is None and b is not None and kind != "float":
            self.atoms.computed(result.form, left.form)
        if operator in ("floor_divide", "true_divide") and (a is None or b is None):
            self.atoms.divides(result.form, Quotient(left.form, right.form))
        if operator == "power":
            written = Operands(
                power_exponent(left, right), self.is_given(right), base=base_kind(left), integers=integers
            )
        else:
            wraps = operator == "modulo" and wraps
            written = Operands(divisor=divisor_kind(right), integers=integers, wraps=wraps)
        self.note_operation(node, operator, operator, [left, right], written, result)
        return result

    def is_given(self, value: Scalar) -> bool:
        """Whether a value is the same in all threads and iterations, and not from memory."""
        return not self.depends(value) and not self.loaded(value)

    def note_operation(
        self,
        node: ast.AST,
        operator: str,
        name: str,
        values: Sequence[Scalar],
        operands: Operands = _NOT_WRITTEN,
        result: Scalar | None = None,
    ) -> None:
        """Note an operation on `values` with a cost worth knowing."""
        depends: frozenset[str] = frozenset().union(*(self.depends(value) for value in values))
        atoms = result.form.atoms() if result else set()
        self.facts.operations.append(
            OperationUse(
                place=self.place(node),
                operator=operator,
                name=name,
                operands=operands,
                depends=depends,
                loaded=any(self.loaded(value) for value in values),
                truncated=node is self.truncated,
                constant_operands=all(value.constant is not None for value in values),
                result=next(iter(atoms), ""),
            )
        )

    def _compare(self, node: ast.Compare) -> Value:
        values = tuple(self.value(item) for item in (node.left, *node.comparators))
        self._note_truncated_test(node, values)
        # What is not known may still be a bound of what is.
        sides = [self.as_scalar(value) for value in values]
        return self.with_outcomes(self.opaque(values, "bool", rounds=True), of_comparison(node.ops, sides))

    def _note_truncated_test(self, node: ast.Compare, values: Sequence[Value]) -> None:
        """Note a comparison that parts numbers of 0 and above from those of -1 and below."""
        for operator, left, right in zip(node.ops, values, values[1:], strict=False):
            if not isinstance(left, Scalar) or not isinstance(right, Scalar):
                continue
            for tested, bound, at_zero, at_one in (
                (left, right, (ast.GtE, ast.Lt), (ast.Gt, ast.LtE)),
                (right, left, (ast.LtE, ast.Gt), (ast.Lt, ast.GtE)),
            ):
                least = 0 if isinstance(operator, at_zero) else -1 if isinstance(operator, at_one) else None
                single = tested.form.terms and len(tested.form.terms) == 1 and tested.form.terms[0][1] == 1
                if single and least == bound.form.constant and self.atoms.is_truncated(tested.form):
                    self.facts.truncated_tests.add(node)

    def _boolop(self, node: ast.BoolOp) -> Value:
        values: list[Value] = []
        before = self.conditions
        for item in node.values:
            value = self.value(item)
            values.append(value)
            # The next part is evaluated only where this one did not decide.
            passed = self.condition(value, item, negated=isinstance(node.op, ast.Or))
            self.conditions = (*self.conditions, passed)
        self.conditions = before
        outcomes = of_parts(node.op, [self.outcomes(value) for value in values])
        return self.with_outcomes(self.opaque(values, "bool"), outcomes)

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        before = self.conditions
        self.conditions = (*before, self.condition(test, node.test))
        body = self.value(node.body)
        self.conditions = (*before, self.condition(test, node.test, negated=True))
        other = self.value(node.orelse)
        self.conditions = before
        if isinstance(body, Scalar) and isinstance(other, Scalar):
            kind = body.kind if body.kind == other.kind else None
            chosen = self.opaque([test, body, other], kind)
            return body if body == other else self.with_outcomes(chosen, self._chosen(test, body, other))
        return self.opaque([test, body, other])

    def _chosen(self, test: Value, body: Scalar, other: Scalar) -> Outcomes:
        """What one of two truth values bounds, the first of which is taken where the test holds."""
        asked = self.outcomes(test)
        if (self.truth(body), self.truth(other)) == (True, False):
            return asked
        if (self.truth(body), self.truth(other)) == (False, True):
            return asked.negated()
        return of_cases([self.case(body, asked.holds), self.case(other, asked.fails)])

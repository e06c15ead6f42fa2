"""The meaning of expressions in a kernel, as affine forms, views of arrays and what they depend on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from advisor.facts.constants import Constants
from advisor.facts.declarations import Declaration, cuda_member
from advisor.facts.forms import atom, number
from advisor.facts.kernel_facts import (
    Access,
    Array,
    Condition,
    Index,
    KernelFacts,
    Kind,
    LoopContext,
    Opaque,
    OperationUse,
    Place,
    Scalar,
    Tuple,
    Value,
    View,
)
from advisor.facts.module import ModuleSyntax
from advisor.facts.workspace import Workspace

Resolve = Callable[[str, ModuleSyntax], Declaration | None]

_AXES = {"x": "x", "y": "y", "z": "z"}
_INDEX_OBJECTS = {"threadIdx": "tid", "blockIdx": "bid", "blockDim": "bdim", "gridDim": "gdim"}
_ITEMSIZE = {
    "float16": 2, "float32": 4, "float64": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2,
    "uint32": 4, "uint64": 8, "bool": 1, "bool_": 1, "boolean": 1, "complex64": 8, "complex128": 16, "float_": 8,
    "f4": 4, "f8": 8, "i4": 4, "i8": 8, "u1": 1, "u4": 4, "u8": 8, "double": 8,
}  # fmt: skip
_COSTLY = frozenset({
    "sin", "cos", "tan", "sincos", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "pow", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "erf", "erfc", "gamma", "lgamma", "hypot", "arcsin", "arccos",
    "arctan", "arctan2",
})  # fmt: skip
_INTEGER_CASTS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp"}
)
_FLOAT_CASTS = frozenset({"float", "float16", "float32", "float64"})


def itemsize_of(dtype: str | None) -> int | None:
    """Bytes of one element of a dtype given by its last name, None when it is not known."""
    return _ITEMSIZE.get(dtype.rpartition(".")[2]) if dtype else None


class Expressions:
    """Evaluates expressions of one kernel and of the device functions it calls, and notes what they do."""

    def __init__(self, facts: KernelFacts, workspace: Workspace, resolve: Resolve) -> None:
        self.facts, self.workspace, self.resolve = facts, workspace, resolve
        self.atoms = facts.atoms
        self.module = facts.declaration.module
        self.function = facts.declaration.node
        self.env: dict[str, Value] = {}
        self.loops: tuple[LoopContext, ...] = ()
        self.conditions: tuple[Condition, ...] = ()
        self.constants = Constants(workspace, self.module, self.function)
        self.truncating = False
        # In the test of a while loop, and in any test inside one: there an atomic may wait for another thread.
        self.spinning = False
        self.testing = False

    # -- dependences -----------------------------------------------------------------------------------

    def depends(self, value: Value) -> frozenset[str]:
        """Thread indices, block indices and loops that a value depends on."""
        if isinstance(value, Scalar):
            return self.atoms.depends(value.form)
        if isinstance(value, Tuple):
            return frozenset().union(*(self.depends(item) for item in value.items))
        if isinstance(value, View):
            return frozenset().union(*(self.atoms.depends(index.form) for index in value.prefix))
        return frozenset()

    def loaded(self, value: Value) -> bool:
        """Whether part of a value was read from memory."""
        if isinstance(value, Scalar):
            return self.atoms.loaded(value.form)
        return isinstance(value, Tuple) and any(self.loaded(item) for item in value.items)

    def opaque(
        self, values: Sequence[Value], kind: Kind = None, loaded: bool = False, what: str = "value"
    ) -> Scalar:
        """A number of which only the dependences are known."""
        depends: frozenset[str] = frozenset().union(*(self.depends(value) for value in values))
        loaded = loaded or any(self.loaded(value) for value in values)
        return Scalar(self.atoms.opaque(depends, loaded, what), kind)

    def place(self, node: ast.AST) -> Place:
        """The place of a node with the loops and conditions around it."""
        return Place(self.module, node, self.loops, self.conditions)

    # -- expressions -----------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """The meaning of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            result: Value = method(node)
            if isinstance(result, Scalar) and result.form.too_large:
                return self.opaque([result], result.kind)
            return result
        return self.opaque(
            [self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        )

    def scalar(self, node: ast.expr) -> Scalar:
        """The meaning of an expression as a number."""
        return self.as_scalar(self.value(node))

    def as_scalar(self, value: Value) -> Scalar:
        """A number for any value; what is none becomes an unknown one with the same dependences."""
        return value if isinstance(value, Scalar) else self.opaque([value])

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, bool):
            return Scalar(number(int(value)), "bool", constant=float(value))
        if isinstance(value, int):
            return Scalar(number(value), "int", constant=value)
        if isinstance(value, float):
            return Scalar(self.atoms.symbol(f"={value!r}"), "float", constant=value)
        return Scalar(self.atoms.symbol("=text"), None, constant=value if isinstance(value, str) else None)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            return self.env[node.id]
        dotted = self.workspace.library_name(self.module.dotted(node) or node.id, self.module)
        if "." in dotted:
            return self._library(dotted) or Opaque(dotted)
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
            return Scalar(atom(name) if head in ("threadIdx", "blockIdx") else self.atoms.symbol(name), "int")
        if member == "laneid":
            self.facts.thread_dimensions.add("x")
            return self.opaque([Scalar(atom("tid.x"))], "int")
        if member == "warpsize":
            return Scalar(self.atoms.symbol("warpsize"), "int")
        return None

    def _attribute(self, node: ast.Attribute) -> Value:
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in self.env:
            dotted = self.module.dotted(node)
            if dotted is not None:
                dotted = self.workspace.library_name(dotted, self.module)
                return self._library(dotted) or self._fixed(node) or Opaque(dotted)
        base = self.value(node.value)
        view = self.view(base)
        if view is not None and node.attr in ("shape", "size", "ndim", "T", "strides", "dtype"):
            return self._property(view, node.attr)
        if node.attr in ("real", "imag", "x", "y", "z", "w") and isinstance(base, Scalar):
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

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.scalar(node.operand)
        if isinstance(node.op, ast.USub):
            negated = -value.constant if isinstance(value.constant, int | float) else None
            if value.kind == "float" and negated is not None:
                return Scalar(self.atoms.symbol(f"={negated!r}"), "float", constant=negated)
            return Scalar(-value.form, value.kind, constant=negated)
        if isinstance(node.op, ast.UAdd):
            return value
        return self.opaque([value], "bool" if isinstance(node.op, ast.Not) else value.kind)

    def _binop(self, node: ast.BinOp) -> Value:
        left_value, right_value = self.value(node.left), self.value(node.right)
        if isinstance(left_value, Tuple) and isinstance(right_value, Tuple) and isinstance(node.op, ast.Add):
            return Tuple(left_value.items + right_value.items)
        left, right = self.as_scalar(left_value), self.as_scalar(right_value)
        kind = _kind(node.op, left.kind, right.kind)
        operation = type(node.op)
        if operation in (ast.Pow, ast.FloorDiv, ast.Mod, ast.Div):
            return self._costly(node, left, right, kind)
        if kind != "float":
            if operation is ast.Add:
                return Scalar(left.form + right.form, kind)
            if operation is ast.Sub:
                return Scalar(left.form - right.form, kind)
            if operation is ast.Mult:
                return Scalar(left.form * right.form, kind)
            if (
                operation is ast.LShift
                and isinstance(right.form.constant, int)
                and 0 <= right.form.constant < 31
            ):
                return Scalar(left.form * number(1 << right.form.constant), kind)
        return self.opaque([left, right], kind)

    def _costly(self, node: ast.BinOp, left: Scalar, right: Scalar, kind: Kind) -> Scalar:
        names = {ast.Pow: "power", ast.FloorDiv: "floor_divide", ast.Mod: "modulo", ast.Div: "true_divide"}
        operator = names[type(node.op)]
        integers = None
        if left.kind and right.kind:
            integers = left.kind != "float" and right.kind != "float"
        result = self.opaque([left, right], kind)
        a, b = left.form.constant, right.form.constant
        if operator in ("floor_divide", "modulo") and a is not None and b:
            result = Scalar(number(a // b if operator == "floor_divide" else a % b), kind)
        self.note_operation(
            node,
            operator,
            operator,
            [left, right],
            exponent=exponent_kind(right) if operator == "power" else None,
            divisor=None if operator == "power" else divisor_kind(right),
            integers=integers,
            result=result,
        )
        return result

    def note_operation(
        self,
        node: ast.AST,
        operator: str,
        name: str,
        operands: Sequence[Scalar],
        exponent: str | None = None,
        divisor: str | None = None,
        integers: bool | None = None,
        result: Scalar | None = None,
    ) -> None:
        """Notes an operation with a cost worth knowing."""
        depends: frozenset[str] = frozenset().union(*(self.depends(operand) for operand in operands))
        atoms = result.form.atoms() if result else set()
        self.facts.operations.append(
            OperationUse(
                self.place(node),
                operator,
                name,
                exponent,
                divisor,
                integers,
                depends,
                any(self.loaded(operand) for operand in operands),
                self.truncating,
                all(operand.constant is not None for operand in operands),
                next(iter(atoms), ""),
            )  # fmt: skip
        )

    def _compare(self, node: ast.Compare) -> Value:
        return self.opaque([self.value(item) for item in (node.left, *node.comparators)], "bool")

    def _boolop(self, node: ast.BoolOp) -> Value:
        values: list[Value] = []
        before = self.conditions
        for item in node.values:
            value = self.value(item)
            values.append(value)
            if isinstance(node.op, ast.And):
                self.conditions = (*self.conditions, self.condition(value, item))
        self.conditions = before
        return self.opaque(values, "bool")

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        before = self.conditions
        self.conditions = (*before, self.condition(test, node.test))
        body = self.value(node.body)
        self.conditions = before
        other = self.value(node.orelse)
        if isinstance(body, Scalar) and isinstance(other, Scalar):
            kind = body.kind if body.kind == other.kind else None
            return body if body == other else self.opaque([test, body, other], kind)
        return self.opaque([test, body, other])

    def condition(self, test: Value, node: ast.AST, leaves: bool = False, negated: bool = False) -> Condition:
        """The condition that a test puts on what it encloses, or on all that follows when it `leaves`."""
        single = selects_one_thread(self, node) and not negated
        return Condition(self.depends(test), self.loaded(test), single, leaves, node)

    def view(self, value: Value) -> View | None:
        """The array view behind a value, also behind an element that turns out to be a row."""
        if isinstance(value, View):
            return value
        return value.view if isinstance(value, Scalar) else None

    # -- subscripts ------------------------------------------------------------------------------------

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
        indices: list[Value] = [Scalar(index.form) for index in view.prefix]
        kind: Kind = None
        if view.array.dtype:
            name = view.array.dtype.rpartition(".")[2]
            kind = (
                "float"
                if name.startswith(("float", "f"))
                else "int"
                if name.startswith(("int", "uint"))
                else None
            )
        result = self.opaque(indices, kind, loaded=True, what="load")
        self.note_access(node, view, "load")
        return Scalar(result.form, kind, view)

    def withdraw(self, base: Scalar) -> None:
        """Takes back the load of a row, when only an element of it is used."""
        for position in range(len(self.facts.accesses) - 1, max(len(self.facts.accesses) - 40, -1), -1):
            access = self.facts.accesses[position]
            if (
                base.view is not None
                and access.array is base.view.array
                and access.indices == base.view.prefix
            ):
                if access.kind == "load":
                    del self.facts.accesses[position]
                return

    def note_access(self, node: ast.AST, view: View, kind: str) -> None:
        """Notes a load, store or update of the element or part of an array that `view` names."""
        for index in view.prefix:
            self.facts.index_atoms |= index.form.atoms()
        self.facts.accesses.append(Access(self.place(node), view.array, view.prefix, kind))  # type: ignore[arg-type]

    def value_of_index(self, node: ast.expr) -> Value:
        """The meaning of what stands in square brackets, slices included."""
        return self.opaque([Scalar(index.form) for index in self.indices(node)])

    def indices(self, node: ast.expr) -> tuple[Index, ...]:
        """The indices in square brackets."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[Index] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                start = self.scalar(part.lower) if part.lower is not None else Scalar(number(0))
                if part.upper is not None:
                    self.value(part.upper)
                found.append(Index(start.form, is_slice=True))
                continue
            value = self.value(part)
            if isinstance(value, Tuple):
                found += [Index(self.as_scalar(item).form) for item in value.items]
            elif isinstance(part, ast.Constant) and part.value is None:
                continue
            else:
                found.append(Index(self.as_scalar(value).form))
        return tuple(found)

    def indexed(self, view: View, node: ast.expr) -> View:
        """A view with further indices, which fill open slices first."""
        prefix = list(view.prefix)
        for index in self.indices(node):
            open_slice = next((position for position, known in enumerate(prefix) if known.is_slice), None)
            if open_slice is None:
                prefix.append(index)
            else:
                prefix[open_slice] = Index(prefix[open_slice].form + index.form, index.is_slice)
        return View(view.array, tuple(prefix))


def exponent_kind(exponent: Scalar) -> str:
    """How an exponent is written: integer literal, half, float literal, runtime integer or runtime."""
    if isinstance(exponent.constant, int):
        return "integer literal"
    if isinstance(exponent.constant, float):
        return "half" if abs(exponent.constant) == 0.5 else "float literal"
    return "runtime integer" if exponent.kind == "int" else "runtime"


def divisor_kind(divisor: Scalar) -> str:
    """How a divisor is given: power_of_two, constant or runtime."""
    value = divisor.constant if divisor.constant is not None else divisor.form.constant
    if isinstance(value, int) and value > 0 and value & (value - 1) == 0:
        return "power_of_two"
    if value is not None:
        return "constant"
    return "constant" if divisor.form.atoms() == {"warpsize"} else "runtime"


def _kind(operation: ast.operator, left: Kind, right: Kind) -> Kind:
    if isinstance(operation, ast.Div):
        return "float"
    if left == "float" or right == "float":
        return "float"
    if left in ("int", "bool") and right in ("int", "bool"):
        return "int"
    return None


def selects_one_thread(walk: Expressions, node: ast.AST) -> bool:
    """Whether a test is true for one thread of the block only, as `threadIdx.x == 0` is."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return any(selects_one_thread(walk, item) for item in node.values)
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq)):
        return False
    values = [
        walk.env.get(item.id) if isinstance(item, ast.Name) else None
        for item in (node.left, node.comparators[0])
    ]
    for value, item in zip(values, (node.left, node.comparators[0]), strict=True):
        if value is None and isinstance(item, ast.Attribute):
            value = walk.value(item)
        if isinstance(value, Scalar) and any(
            name.startswith("tid.") for monomial, _ in value.form.terms for name in monomial
        ):
            return True
    return False

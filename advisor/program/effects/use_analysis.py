"""Finds out how functions use their parameters, also through local names and device functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from itertools import pairwise

from advisor.program.effects.local_values import LocalValues, field_name
from advisor.program.effects.parameter_use import Use, View
from advisor.program.effects.truth_uses import TruthUses
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below, dotted_root

_PASSES = 4
_DEPTH = 12
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_COMPLEX_ATTRIBUTES = frozenset({"real", "imag", "conjugate", "conj"})
_ITERATES = frozenset({"len", "enumerate", "zip", "sum"})
_SAME_KIND = frozenset({"min", "max", "abs"})
_MEMORY_SPACES = frozenset({"shared", "local"})
_RANDOM = "xoroshiro128p_"

Callee = Callable[[ast.expr], FunctionNode | None]
_THREAD_NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_INTEGER_CASTS = frozenset({"int", "int32", "int64", "uint32", "uint64"})
_INTEGER_CALLS = _INTEGER_CASTS | {"grid", "gridsize", "len", "floor", "ceil"}
_CHOOSING_CALLS = frozenset({"abs", "max", "min"})
_COMPLEX_CALLS = frozenset({"complex", "complex64", "complex128"})


class UseAnalysis:
    """Uses of the parameters of functions; `callee` gives the function behind the `func` of a call."""

    def __init__(self, callee: Callee) -> None:
        self.callee = callee
        self._known: dict[FunctionNode, _FunctionUse] = {}
        self.asked: list[_FunctionUse] = []

    def uses(self, function: FunctionNode) -> dict[str, Use]:
        """The use of each parameter, by name."""
        return self.of(function).uses

    def of(self, function: FunctionNode) -> _FunctionUse:
        """The analysis of one function; of one that is still being analysed, what is known so far."""
        if function not in self._known:
            self._known[function] = _FunctionUse(function, self)
            self._known[function].run()
        return self._known[function]


class _FunctionUse:
    def __init__(self, function: FunctionNode, analysis: UseAnalysis) -> None:
        self.function, self.analysis = function, analysis
        self.locals = LocalValues(function)
        self.uses = {
            name: Use(tuple_length=self.locals.tuples.get(name, 0)) for name in self.locals.parameters
        }
        self.kinds = ValueKinds(self.locals, self.uses, self._callee_complex)
        self.returned = [
            n.value for n in below(function) if isinstance(n, ast.Return) and n.value is not None
        ]
        self._demanded: set[tuple[str, str]] = set()
        self._integer_result = False

    def _callee_complex(self, func: ast.expr) -> bool | None:
        target = self.analysis.callee(func)
        if target is None:
            return None
        inner = self.analysis.of(target)
        if inner in self.analysis.asked:
            return False
        # A function that calls itself returns what its other paths do.
        self.analysis.asked.append(inner)
        try:
            return any(inner.kinds.is_complex(value) for value in inner.returned)
        finally:
            self.analysis.asked.pop()

    def run(self) -> None:
        for _ in range(_PASSES):
            before = [repr(use) for use in self.uses.values()]
            self._demanded.clear()
            for statement in self.function.body:
                for node in below(statement):
                    self._see_node(node)
            if self._integer_result:
                self._demand_result()
            if before == [repr(use) for use in self.uses.values()]:
                break
        TruthUses(self.function, self.locals, self.analysis.callee).note(self.use_of)

    def demand_integer_result(self) -> None:
        """Note that callers use the result as an integer."""
        if not self._integer_result:
            self._integer_result = True
            self.run()

    def _demand_result(self) -> None:
        for value in self.returned:
            self._demand(value, "integer")

    def _see_node(self, node: ast.AST) -> None:
        method = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node)

    def _visit_subscript(self, node: ast.Subscript) -> None:
        if field_name(node):
            self._visit_field(node)
            return
        count, _ = self.locals.indices(node.slice)
        for view in self.locals.views(node.value):
            self.use_of(view).see_dims(view.consumed + count)
        self._demand_index(node.slice)
        self._shape_index(node)

    def _visit_field(self, node: ast.Subscript | ast.Attribute) -> None:
        for view in self.locals.views(node.value):
            use = self.use_of(view)
            use.see_dims(view.consumed)
            use.part(field_name(node))

    def use_of(self, view: View) -> Use:
        """The use of what a view shows: of a parameter, or of a field of its records."""
        return self.uses[view.parameter].part(view.field)

    def _demand_index(self, index: ast.expr) -> None:
        if isinstance(index, ast.Tuple):
            for item in index.elts:
                self._demand_index(item)
        elif isinstance(index, ast.Slice):
            for bound in (index.lower, index.upper, index.step):
                if bound is not None:
                    self._demand(bound, "integer")
        else:
            self._demand(index, "integer")

    def _shape_index(self, node: ast.Subscript) -> None:
        """Note `a.shape[k]`, also through a local name for the shape."""
        index = node.slice
        if isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
            index = index.operand
            wanted = index.value if isinstance(index.value, int) else 0
        elif isinstance(index, ast.Constant) and isinstance(index.value, int):
            wanted = index.value + 1
        else:
            return
        for owner in self.kinds.shapes(node.value):
            self._see(owner, wanted)

    def _see(self, node: ast.expr, dims: int) -> None:
        for view in self.locals.views(node):
            self.use_of(view).see_dims(view.consumed + dims)

    def _visit_assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                for owner in self.kinds.shapes(node.value):
                    self._see(owner, len(target.elts))
                if isinstance(node.value, ast.Name) and node.value.id in self.uses:
                    self.uses[node.value.id].tuple_length = len(target.elts)
            self._store(target, node.value)

    def _visit_augassign(self, node: ast.AugAssign) -> None:
        self._store(node.target, node.value)
        if isinstance(node.op, _BITS):
            self._demand(node.target, "integer")
            self._demand(node.value, "integer")

    def _store(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Subscript) and self.kinds.is_complex(value):
            self._demand(target, "complex")

    def _visit_for(self, node: ast.For) -> None:
        self._see(node.iter, 1)

    def _visit_attribute(self, node: ast.Attribute) -> None:
        if node.attr in _COMPLEX_ATTRIBUTES:
            for view in self.locals.views(node.value):
                self.use_of(view).complex = True
            return
        if field_name(node):
            self._visit_field(node)
            return
        for view in self.locals.views(node.value):
            self.use_of(view).see_dims(view.consumed + 1)

    def _visit_binop(self, node: ast.BinOp) -> None:
        if isinstance(node.op, _BITS):
            self._demand(node.left, "integer")
            self._demand(node.right, "integer")
        elif isinstance(node.op, ast.FloorDiv | ast.Mod):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if self.kinds.is_integer(one):
                    self._suggest(other)

    def _visit_unaryop(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Invert):
            self._demand(node.operand, "integer")

    def _visit_compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, right in pairwise(sides):
            for one, other in ((left, right), (right, left)):
                if self.kinds.is_integer(one) and not self.kinds.is_fixed(one):
                    self._suggest(other)

    def _suggest(self, node: ast.expr) -> None:
        """Note that a value is likely an integer: enough for a scalar, a hint for an array's elements."""
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Div):
            self._suggest(node.left)
            self._suggest(node.right)
        for view in self.locals.views(node):
            use = self.use_of(view)
            if use.dims or view.consumed:
                use.likely_integer = True
            else:
                use.integer = True

    def _visit_call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        target = self.analysis.callee(node.func)
        if target is not None:
            self._pass_on(node, target)
        elif name == "range":
            for argument in node.args:
                self._demand(argument, "integer")
        elif name in _ITERATES:
            for argument in node.args:
                self._see(argument, 1)
        elif name.startswith(_RANDOM) and node.args:
            for state in self._items(node.args[0]):
                for view in self.locals.views(state):
                    self.use_of(view).random_states = True
            for argument in node.args[1:]:
                self._demand(argument, "integer")
        elif _is_atomic(node.func) and len(node.args) >= 2:
            self._atomic(node)
        elif is_memory(node.func):
            shapes = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "shape")]
            for extent in (item for shape in shapes for item in self._items(shape)):
                self._demand(extent, "integer")

    def _items(self, node: ast.expr) -> list[ast.expr]:
        """The members of a tuple that an expression is, or else the expression."""
        bound = self.locals.bound.get(node.id, []) if isinstance(node, ast.Name) else []
        tuples = [one for one in (node, *bound) if isinstance(one, ast.Tuple)]
        return [item for one in tuples for item in one.elts] or [node]

    def _atomic(self, node: ast.Call) -> None:
        self._see(node.args[0], self.locals.arity(node.args[1]))
        self._demand_index(node.args[1])
        if any(
            isinstance(argument, ast.Constant) and type(argument.value) is int for argument in node.args[2:]
        ):
            for view in self.locals.views(node.args[0]):
                self.use_of(view).maybe_integer = True

    def _pass_on(self, call: ast.Call, target: FunctionNode) -> None:
        inner = self.analysis.of(target)
        pairs = list(zip(inner.locals.parameters, call.args, strict=False))
        pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg in inner.uses]
        for parameter, argument in pairs:
            use = inner.uses[parameter]
            for view in self.locals.views(argument):
                self.use_of(view).absorb(use, view.consumed)
            if use.integer and not use.dims:
                self._demand(argument, "integer")

    def _demand(self, node: ast.expr, kind: str, depth: int = _DEPTH) -> None:
        """Note that a value must be of a kind, and so must what it is computed from."""
        if depth == 0:
            return
        if isinstance(node, ast.Name):
            if (node.id, kind) not in self._demanded:
                self._demanded.add((node.id, kind))
                if node.id in self.uses:
                    setattr(self.uses[node.id], kind, True)
                for value in self.locals.bound.get(node.id, ()):
                    self._demand(value, kind, depth - 1)
        elif isinstance(node, ast.Subscript):
            self._demand_element(node, kind, depth)
        elif isinstance(node, ast.Attribute):
            for view in self.locals.views(node) if field_name(node) else ():
                setattr(self.use_of(view), kind, True)
        elif isinstance(node, ast.Call):
            self._demand_call(node, kind, depth)
        elif not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and kind == "integer"):
            for operand in operands(node):
                self._demand(operand, kind, depth - 1)

    def _demand_element(self, node: ast.Subscript, kind: str, depth: int) -> None:
        for view in self.locals.views(node if field_name(node) else node.value):
            setattr(self.use_of(view), kind, True)
        owner: ast.expr = node
        while isinstance(owner, ast.Subscript):
            owner = owner.value
        if isinstance(owner, ast.Name) and (f"{owner.id}[]", kind) not in self._demanded:
            self._demanded.add((f"{owner.id}[]", kind))
            for value in self.locals.stored.get(owner.id, ()):
                self._demand(value, kind, depth - 1)

    def _demand_call(self, node: ast.Call, kind: str, depth: int) -> None:
        target = self.analysis.callee(node.func)
        if target is not None and kind == "integer":
            self.analysis.of(target).demand_integer_result()
        elif last_name(node.func) in _SAME_KIND:
            for argument in node.args:
                self._demand(argument, kind, depth - 1)


def is_memory(node: ast.expr) -> bool:
    """Whether an expression is `cuda.shared.array` or `cuda.local.array`."""
    return (
        isinstance(node, ast.Attribute) and node.attr == "array" and last_name(node.value) in _MEMORY_SPACES
    )


def _is_atomic(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and last_name(node.value) == "atomic"


class ValueKinds:
    """Kinds of the values of one function; `callee_complex` tells whether a call's result is complex, None
    when the called function is not known.
    """

    def __init__(
        self,
        local_values: LocalValues,
        uses: Mapping[str, Use],
        callee_complex: Callable[[ast.expr], bool | None],
    ) -> None:
        self.locals, self.uses, self.callee_complex = local_values, uses, callee_complex

    def shapes(self, node: ast.expr) -> list[ast.expr]:
        """The arrays whose shape an expression is."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "strides"):
            return [node.value]
        if isinstance(node, ast.Name):
            return [
                value.value
                for value in self.locals.bound.get(node.id, ())
                if isinstance(value, ast.Attribute) and value.attr == "shape"
            ]
        return []

    def is_integer(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly an integer."""
        if depth == 0:
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if isinstance(node, ast.Name):
            if node.id in self.uses:
                return self.uses[node.id].integer and not self.uses[node.id].dims
            bound = self.locals.bound.get(node.id, [])
            return node.id in self.locals.counted or (
                bool(bound) and all(self.is_integer(v, depth - 1) for v in bound)
            )
        if isinstance(node, ast.Attribute):
            if node.attr in ("size", "ndim") or last_name(node.value) in _THREAD_NAMES:
                return True
            return bool(field_name(node)) and any(use.integer for use in self._element_uses(node))
        if isinstance(node, ast.Call):
            if last_name(node.func) in _CHOOSING_CALLS and node.args:
                return all(self.is_integer(one, depth - 1) for one in node.args)
            return last_name(node.func) in _INTEGER_CALLS
        if isinstance(node, ast.Subscript):
            if self.shapes(node.value) or last_name(getattr(node.value, "func", node.value)) == "grid":
                return True
            return any(use.integer for use in self._element_uses(node))
        parts = operands(node)
        divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        return bool(parts) and not divides and all(self.is_integer(part, depth - 1) for part in parts)

    def _element_uses(self, node: ast.Subscript | ast.Attribute) -> list[Use]:
        """The uses of the parameters, or of fields of their records, that an element is taken of."""
        views = self.locals.views(node if field_name(node) else node.value)
        return [self.uses[view.parameter].part(view.field) for view in views]

    def is_fixed(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is a number written out, perhaps converted; floats meet it in tests too."""
        if depth == 0 or isinstance(node, ast.Constant):
            return depth > 0
        if isinstance(node, ast.Name):
            bound = [] if node.id in self.uses else self.locals.bound.get(node.id, [])
            return bool(bound) and all(self.is_fixed(value, depth - 1) for value in bound)
        if isinstance(node, ast.Call) and last_name(node.func) in _INTEGER_CASTS:
            return all(self.is_fixed(argument, depth - 1) for argument in node.args)
        return False

    def is_complex(self, node: ast.expr) -> bool:
        """Whether an expression holds a complex number, as far as the code shows."""
        waiting, seen = [node], set[str]()
        while waiting:
            one = waiting.pop()
            if not isinstance(one, ast.Name):
                if self._is_complex_itself(one):
                    return True
                waiting += operands(one)
            elif one.id in self.uses:
                if self.uses[one.id].complex:
                    return True
            elif one.id not in seen:
                # A name that is bound to itself again and again says no more than its other values.
                seen.add(one.id)
                waiting += self.locals.bound.get(one.id, ())
        return False

    def _is_complex_itself(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, complex)
        if isinstance(node, ast.Subscript):
            return any(use.complex for use in self._element_uses(node))
        if isinstance(node, ast.Call):
            known = self.callee_complex(node.func)
            if known is not None:
                return known
            return last_name(node.func) in _COMPLEX_CALLS or _first_name(node.func) == "cmath"
        return False


def operands(node: ast.expr) -> list[ast.expr]:
    """The operands that share the kind of an arithmetic expression's result."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return []


def _first_name(node: ast.expr) -> str:
    root = dotted_root(node)
    return "" if root is None else root.id

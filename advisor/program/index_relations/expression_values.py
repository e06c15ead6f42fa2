"""The values of expressions in one function, called with certain arguments: demand-driven, each once."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from advisor.program.index_relations.index_values import (
    UNKNOWN,
    Bound,
    Factor,
    Items,
    LaunchSize,
    LocalArray,
    Number,
    Position,
    Root,
    Term,
    Value,
    Variable,
    View,
    add,
    along,
    below,
    constant,
    divide,
    either,
    moved,
    multiply,
    remainder,
    size_number,
    subtract,
)
from advisor.program.index_relations.relations import Extent
from advisor.program.index_relations.remainders import divisor_of_rest
from advisor.program.index_relations.unit_functions import UnitFunction, UnitNames, loads_below
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.definition_flow import START
from advisor.program.syntax.reaching_definitions import Definition

_DEEPEST = 60
_AXES = {"x": 0, "y": 1, "z": 2}
_SAME = frozenset({
    "int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp", "uintp", "intc",
    "uintc", "uint", "int_", "long", "round", "floor", "ceil", "trunc", "rint", "abs", "fabs",
})  # fmt: skip
_REALS = frozenset({"float", "float16", "float32", "float64", "double", "half", "single"})
_EXTREMES = frozenset(["min", "max", "minimum", "maximum", "fmin", "fmax"])
_WARP = 32
_ANY = Number(terms=(Term(),))
_NO_CUT = 1 << 30
_LARGEST = 1 << 31
_MOST_TRIES = 3


@dataclass
class Steps:
    """How many expressions may still be evaluated: a kernel of any size takes a bounded time."""

    left: int = 200_000


@dataclass
class Expressions:
    """The values of the expressions of a function for one list of arguments.

    `loop_values` are what loops give their targets, `call_results` what functions of the unit return and
    `local_contents` what arrays hold that the kernel makes, by their places: the walk through the statements
    notes them.
    """

    function: UnitFunction
    names: UnitNames
    arguments: Mapping[str, Value]
    local_contents: dict[tuple[str, int, int], Value]
    steps: Steps
    loop_values: dict[ast.For, Value] = field(default_factory=dict)
    call_results: dict[ast.Call, Value] = field(default_factory=dict)
    _known: dict[ast.expr, Value] = field(default_factory=dict)
    _variables: dict[Variable, Value] = field(default_factory=dict)
    _open: dict[Variable, int] = field(default_factory=dict)
    _deepest_cut: int = _NO_CUT
    _provisional: Counter[ast.expr | Variable] = field(default_factory=Counter)
    _depth: int = 0

    def __post_init__(self) -> None:
        self._kinds: dict[type[ast.expr], Callable[[ast.expr], Value]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
            ast.BinOp: self._operation,
            ast.UnaryOp: self._signed,
            ast.IfExp: self._choice,
            ast.BoolOp: self._choice,
            ast.Tuple: self._items,
            ast.List: self._items,
            ast.NamedExpr: self._named,
        }

    def value(self, node: ast.expr) -> Value:
        """The value of an expression; UNKNOWN for one that is not understood."""
        if node in self._known:
            return self._known[node]
        kind = self._kinds.get(type(node))
        self.steps.left -= 1
        if kind is None or self._depth >= _DEEPEST or self.steps.left < 0:
            return UNKNOWN
        self._depth += 1
        around, self._deepest_cut = self._deepest_cut, _NO_CUT
        try:
            found = kind(node)
        finally:
            self._depth -= 1
            cut, self._deepest_cut = self._deepest_cut, min(around, self._deepest_cut)
        if cut == _NO_CUT or self._is_settled(node):
            self._known[node] = found
        return found

    def _is_settled(self, node: ast.expr | Variable) -> bool:
        """Whether what may lack something, since a variable around was being worked out, was found often."""
        self._provisional[node] += 1
        return self._provisional[node] > _MOST_TRIES

    def number(self, node: ast.expr) -> Number:
        """The value of an expression that is a number; UNKNOWN for other values."""
        found = self.value(node)
        return found if isinstance(found, Number) else UNKNOWN

    # -- names ---------------------------------------------------------------------------------------------
    def _constant(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Constant)
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return constant(node.value)
        if isinstance(node.value, float) and node.value.is_integer() and abs(node.value) < _LARGEST:
            return constant(int(node.value))
        return Number(real=isinstance(node.value, float))

    def _name(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Name)
        reaching = self.function.reaching
        if not reaching.binds(node.id):
            if node.id in self.function.parameters:
                return self._variable(Variable(self.function.text.name, node.id, frozenset({START})))
            return self._global(node.id)
        found = reaching.reaching(node.id, node)
        if not found:
            return UNKNOWN
        return self._variable(Variable(self.function.text.name, node.id, found))

    def _global(self, name: str) -> Value:
        if self.names.is_constant_array(name) and (text := self.names.constant(name)) is None:
            return LocalArray((name, 0, 0), constant=True)
        text = self.names.constant(name)
        return UNKNOWN if text is None else self.value(text)

    def _variable(self, variable: Variable) -> Value:
        """The value of a name, which is a variable that guards may bound."""
        if variable in self._variables:
            return self._variables[variable]
        if variable in self._open:
            self._deepest_cut = min(self._deepest_cut, self._open[variable])
            return _ANY
        number = self._open[variable] = len(self._open)
        around, self._deepest_cut = self._deepest_cut, _NO_CUT
        try:
            ordered = sorted(variable.definitions, key=_place)
            found = either([self._defined(one, variable.name) for one in ordered])
        finally:
            del self._open[variable]
            cut = self._deepest_cut if self._deepest_cut < number else _NO_CUT
            self._deepest_cut = min(around, cut)
        if isinstance(found, Number) and not found.uniform:
            kept = found if found.terms else replace(found, terms=(Term(),))
            found = replace(kept, roots=kept.roots | {Root(variable)})
        if cut == _NO_CUT or self._is_settled(variable):
            self._variables[variable] = found
        return found

    def _defined(self, definition: Definition, name: str) -> Value:
        if definition is START:
            return self.arguments.get(name, _ANY)
        if isinstance(definition, ast.For):
            return _part_of_target(definition.target, name, self.loop_values.get(definition, _ANY))
        if isinstance(definition, ast.AugAssign):
            return self._changed(definition, name)
        given = value_given(definition, name) if isinstance(definition, ast.AST) else None
        if given is None:
            return _ANY
        found = self.value(given)
        steps = any(one.id == name for one in loads_below(given)) and self._in_loop(definition)
        # A step of a loop: where it begins and what bounds it is known otherwise.
        return _ANY if steps and isinstance(found, Number) and not found.elements else found

    def _changed(self, definition: ast.AugAssign, name: str) -> Value:
        if self._in_loop(definition):
            return _ANY
        old = self.function.reaching.reaching(name, definition.target) or frozenset()
        before = self._variable(Variable(self.function.text.name, name, old - {definition}))
        if not isinstance(before, Number):
            return _ANY
        return _computed(definition.op, before, self.number(definition.value))

    def _in_loop(self, definition: Definition) -> bool:
        node = definition if isinstance(definition, ast.AST) else None
        while node is not None:
            if isinstance(node, ast.For | ast.While):
                return True
            node = self.function.parents.get(node)
        return False

    def _named(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.NamedExpr)
        return self._variable(Variable(self.function.text.name, node.target.id, frozenset({node})))

    # -- parts ---------------------------------------------------------------------------------------------
    def _attribute(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Attribute)
        launch = self._of_launch(node)
        if launch is not None:
            return launch
        base = self.value(node.value)
        if isinstance(base, View):
            return self._of_array(base, node.attr)
        if node.attr in ("real", "imag") and isinstance(base, Number):
            return base
        return UNKNOWN

    def _of_launch(self, node: ast.Attribute) -> Value | None:
        """The value of `threadIdx.x` and the like."""
        dotted = self.names.dotted(node)
        if dotted.startswith("numba.cuda."):
            parts = dotted.split(".")[2:]
            if parts == ["laneid"]:
                return below({Bound((_WARP,))})
            if parts == ["warpsize"]:
                return constant(_WARP)
            if len(parts) == 2 and parts[1] in _AXES:
                axis = _AXES[parts[1]]
                if parts[0] in ("threadIdx", "blockIdx"):
                    return along(Position(axis, "thread" if parts[0] == "threadIdx" else "block"))
                if parts[0] in ("blockDim", "gridDim"):
                    return Number((LaunchSize("thread" if parts[0] == "blockDim" else "block", axis),))
        return None

    def _of_array(self, view: View, attribute: str) -> Value:
        sizes: tuple[Factor, ...] = tuple(Extent(view.array, axis) for axis in view.axes)
        if attribute == "shape":
            return Items(tuple(Number((one,)) for one in sizes))
        if attribute == "size":
            return Number(sizes) if sizes else constant(1)
        if attribute == "ndim":
            return constant(len(sizes))
        if attribute in ("real", "imag"):
            return view
        if attribute == "T":
            return replace(view, axes=tuple(reversed(view.axes)))
        # The field of a record, which may be an index.
        return element_of(view) if not view.axes else UNKNOWN

    def _subscript(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Subscript)
        base = self.value(node.value)
        if isinstance(base, View):
            return self._part(base, node.slice)
        if isinstance(base, Items):
            return self._item(base, node.slice)
        if isinstance(base, LocalArray):
            return self.local_contents.get(base.place, _ANY)
        return UNKNOWN

    def _part(self, view: View, index: ast.expr) -> Value:
        axes: list[int] = []
        items = full_indices(index, len(view.axes))
        if items is None or len(items) > len(view.axes):
            return UNKNOWN
        for axis, item in zip(view.axes, items, strict=False):
            if isinstance(item, ast.Slice):
                axes.append(axis)
            elif isinstance(found := self.value(item), Items):
                # The index is a tuple that stands under a name.
                return element_of(view) if len(found.items) >= len(view.axes) else UNKNOWN
        part = replace(view, axes=(*axes, *view.axes[len(items) :]))
        return part if part.axes or not (view.integer or view.real) else element_of(view)

    def _item(self, base: Items, index: ast.expr) -> Value:
        if isinstance(index, ast.Slice):
            bounds = [
                None if one is None else self.number(one).constant for one in (index.lower, index.upper)
            ]
            return Items(base.items[slice(*bounds)]) if index.step is None else UNKNOWN
        at = self.number(index).constant
        if at is not None:
            return base.items[at] if -len(base.items) <= at < len(base.items) else UNKNOWN
        return either(base.items) if base.items else UNKNOWN

    def _items(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Tuple | ast.List)
        if any(isinstance(one, ast.Starred) for one in node.elts):
            return UNKNOWN
        return Items(tuple(self.value(one) for one in node.elts))

    # -- operations ----------------------------------------------------------------------------------------
    def _choice(self, node: ast.expr) -> Value:
        parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else getattr(node, "values", [])
        return either([self.value(one) for one in parts])

    def _signed(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.UnaryOp)
        found = self.number(node.operand)
        if isinstance(node.op, ast.USub):
            if found.constant is not None:
                return constant(-found.constant)
            return Number(terms=(Term(position=found.position),), floats=found.floats, real=found.real)
        return found if isinstance(node.op, ast.UAdd) else UNKNOWN

    def _operation(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.BinOp)
        whole, other = self.value(node.left), self.value(node.right)
        if isinstance(whole, Items) and isinstance(other, Items) and isinstance(node.op, ast.Add):
            return Items((*whole.items, *other.items))
        if not isinstance(whole, Number) or not isinstance(other, Number):
            return UNKNOWN
        divisor = divisor_of_rest(node, self.function)
        return _computed(node.op, whole, other) if divisor is None else remainder(self.number(divisor))

    # -- calls ---------------------------------------------------------------------------------------------
    def _call(self, node: ast.expr) -> Value:
        assert isinstance(node, ast.Call)
        if node in self.call_results:
            return self.call_results[node]
        if isinstance(node.func, ast.Name) and node.func.id in self.names.functions:
            return _ANY
        name = last_name(node.func)
        dotted = self.names.dotted(node.func)
        if dotted.startswith("numba.cuda."):
            return self._of_cuda(node, dotted.removeprefix("numba.cuda."))
        values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
        first = values[0] if values else None
        if name == "len" and first is not None:
            return _length(first)
        if name in _EXTREMES and all(isinstance(one, Number) for one in values):
            return self._extreme(name, [one for one in values if isinstance(one, Number)])
        if isinstance(first, Number) and len(values) == 1:
            if name in _SAME:
                return replace(first, real=False)
            if name in _REALS:
                return replace(first, real=True)
        if name in ("tuple", "list") and isinstance(first, Items):
            return first
        floats = frozenset[str]().union(*(one.floats for one in values if isinstance(one, Number)))
        return Number(floats=floats, real=bool(floats), terms=(Term(),))

    def _extreme(self, name: str, numbers: list[Number]) -> Value:
        """The smallest or the largest of several numbers: of a clamped index, what bounds it."""
        known = [one for one in numbers if one.constant is None]
        constants = [one.constant for one in numbers if one.constant is not None]
        found = either(known) if known else UNKNOWN
        if not isinstance(found, Number) or len(known) == len(numbers) or "min" not in name:
            return found
        bound = Bound((max(constants) + 1,))
        if found.single is not None:
            term = replace(found.single, bounds=found.single.bounds | {bound.moved(-found.offset)})
            return replace(found, terms=(term,))
        return below({bound, *([Bound(found.uniform, found.offset + 1)] if found.uniform else [])})

    def _of_cuda(self, node: ast.Call, name: str) -> Value:
        if name in ("grid", "gridsize"):
            axes = self.number(node.args[0]).constant if node.args else None
            if axes is None or not 1 <= axes <= 3:
                return UNKNOWN
            found: list[Value] = [
                along(Position(axis, "grid"))
                if name == "grid"
                else Number((LaunchSize("block", axis), LaunchSize("thread", axis)))
                for axis in range(axes)
            ]
            return found[0] if axes == 1 else Items(tuple(found))
        if name in ("shared.array", "local.array", "const.array_like"):
            place = self.function.text.name, node.lineno, node.col_offset
            return LocalArray(place, constant=name == "const.array_like")
        if name.startswith("random.xoroshiro"):
            # From 0 to 1, so that a size that multiplies it bounds the product.
            return Number(real=True, terms=(Term(),))
        if name.startswith("atomic.") and node.args:
            base = self.value(node.args[0])
            return element_of(replace(base, axes=())) if isinstance(base, View) else _ANY
        if name.startswith(("shfl", "select")):
            return either([self.value(one) for one in node.args[1:2]]) if node.args[1:2] else UNKNOWN
        return _ANY


def element_of(view: View) -> Number:
    """An element of an array."""
    term = Term(elements=frozenset({view.array}))
    if view.real:
        return Number(floats=frozenset({view.array}), real=True, terms=(term,))
    return Number(terms=(term,))


def full_indices(index: ast.expr, axes: int) -> list[ast.expr] | None:
    """The index of each axis, an ellipsis written out; None where axes are added."""
    items = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    dots = [at for at, one in enumerate(items) if isinstance(one, ast.Constant) and one.value is Ellipsis]
    if any(isinstance(one, ast.Constant) and one.value is None for one in items) or len(dots) > 1:
        return None
    if dots:
        whole: list[ast.expr] = [ast.Slice()] * max(0, axes - len(items) + 1)
        items[dots[0] : dots[0] + 1] = whole
    return items


def _computed(operator: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(operator, ast.Add):
        return add(left, right)
    if isinstance(operator, ast.Sub):
        return subtract(left, right)
    if isinstance(operator, ast.Mult):
        return multiply(left, right)
    if isinstance(operator, ast.FloorDiv):
        return divide(left, right)
    if isinstance(operator, ast.Div):
        return replace(divide(left, right) if left.constant is None else UNKNOWN, real=True)
    if isinstance(operator, ast.Mod):
        if left.constant is not None and right.constant:
            return constant(left.constant % right.constant)
        return remainder(right)
    if (
        isinstance(operator, ast.LShift | ast.RShift)
        and right.constant is not None
        and 0 <= right.constant < 32
    ):
        scale = constant(1 << right.constant)
        return multiply(left, scale) if isinstance(operator, ast.LShift) else divide(left, scale)
    if isinstance(operator, ast.BitAnd) and (mask := right if right.uniform else left).uniform:
        return remainder(moved(mask, 1)) if (mask.constant or 0) >= 0 else left
    if isinstance(operator, ast.BitOr | ast.BitXor):
        # What all threads combine their number with bounds nothing: in `i ^ j` partners lie on either side.
        found = either([one for one in (left, right) if not one.uniform] or [UNKNOWN])
        return found if isinstance(found, Number) else UNKNOWN
    return replace(UNKNOWN, real=left.real or right.real, floats=left.floats | right.floats)


def _length(value: Value) -> Value:
    if isinstance(value, View):
        return size_number(Extent(value.array, value.axes[0])) if value.axes else UNKNOWN
    return constant(len(value.items)) if isinstance(value, Items) else UNKNOWN


def _part_of_target(target: ast.expr, name: str, value: Value) -> Value:
    """What a part of a loop's target is given."""
    if isinstance(target, ast.Name):
        return value
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, Items):
        for inner, part in zip(target.elts, value.items, strict=False):
            if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(inner)):
                return _part_of_target(inner, name, part)
    return _ANY


def _place(definition: Definition) -> tuple[int, int]:
    return getattr(definition, "lineno", 0), getattr(definition, "col_offset", 0)

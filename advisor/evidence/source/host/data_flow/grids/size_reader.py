"""Reads the sizes that host code computes grids, blocks and arrays from."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeAlias

from advisor.evidence.source.host.data_flow.grid_extents import HostFrame
from advisor.evidence.source.host.data_flow.grids.array_makers import ArrayMakers
from advisor.evidence.source.host.data_flow.grids.sizes import (
    Computed,
    HostArray,
    Known,
    Leaf,
    Size,
    computed,
    folded,
    part_of,
)
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Number
from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.names.object_attributes import stored_before, values_of_attribute
from advisor.program.names.scope_bindings import bound_at, scope_bindings, values_at
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.syntax.calls import called_name, last_name
from advisor.program.syntax.literals import signed_integer
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope
from advisor.program.values.constants import Constants

Read: TypeAlias = "Known | Leaf | Size | HostArray | tuple[Read | None, ...] | None"
_DEPTH = 12
_ROUNDINGS: dict[str, Callable[..., int | float]] = {
    "int": int, "floor": math.floor, "ceil": math.ceil, "round": round, "trunc": math.trunc,
    "int32": int, "int64": int, "uint32": int, "float": float, "float64": float, "abs": abs,
}  # fmt: skip
_CEILINGS = frozenset({"cdiv", "ceildiv", "ceil_div", "div_up", "divup", "div_ceil"})


class SizeReader:
    """What expressions of host code say of sizes; `axes` are the numbers of axes of arrays, by their keys."""

    def __init__(self, values: HostValues, axes: Mapping[Hashable, int] | None = None) -> None:
        self._values, self._workspace, self._axes = values, values.workspace, dict(axes or {})
        self._functions = CalledFunctions(values.workspace)
        self._names: dict[tuple[ast.Name, int], tuple[HostFrame, Read]] = {}
        self._makers = ArrayMakers(self)

    def size(self, node: ast.expr, frame: HostFrame) -> Size | None:
        """The size that an expression stands for, None for what is none or not known."""
        found = self.read(node, frame)
        return found if not isinstance(found, HostArray | tuple) else None

    def configuration(self, node: ast.expr, frame: HostFrame) -> list[list[Size | None]]:
        """The sizes of the sides of a launch's grid and block; nothing where they are not shown."""
        found = self.read(node, frame)
        return [_sides(one) for one in found[:2]] if isinstance(found, tuple) and len(found) > 1 else []

    def array(self, node: ast.expr, frame: HostFrame) -> HostArray | None:
        """The array that an expression stands for, None for what is none."""
        return self.as_array(self.read(node, frame))

    def as_array(self, found: Read) -> HostArray | None:
        """What was read as an array, where it may be one."""
        if isinstance(found, HostArray):
            return self._with_axes(found)
        if isinstance(found, Leaf) and found.array is None:
            return self._with_axes(HostArray(("array", found.key), found.written, given=found.given))
        if isinstance(found, tuple):
            return HostArray(("items", found), "", (Known(len(found)),))
        return None

    def _with_axes(self, found: HostArray) -> HostArray:
        axes = self._axes.get(found.key)
        if found.shape is not None or axes is None:
            return found
        return HostArray(found.key, found.written, None, axes, found.of, found.given)

    def read(self, node: ast.expr, frame: HostFrame, depth: int = _DEPTH) -> Read:
        """What an expression stands for."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
            known = self._fixed(node, frame)
            if known is not None:
                return known
        found = self._shown(node, frame, depth)
        return self._computed_number(node, frame) if found is None else found

    def _computed_number(self, node: ast.expr, frame: HostFrame) -> Known | None:
        """The number that an expression of no sizes that could be put in is, by the values that it has."""
        if frame.outer is not None or frame.given:
            return None
        function = frame.module.function_around(node)
        value = self._values.of(node, self._values.frame(frame.module, function))
        number = value.value if isinstance(value, Number) else None
        return None if number is None else Known(number)

    def _shown(self, node: ast.expr, frame: HostFrame, depth: int) -> Read:
        """The size, array or items that an expression shows."""
        match node:
            case ast.Name():
                known_name = self._names.get((node, id(frame)))
                if known_name is None:
                    known_name = self._names[node, id(frame)] = frame, self._name(node, frame, depth - 1)
                return known_name[1]
            case ast.Attribute():
                return self._attribute(node, frame, depth - 1)
            case ast.Tuple() | ast.List():
                return self._items(node, frame, depth - 1)
            case ast.Subscript():
                return self._subscript(node, frame, depth - 1)
            case ast.BinOp():
                return self._operation(node, frame, depth - 1)
            case ast.UnaryOp(op=ast.USub()):
                size = self._number(node.operand, frame, depth - 1)
                return None if size is None else folded(operator.neg, size)
            case ast.Call():
                return self._call(node, frame, depth - 1)
            case ast.IfExp():
                first, other = (self.read(one, frame, depth - 1) for one in (node.body, node.orelse))
                return first if first == other else None
        return None

    def _fixed(self, node: ast.expr, frame: HostFrame) -> Read:
        """What the source fixes, numbers and tuples of them."""
        if isinstance(node, ast.Name) and node.id in frame.given:
            return None
        value = Constants(self._workspace, frame.module, frame.module.function_around(node)).value(node)
        return _literal(value)

    def _number(self, node: ast.expr, frame: HostFrame, depth: int) -> Size | None:
        found = self.read(node, frame, depth)
        return None if isinstance(found, HostArray | tuple) else found

    def _name(self, node: ast.Name, frame: HostFrame, depth: int) -> Read:
        values = values_at(frame.module, node)
        if len(values) == 1 and values[0] is not None:
            found = self.read(values[0], frame, depth)
            if found is not None or frame.outer is not None:
                return found
        if frame.outer is not None:
            given = frame.given.get(node.id)
            return None if given is None or values != [None] else self.read(given, frame.outer, depth)
        bound = bound_at(frame.module, node)
        scope = frame.module.scope_of(node)
        key = (node.id, *(scope if one is None else one.node for one in bound))
        return Leaf(key, node.id, given=bound == [None] and scope is not None)

    def _attribute(self, node: ast.Attribute, frame: HostFrame, depth: int) -> Read:
        if node.attr in ("shape", "size", "T"):
            array = self.as_array(self.read(node.value, frame, depth))
            if array is not None:
                return self._of_array(array, node.attr)
        if not isinstance(node.value, ast.Name):
            return None
        owner = frame.module.class_around(node) if node.value.id == "self" else None
        if owner is None and frame.outer is not None:
            return None
        if owner is None:
            base = self._name(node.value, frame, depth)
            return Leaf((base.key, node.attr), ast.unparse(node)) if isinstance(base, Leaf) else None
        stored = stored_before(frame.module, node)
        if stored is not None and (last := self.read(stored, frame, depth)) is not None:
            return last
        values = [one for _, one in values_of_attribute(frame.module, owner, node.attr)]
        values += _of_property(frame.module, owner, node.attr)
        of_class = scope_bindings(frame.module, owner).names.get(node.attr, [])
        values += [one.value for one in of_class if one.value is not None and one.part is None]
        home = HostFrame(frame.module, {})
        found = self.read(values[0], home, depth) if len(values) == 1 else None
        return Leaf((owner, node.attr), ast.unparse(node)) if found is None else found

    def _of_array(self, array: HostArray, attribute: str) -> Read:
        if attribute == "size":
            return array.elements
        axes = array.axes if array.shape is None else len(array.shape)
        shape = None if axes is None else tuple(array.extent(axis) for axis in range(axes))
        if attribute == "T":
            return None if shape is None else HostArray((array.key, "T"), f"{array.written}.T", shape[::-1])
        if shape is not None:
            return shape
        return Leaf((array.key, "shape"), f"{array.written}.shape", array)

    def _items(self, node: ast.Tuple | ast.List, frame: HostFrame, depth: int) -> Read:
        if any(isinstance(one, ast.Starred) for one in node.elts):
            return None
        return tuple(self.read(one, frame, depth) for one in node.elts)

    def _subscript(self, node: ast.Subscript, frame: HostFrame, depth: int) -> Read:
        base = self.read(node.value, frame, depth)
        place = signed_integer(node.slice)
        if place is None:
            stop = node.slice.upper if isinstance(node.slice, ast.Slice) else None
            leading = isinstance(node.slice, ast.Slice) and node.slice.lower is None is node.slice.step
            count = signed_integer(stop) if leading and stop is not None else None
            return base[:count] if isinstance(base, tuple) and count is not None else None
        if isinstance(base, tuple):
            return base[place] if -len(base) <= place < len(base) else None
        if isinstance(base, Leaf):
            return base.array.extent(place) if isinstance(base.array, HostArray) else part_of(base, place)
        return None

    def _operation(self, node: ast.BinOp, frame: HostFrame, depth: int) -> Read:
        left, right = self.read(node.left, frame, depth), self.read(node.right, frame, depth)
        if isinstance(left, HostArray) or isinstance(right, HostArray):
            return _of_arrays(left, right)
        if isinstance(left, tuple) and isinstance(right, tuple):
            return left + right if isinstance(node.op, ast.Add) else None
        if left is None or right is None or isinstance(left, tuple) or isinstance(right, tuple):
            return None
        return computed(node.op, left, right)

    def _call(self, node: ast.Call, frame: HostFrame, depth: int) -> Read:
        name = called_name(node)
        if name == "len" and len(node.args) == 1:
            array = self.as_array(self.read(node.args[0], frame, depth))
            return None if array is None else array.extent(0)
        if name in _ROUNDINGS and len(node.args) == 1 and not node.keywords:
            size = self._number(node.args[0], frame, depth)
            if size is not None:
                return folded(_ROUNDINGS[name], size)
        if name in ("min", "max") and len(node.args) > 1 and isinstance(node.func, ast.Name):
            sizes = [self._number(one, frame, depth) for one in node.args]
            known = [one for one in sizes if one is not None]
            return folded(min if name == "min" else max, *known) if len(known) == len(sizes) else None
        if name == "divmod" and len(node.args) == 2:
            dividend, divisor = (self._number(one, frame, depth) for one in node.args)
            if dividend is None or divisor is None:
                return None
            return computed(ast.FloorDiv(), dividend, divisor), computed(ast.Mod(), dividend, divisor)
        if name == "astype" and isinstance(node.func, ast.Attribute):
            number = self._number(node.func.value, frame, depth)
            if isinstance(number, Known | Computed):
                return number
        if name == "tuple" and len(node.args) == 1:
            return self._each(node.args[0], frame, depth)
        made = self._makers.made(node, frame, depth)
        if made is not None:
            return made
        returned = [self.read(one, at, depth) for one, at in self._returned(node, frame)]
        if returned:
            return returned[0] if all(one == returned[0] for one in returned) else None
        if name in _CEILINGS and len(node.args) == 2:
            whole, part = (self._number(one, frame, depth) for one in node.args)
            return None if whole is None or part is None else folded(_ceiling, whole, part)
        return None

    def _each(self, node: ast.expr, frame: HostFrame, depth: int) -> Read:
        """What `tuple(size // side for size, side in zip(shape, block))` gives, and the tuple of a tuple."""
        if not isinstance(node, ast.GeneratorExp | ast.ListComp):
            found = self.read(node, frame, depth)
            return found if isinstance(found, tuple) else None
        generator = node.generators[0]
        if len(node.generators) > 1 or generator.ifs:
            return None
        zipped = called_name(generator.iter) == "zip" and isinstance(generator.iter, ast.Call)
        asked = generator.iter.args if zipped and isinstance(generator.iter, ast.Call) else [generator.iter]
        target = generator.target
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(names) != len(asked):
            return None
        rows = [self.read(one, frame, depth) for one in asked]
        length = min((len(one) for one in rows if isinstance(one, tuple)), default=0)
        items: list[Read] = []
        for place in range(length):
            counted = dict(zip(map(ast.unparse, names), rows, strict=True))
            items.append(self._counted(node.elt, counted, place, frame, depth))
        return tuple(items) if items else None

    def _counted(
        self, node: ast.expr, counted: Mapping[str, Read], place: int, frame: HostFrame, depth: int
    ) -> Read:
        """The item of a generator whose names stand for the items at a place of what they run over."""
        inner = _Counted(self._values, self._axes, {n: _item(one, place) for n, one in counted.items()})
        return inner.read(node, frame, depth)

    def _returned(self, call: ast.Call, frame: HostFrame) -> Iterator[tuple[ast.expr, HostFrame]]:
        """What the one function that a call runs returns, with its frame."""
        found = _method(call, frame.module) or self._functions.of(
            call.func, frame.module, frame.module.function_around(call)
        )
        if found is None or len(found) != 1 or any(isinstance(one, ast.Starred) for one in call.args):
            return
        module, function = found[0]
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return
        names = [one.arg for one in function.args.args if one.arg != "self"]
        named = {one.arg: one.value for one in call.keywords if one.arg}
        given = {**parameter_defaults(function), **dict(zip(names, call.args, strict=False)), **named}
        inner = HostFrame(module, given, frame)
        for one in below_in_scope(function):
            if isinstance(one, ast.Return) and one.value is not None:
                yield one.value, inner


class _Counted(SizeReader):
    """Reads an expression in which some names stand for items that a generator counts through."""

    def __init__(self, values: HostValues, axes: Mapping[Hashable, int], counted: Mapping[str, Read]) -> None:
        super().__init__(values, axes)
        self._counted_names = counted

    def read(self, node: ast.expr, frame: HostFrame, depth: int = _DEPTH) -> Read:
        """What an expression stands for."""
        if isinstance(node, ast.Name) and node.id in self._counted_names:
            return self._counted_names[node.id]
        return super().read(node, frame, depth)


def _of_property(module: ModuleSyntax, owner: ast.ClassDef, name: str) -> list[ast.expr]:
    """What a property of a class returns."""
    bound = scope_bindings(module, owner).names.get(name, [])
    properties = [one.definition for one in bound if isinstance(one.definition, ast.FunctionDef)]
    return [
        one.value
        for function in properties
        if any(last_name(decorator).endswith("property") for decorator in function.decorator_list)
        for one in below_in_scope(function)
        if isinstance(one, ast.Return) and one.value is not None
    ]


def _method(call: ast.Call, module: ModuleSyntax) -> list[tuple[ModuleSyntax, FunctionNode]] | None:
    """The method of the class around a call `self.name(…)`, None for any other call."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return None
    owner = module.class_around(call) if function.value.id == "self" else None
    if owner is None:
        return None
    bound = scope_bindings(module, owner).names.get(function.attr, [])
    found = [one.definition for one in bound if isinstance(one.definition, ast.FunctionDef)]
    return [(module, found[0])] if len(found) == len(bound) == 1 else None


def _item(found: Read, place: int) -> Read:
    if isinstance(found, tuple):
        return found[place]
    if isinstance(found, Leaf):
        return found.array.extent(place) if isinstance(found.array, HostArray) else part_of(found, place)
    return None


def _of_arrays(left: Read, right: Read) -> Read:
    """What an operation on arrays element by element gives: an array of the same sizes."""
    arrays = [one for one in (left, right) if isinstance(one, HostArray)]
    if len(arrays) == 1:
        other = right if arrays[0] is left else left
        return arrays[0] if isinstance(other, Known) else None
    return arrays[0] if arrays[0].shape == arrays[1].shape and arrays[0].key == arrays[1].key else None


def _ceiling(size: int | float, part: int | float) -> int | float:
    return math.ceil(size / part)


def _sides(found: Read) -> list[Size | None]:
    """The sides of a grid or a block; nothing where their number is not known."""
    if isinstance(found, tuple):
        return [None if isinstance(one, HostArray | tuple) else one for one in found]
    return [] if found is None or isinstance(found, HostArray) else [found]


def _literal(value: object) -> Read:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Known(value)
    if isinstance(value, tuple):
        items = tuple(map(_literal, value))
        return None if None in items else items
    return None

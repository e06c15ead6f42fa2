"""Why the float values of a unit have the width that they have, followed through Numba's typed statements.

A float64 value either comes of float64 data, or of causes: a literal, a division of integers, an integer
beside float32. What memory a value was read from, and into which it goes, tells what the program's data is.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, Literal, NamedTuple

from advisor.evidence.compiled.float64.typed_functions import (
    FunctionKey,
    TypedFunction,
    TypedFunctions,
    function_key,
)

Width = Literal["wide", "narrow", "whole", "memory", "several", ""]

# Stands for memory and conversions of the unit's own; others are the numbers of the kernel's parameters.
DECLARED = -1
_DIVISIONS = (operator.truediv, operator.itruediv)
_OPERATIONS = frozenset({"binop", "inplace_binop", "unary"})
_PARTS = frozenset({"exhaust_iter", "iternext", "pair_first", "pair_second", "getiter"})
_ROUNDS = 64
_SHORT_BITS = 16


class Cause(NamedTuple):
    """What makes a value float64: its kind, the function and line where it stands, and how it is written."""

    kind: str
    function: int
    line: int
    text: str = ""


@dataclass(frozen=True)
class Origin:
    """The causes of a float64 value, and what float32 (`narrow`) and float64 data (`wide`) it comes of.

    `memory` says in which parameter, or in which declared array, what an array or record stands for lies.
    Of data that a value goes into, `rounded` says that it becomes a whole number on the way.
    """

    causes: frozenset[Cause] = frozenset()
    narrow: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    memory: frozenset[int] = frozenset()
    rounded: bool = False

    def __or__(self, other: Origin) -> Origin:
        if self is other or other == NOTHING:
            return self
        return Origin(
            self.causes | other.causes,
            self.narrow | other.narrow,
            self.wide | other.wide,
            self.memory | other.memory,
            self.rounded or other.rounded,
        )

    @property
    def is_explained(self) -> bool:
        """Whether it says why a value is float64."""
        return bool(self.causes or self.wide)

    def as_width(self, width: Width) -> Origin:
        """What of it a value of that width can have."""
        if width == "wide":
            return Origin(self.causes, self.narrow, self.wide)
        if width == "narrow":
            return Origin(narrow=self.narrow)
        if width == "memory":
            return Origin(memory=self.memory)
        return self if width == "several" else NOTHING

    def read_as(self, width: Width) -> Origin:
        """An element of that width of the memory."""
        if width == "wide":
            return Origin(wide=self.memory)
        if width == "narrow":
            return Origin(narrow=self.memory)
        return Origin(memory=self.memory)


NOTHING = Origin()
_DECLARED = frozenset({DECLARED})


def joined(origins: Iterable[Origin]) -> Origin:
    """All that several origins have."""
    return reduce(Origin.__or__, origins, NOTHING)


@cache
def width_of(kind: Any) -> Width:
    """How wide the values of a Numba type are: `memory` of what holds values, `several` of tuples."""
    from numba import types

    if isinstance(kind, types.Float | types.Complex):
        return "wide" if kind in (types.float64, types.complex128) else "narrow"
    if isinstance(kind, types.Integer | types.Boolean):
        return "whole"
    if isinstance(kind, types.Array | types.Record):
        return "memory"
    iterated = isinstance(kind, types.IteratorType | types.Pair | types.BaseTuple)
    return "several" if iterated else ""


def element_width(kind: Any) -> Width:
    """How wide the elements of an array type are."""
    return width_of(kind.dtype) if width_of(kind) == "memory" and hasattr(kind, "dtype") else ""


def is_truth(kind: Any) -> bool:
    """Whether a Numba type is that of truth values."""
    from numba import types

    return isinstance(kind, types.Boolean)


def is_short(kind: Any) -> bool:
    """Whether a Numba type is of whole numbers that float32 holds exactly, those of at most 16 bits."""
    from numba import types

    return isinstance(kind, types.Integer) and kind.bitwidth <= _SHORT_BITS


class ValueOrigins:
    """The origins of all variables of a unit's functions, joined over the places that call them."""

    def __init__(self, functions: TypedFunctions, kernel: FunctionKey) -> None:
        self.functions = functions
        self.kernel = kernel
        self._values: dict[tuple[FunctionKey, str], Origin] = {}
        self._arguments: dict[tuple[FunctionKey, int], Origin] = {}
        self._returned: dict[FunctionKey, Origin] = {}
        self._changed = False
        self._lines = {
            (key, one.target.name): one.loc.line
            for key, function in functions.items()
            for one in _assignments(function)
        }
        for number, kind in enumerate(kernel[1]):
            self._arguments[kernel, number] = self._parameter(number, kind)
        self._settle()
        self._explain_counters()
        self._settle()

    def _settle(self) -> None:
        for _ in range(_ROUNDS):
            self._changed = False
            for function in self.functions.values():
                self._pass_through(function)
            if not self._changed:
                break

    def _explain_counters(self) -> None:
        """Note the whole numbers that alone make a variable float64, as one that a loop adds to a float32."""
        for function in self.functions.values():
            for one in _assignments(function):
                value, place = one.value, (function.key, one.target.name)
                if (
                    getattr(value, "op", "") not in _OPERATIONS
                    or self.of(function, one.target.name).is_explained
                ):
                    continue
                kinds = function.types
                whole = [read for read in operands(value) if width_of(kinds.get(read.name)) == "whole"]
                if whole and width_of(kinds.get(one.target.name)) == "wide":
                    cause = self._cause("integer", function, one.loc, self._written(function, whole))
                    self._add(self._values, place, Origin(causes=frozenset({cause})))

    def of(self, function: TypedFunction, name: str) -> Origin:
        """The origin of a variable."""
        return self._values.get((function.key, name), NOTHING)

    def called(self, function: TypedFunction, expression: Any) -> FunctionKey | None:
        """The function of the unit that an expression calls, None for any other."""
        dispatcher = getattr(function.types.get(expression.func.name), "dispatcher", None)
        signature = function.signatures.get(expression)
        if dispatcher is None or signature is None:
            return None
        key = function_key(dispatcher.py_func, signature.args)
        return key if key in self.functions else None

    def own_cause(self, function: TypedFunction, expression: Any, width: Width, loc: Any) -> Cause | None:
        """What makes the float64 result of an operation on values of which none is float64."""
        if width != "wide":
            return None
        read = operands(expression)
        widths = [width_of(function.types.get(one.name)) for one in read]
        if "wide" in widths or "memory" in widths or "several" in widths or not widths:
            return None
        if "narrow" in widths:
            whole = [one for one, kind in zip(read, widths, strict=True) if kind == "whole"]
            return self._cause("integer", function, loc, self._written(function, whole))
        # A call has no such operator, and Numba raises KeyError for what an expression has not.
        divides = expression.op != "call" and expression.fn in _DIVISIONS
        return self._cause("division" if divides else "integers", function, loc)

    def _cause(self, kind: str, function: TypedFunction, loc: Any, text: str = "") -> Cause:
        return Cause(kind, function.number, loc.line, text)

    def _written(self, function: TypedFunction, variables: list[Any]) -> str:
        """The first whole number among variables that the code has as a literal, empty without one."""
        values = (getattr(function.types.get(one.name), "literal_value", None) for one in variables)
        return next((str(value) for value in values if value is not None), "")

    def _parameter(self, number: int, kind: Any) -> Origin:
        cause = Origin(causes=frozenset({Cause("argument", 0, number)}))
        place = frozenset({number})
        if width_of(kind) != "several":
            known = {"wide": cause, "narrow": Origin(narrow=place), "memory": Origin(memory=place)}
            return known.get(width_of(kind), NOTHING)
        items = {width_of(one) for one in getattr(kind, "types", ())}
        return (cause if "wide" in items else NOTHING) | Origin(
            narrow=place if "narrow" in items else frozenset(),
            memory=place if "memory" in items else frozenset(),
        )

    def _pass_through(self, function: TypedFunction) -> None:
        """Take up what the statements of a function add to what is known."""
        for one in _assignments(function):
            width = width_of(function.types.get(one.target.name))
            if width in ("whole", "") and getattr(one.value, "op", "") != "call":
                continue
            found = self._value(function, one.value, width, one.loc).as_width(width)
            self._add(self._values, (function.key, one.target.name), found)
        for name in returned(function):
            self._add(self._returned, function.key, self.of(function, name))

    def _add(self, known: dict[Any, Origin], place: Any, found: Origin) -> None:
        before = known.get(place, NOTHING)
        known[place] = before | found
        self._changed = self._changed or known[place] != before

    def _value(self, function: TypedFunction, value: Any, width: Width, loc: Any) -> Origin:
        kind = type(value).__name__
        if kind in ("Const", "Global", "FreeVar"):
            return self._constant(function, value, width, loc)
        if kind == "Arg":
            return self._arguments.get((function.key, value.index), NOTHING)
        if kind == "Var":
            return self._converted(function, value, width)
        if kind != "Expr":
            return NOTHING
        if value.op in ("cast", *_PARTS):
            return self._converted(function, value.value, width)
        if value.op == "phi":
            return joined(self._converted(function, one, width) for one in value.incoming_values)
        if value.op == "build_tuple":
            return joined(self.of(function, one.name) for one in value.items)
        if value.op in ("getattr", "getitem", "static_getitem", "typed_getitem"):
            return self._part(function, value, width, loc)
        if value.op == "call":
            return self._called(function, value, width, loc)
        return self._computed(function, value, width, loc) if value.op in _OPERATIONS else NOTHING

    def _constant(self, function: TypedFunction, value: Any, width: Width, loc: Any) -> Origin:
        """A literal, or a value of the module: NumPy's own types are asked for by name."""
        if width == "memory":
            return Origin(memory=_DECLARED)
        if width == "narrow":
            return Origin(narrow=_DECLARED)
        if type(value.value).__module__ == "numpy":
            return Origin(wide=_DECLARED)
        name = getattr(value, "name", None)
        text = name if isinstance(name, str) else repr(value.value)
        return Origin(causes=frozenset({self._cause("literal", function, loc, text)}))

    def _converted(self, function: TypedFunction, variable: Any, width: Width) -> Origin:
        """A variable that is taken over; whole numbers that a float64 variable begins with are a cause."""
        if width == "wide" and width_of(function.types.get(variable.name)) == "whole":
            line = self._lines.get((function.key, variable.name), variable.loc.line)
            text = self._written(function, [variable])
            return Origin(causes=frozenset({Cause("start", function.number, line, text)}))
        return self.of(function, variable.name)

    def _part(self, function: TypedFunction, value: Any, width: Width, loc: Any) -> Origin:
        """An element, a field, or an attribute of a module."""
        whole = function.types.get(value.value.name)
        if width_of(whole) == "memory":
            return self.of(function, value.value.name).read_as(width)
        if width_of(whole) == "":
            known = getattr(value, "attr", "")
            causes = frozenset({self._cause("literal", function, loc, known)}) if known else frozenset()
            return Origin(causes=causes)
        return self.of(function, value.value.name)

    def _called(self, function: TypedFunction, value: Any, width: Width, loc: Any) -> Origin:
        key = self.called(function, value)
        if key is not None:
            for number, argument in enumerate(value.args):
                passed = self._passed(function, argument, key[1][number])
                self._add(self._arguments, (key, number), passed)
            return self._returned.get(key, NOTHING)
        if is_number_class(function, value):
            read = joined(self.of(function, one.name) for one in value.args)
            return Origin(wide=_DECLARED) if width == "wide" else Origin(narrow=read.narrow | _DECLARED)
        kinds = [width_of(function.types.get(one.name)) for one in value.args]
        if width == "memory":
            read = joined(self.of(function, one.name) for one in value.args)
            return Origin(memory=read.memory or _DECLARED)
        if "memory" in kinds:
            read = joined(self.of(function, one.name) for one in value.args)
            return read.read_as(width) if read.memory else Origin(wide=_DECLARED)
        if not kinds or all(kind == "" for kind in kinds):
            return Origin(wide=_DECLARED) if width == "wide" else Origin(narrow=_DECLARED)
        return self._computed(function, value, width, loc)

    def _passed(self, function: TypedFunction, argument: Any, kind: Any) -> Origin:
        return self._converted(function, argument, width_of(kind)).as_width(width_of(kind))

    def _computed(self, function: TypedFunction, value: Any, width: Width, loc: Any) -> Origin:
        read = joined(self.of(function, one.name) for one in operands(value))
        cause = self.own_cause(function, value, width, loc)
        own = Origin(causes=frozenset({cause})) if cause is not None else NOTHING
        return Origin(read.causes, read.narrow, read.wide) | own


def operands(expression: Any) -> list[Any]:
    """The variables that an operation, or a call, computes with."""
    if expression.op == "call":
        return [*expression.args, *(one for _, one in expression.kws)]
    if expression.op == "unary":
        return [expression.value]
    return [expression.lhs, expression.rhs] if expression.op in _OPERATIONS else []


def is_number_class(function: TypedFunction, call: Any) -> bool:
    """Whether a call converts to a type that it names, as `np.float32(x)` does."""
    return type(function.types.get(call.func.name)).__name__ == "NumberClass"


def returned(function: TypedFunction) -> Iterator[str]:
    """The variables that a function returns."""
    return (one.value.name for one in function.statements if type(one).__name__ == "Return")


def _assignments(function: TypedFunction) -> Iterator[Any]:
    return (one for one in function.statements if type(one).__name__ == "Assign")

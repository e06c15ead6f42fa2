"""Operations that Numba types as float64 although no float64 data takes part: what promotes them, and which
float32 data they compute with or for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.evidence.compiled.float64.typed_functions import FunctionKey, TypedFunction
from advisor.evidence.compiled.float64.value_origins import (
    DECLARED,
    NOTHING,
    Origin,
    ValueOrigins,
    Width,
    element_width,
    is_number_class,
    is_short,
    is_truth,
    joined,
    operands,
    returned,
    width_of,
)

Json = dict[str, Any]

_COMPUTING = frozenset({"binop", "inplace_binop", "unary", "call"})
_STORES = frozenset({"SetItem", "StaticSetItem"})
_TAKEN_OVER = frozenset(
    {"cast", "exhaust_iter", "iternext", "pair_first", "getiter", "static_getitem", "getattr"}
)
_ROUNDS = 64
# The widths of what is followed to where it goes: also whole numbers that floats become.
_FLOWING = ("wide", "several", "whole")
_ROUNDED = Origin(rounded=True)


def promotions(origins: ValueOrigins) -> list[Json]:
    """The promoted operations of a kernel and the device functions that it calls, those of a line together.

    Each has `function`, `line`, `operations`, its `causes` (kind, function, line, text) and in `narrow` the
    numbers of the kernel's parameters that are its float32 data, -1 for what the kernel itself declares;
    `read` are those of them whose values the operations compute with. `rounded` says that all that comes of
    them is whole numbers.
    """
    results = _Destinations(origins)
    found: dict[tuple[int, int], Json] = {}
    for function in origins.functions.values():
        for assignment, flows, around, rounded in _computed(origins, results, function):
            if around.causes and around.narrow and not around.wide:
                _note(found, function, assignment.loc.line, flows, around, rounded)
    return [found[place] for place in sorted(found)]


def _note(
    found: dict[tuple[int, int], Json],
    function: TypedFunction,
    line: int,
    flows: Origin,
    around: Origin,
    rounded: bool,
) -> None:
    place = function.number, line
    new: Json = {
        "function": place[0],
        "line": line,
        "operations": 0,
        "causes": [],
        "narrow": [],
        "read": [],
        "rounded": True,
    }
    known = found.setdefault(place, new)
    known["rounded"] = known["rounded"] and rounded
    known["operations"] += 1
    known["causes"] = sorted({tuple(one) for one in known["causes"]} | {tuple(one) for one in around.causes})
    known["narrow"] = sorted({*known["narrow"], *around.narrow})
    known["read"] = sorted({*known["read"], *flows.narrow})


def _computed(
    origins: ValueOrigins, results: _Destinations, function: TypedFunction
) -> Iterator[tuple[Any, Origin, Origin, bool]]:
    """The operations in float64, each with what flows into it, with that and where its result goes, and
    whether that is whole numbers alone.
    """
    for one in function.statements:
        if type(one).__name__ != "Assign" or getattr(one.value, "op", "") not in _COMPUTING:
            continue
        if one.value.op == "call" and (
            origins.called(function, one.value) is not None or is_number_class(function, one.value)
        ):
            continue
        read = operands(one.value)
        kinds = {width_of(function.types.get(variable.name)) for variable in read}
        width = width_of(function.types.get(one.target.name))
        if "memory" in kinds or "wide" not in (*kinds, width):
            continue
        cause = origins.own_cause(function, one.value, width, one.loc)
        own = Origin(causes=frozenset({cause})) if cause is not None else NOTHING
        flows = joined(origins.of(function, variable.name) for variable in read)
        # What is only compared has its use elsewhere.
        used = read if width == "whole" else [one.target]
        goes = joined(results.of(function, variable.name) for variable in used)
        if _is_rounding(function, one):
            goes |= _ROUNDED
        yield one, flows, flows | own | goes, goes.rounded and not goes.narrow


def _is_rounding(function: TypedFunction, assignment: Any) -> bool:
    """Whether a call makes a whole number of floats, as `int` and `round` do."""
    kind = function.types.get(assignment.target.name)
    if getattr(assignment.value, "op", "") != "call" or width_of(kind) != "whole" or is_truth(kind):
        return False
    return "wide" in {width_of(function.types.get(one.name)) for one in operands(assignment.value)}


class _Destinations:
    """Into what data the values of variables go: `narrow` and `wide` memory, and conversions by name.

    Whole numbers of at most 16 bits count as narrow data, since float32 holds them exactly. What is compared
    decides what is stored: where all that is stored is narrow, it goes there.
    """

    def __init__(self, origins: ValueOrigins) -> None:
        self._origins = origins
        self._values: dict[tuple[FunctionKey, str], Origin] = {}
        self._returned: dict[FunctionKey, Origin] = {}
        self._changed = False
        self._decided = self._all_stored()
        for _ in range(_ROUNDS):
            self._changed = False
            for function in origins.functions.values():
                self._pass_through(function)
            if not self._changed:
                break

    def of(self, function: TypedFunction, name: str) -> Origin:
        """The data that a variable's value goes into."""
        return self._values.get((function.key, name), NOTHING)

    def _pass_through(self, function: TypedFunction) -> None:
        for one in function.statements:
            kind = type(one).__name__
            if kind in _STORES:
                taken_as: Width = "whole" if is_short(_element(function, one.target)) else "wide"
                self._add(function, [one.value], self._stored(function, one.target), taken_as)
            elif kind == "Assign":
                self._assigned(function, one)
        for name in returned(function):
            self._note(function, name, self._returned.get(function.key, NOTHING))

    def _all_stored(self) -> Origin:
        """All memory that is stored to where all of it is narrow."""
        found = NOTHING
        for function in self._origins.functions.values():
            for array in self._changed_arrays(function):
                memory = self._stored(function, array)
                if memory.wide or not memory.narrow:
                    return NOTHING
                found |= memory
        return found

    def _changed_arrays(self, function: TypedFunction) -> Iterator[Any]:
        """The arrays into which a function stores, by itself or by a call that is not of the unit."""
        for one in function.statements:
            if type(one).__name__ in _STORES:
                yield one.target
                continue
            called = type(one).__name__ == "Assign" and getattr(one.value, "op", "") == "call"
            if called and self._origins.called(function, one.value) is None:
                yield from _arrays(function, one.value)[:1]

    def _assigned(self, function: TypedFunction, assignment: Any) -> None:
        value, name = assignment.value, assignment.target.name
        target, kind = self.of(function, name), width_of(function.types.get(name))
        if _is_rounding(function, assignment):
            target |= _ROUNDED
        op = getattr(value, "op", "")
        if type(value).__name__ == "Var":
            self._add(function, [value], target, kind)
        elif op in _TAKEN_OVER:
            self._add(function, [value.value], target, kind)
        elif op == "phi":
            self._add(function, value.incoming_values, target, kind)
        elif op == "build_tuple":
            self._add(function, value.items, target, kind)
        elif op == "call":
            self._called(function, value, name, target)
        elif op in _COMPUTING:
            compared = is_truth(function.types.get(name))
            goes = self._decided if compared else target
            self._add(function, operands(value), goes | self._beside(function, value), kind)

    def _beside(self, function: TypedFunction, operation: Any) -> Origin:
        """The float64 data that an operation takes: what it is computed with goes into float64 anyway."""
        flows = joined(self._origins.of(function, one.name) for one in operands(operation))
        return Origin(wide=flows.wide)

    def _called(self, function: TypedFunction, call: Any, name: str, target: Origin) -> None:
        key = self._origins.called(function, call)
        if key is not None:
            self._called_function(function, call, self._origins.functions[key], target)
            return
        if is_number_class(function, call):
            declared = frozenset({DECLARED})
            width = width_of(function.types.get(name))
            known = {"narrow": Origin(narrow=declared), "wide": Origin(wide=declared)}
            target = known.get(width, target)
        arrays = _arrays(function, call)
        if not arrays:
            self._add(function, call.args, target)
            return
        # The other arguments of an atomic update are indices.
        floats = [one for one in call.args if width_of(function.types.get(one.name)) == "wide"]
        self._add(function, floats, self._stored(function, arrays[0]))

    def _called_function(
        self, function: TypedFunction, call: Any, callee: TypedFunction, target: Origin
    ) -> None:
        before = self._returned.get(callee.key, NOTHING)
        self._returned[callee.key] = before | target
        self._changed = self._changed or self._returned[callee.key] != before
        passed = dict(_parameters(callee))
        for number, argument in enumerate(call.args):
            kind = width_of(callee.types.get(passed.get(number, "")))
            self._add(function, [argument], self.of(callee, passed.get(number, "")), kind)

    def _stored(self, function: TypedFunction, array: Any) -> Origin:
        memory = self._origins.of(function, array.name).memory
        kind = function.types.get(array.name)
        if is_short(_element(function, array)):
            return Origin(narrow=memory)
        known = {"narrow": Origin(narrow=memory), "wide": Origin(wide=memory), "whole": _ROUNDED}
        return known.get(element_width(kind), NOTHING)

    def _add(
        self, function: TypedFunction, variables: Iterable[Any], found: Origin, taken_as: Width = "wide"
    ) -> None:
        """Note where variables go that are taken as values of a width; what becomes of a whole number that is
        made a float again is no use of the float that it was.
        """
        for one in variables:
            if taken_as != "wide" or width_of(function.types.get(one.name)) != "whole":
                self._note(function, one.name, found)

    def _note(self, function: TypedFunction, name: str, found: Origin) -> None:
        if found == NOTHING or width_of(function.types.get(name)) not in _FLOWING:
            return
        place = function.key, name
        before = self._values.get(place, NOTHING)
        self._values[place] = before | found
        self._changed = self._changed or self._values[place] != before


def _element(function: TypedFunction, array: Any) -> Any:
    """The type of an array's elements."""
    return getattr(function.types.get(array.name), "dtype", None)


def _arrays(function: TypedFunction, call: Any) -> list[Any]:
    return [one for one in call.args if width_of(function.types.get(one.name)) == "memory"]


def _parameters(function: TypedFunction) -> Iterator[tuple[int, str]]:
    """The numbers of a function's parameters with the variables that hold them."""
    for one in function.statements:
        if type(one).__name__ == "Assign" and type(one.value).__name__ == "Arg":
            yield one.value.index, one.target.name

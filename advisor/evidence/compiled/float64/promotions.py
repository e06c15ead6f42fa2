"""Operations that Numba types as float64 although no float64 data takes part: what promotes them, and which
float32 data they compute with or for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.evidence.compiled.float64.typed_functions import FunctionKey, TypedFunction, TypedFunctions
from advisor.evidence.compiled.float64.value_origins import (
    DECLARED,
    NOTHING,
    Origin,
    ValueOrigins,
    element_width,
    is_number_class,
    joined,
    operands,
    returned,
    width_of,
)

Json = dict[str, Any]

_COMPUTING = frozenset({"binop", "inplace_binop", "unary", "call"})
_STORES = frozenset({"SetItem", "StaticSetItem"})
_TAKEN_OVER = frozenset({"cast", "exhaust_iter", "iternext", "pair_first", "getiter", "static_getitem"})
_ROUNDS = 64


def promotions(functions: TypedFunctions, kernel: FunctionKey) -> list[Json]:
    """The promoted operations of a kernel and the device functions that it calls, those of a line together.

    Each has `function`, `line`, `operations`, its `causes` (kind, function, line, text) and in `narrow` the
    numbers of the kernel's parameters that are its float32 data, -1 for what the kernel itself declares.
    """
    if kernel not in functions:
        return []
    origins = ValueOrigins(functions, kernel)
    results = _Destinations(origins)
    found: dict[tuple[int, int], Json] = {}
    for function in functions.values():
        for assignment, around in _computed(origins, results, function):
            if around.causes and around.narrow and not around.wide:
                _note(found, function, assignment.loc.line, around)
    return [found[place] for place in sorted(found)]


def _note(found: dict[tuple[int, int], Json], function: TypedFunction, line: int, around: Origin) -> None:
    place = function.number, line
    new: Json = {"function": place[0], "line": line, "operations": 0, "causes": [], "narrow": []}
    known = found.setdefault(place, new)
    known["operations"] += 1
    known["causes"] = sorted({tuple(one) for one in known["causes"]} | {tuple(one) for one in around.causes})
    known["narrow"] = sorted({*known["narrow"], *around.narrow})


def _computed(
    origins: ValueOrigins, results: _Destinations, function: TypedFunction
) -> Iterator[tuple[Any, Origin]]:
    """The operations in float64, each with what flows into it and where its result goes."""
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
        yield one, flows | own | goes


class _Destinations:
    """Into what data the values of variables go: `narrow` and `wide` memory, and conversions by name."""

    def __init__(self, origins: ValueOrigins) -> None:
        self._origins = origins
        self._values: dict[tuple[FunctionKey, str], Origin] = {}
        self._returned: dict[FunctionKey, Origin] = {}
        self._changed = False
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
                self._add(function, [one.value], self._stored(function, one.target))
            elif kind == "Assign":
                self._assigned(function, one.value, one.target.name)
        for name in returned(function):
            self._note(function, name, self._returned.get(function.key, NOTHING))

    def _assigned(self, function: TypedFunction, value: Any, name: str) -> None:
        target = self.of(function, name)
        op = getattr(value, "op", "")
        if type(value).__name__ == "Var":
            self._add(function, [value], target)
        elif op in _TAKEN_OVER:
            self._add(function, [value.value], target)
        elif op == "phi":
            self._add(function, value.incoming_values, target)
        elif op == "build_tuple":
            self._add(function, value.items, target)
        elif op == "call":
            self._called(function, value, name, target)
        elif op in _COMPUTING:
            self._add(function, operands(value), target)

    def _called(self, function: TypedFunction, call: Any, name: str, target: Origin) -> None:
        key = self._origins.called(function, call)
        if key is not None:
            self._called_function(function, call, self._origins.functions[key], target)
            return
        if is_number_class(function, call):
            declared = frozenset({DECLARED})
            width = width_of(function.types.get(name))
            known = {"narrow": Origin(narrow=declared), "wide": Origin(wide=declared)}
            target = known.get(width, NOTHING)
        arrays = [one for one in call.args if width_of(function.types.get(one.name)) == "memory"]
        self._add(function, call.args, self._stored(function, arrays[0]) if arrays else target)

    def _called_function(
        self, function: TypedFunction, call: Any, callee: TypedFunction, target: Origin
    ) -> None:
        before = self._returned.get(callee.key, NOTHING)
        self._returned[callee.key] = before | target
        self._changed = self._changed or self._returned[callee.key] != before
        passed = dict(_parameters(callee))
        for number, argument in enumerate(call.args):
            self._add(function, [argument], self.of(callee, passed.get(number, "")))

    def _stored(self, function: TypedFunction, array: Any) -> Origin:
        memory = self._origins.of(function, array.name).memory
        known = {"narrow": Origin(narrow=memory), "wide": Origin(wide=memory)}
        return known.get(element_width(function.types.get(array.name)), NOTHING)

    def _add(self, function: TypedFunction, variables: Iterable[Any], found: Origin) -> None:
        for one in variables:
            self._note(function, one.name, found)

    def _note(self, function: TypedFunction, name: str, found: Origin) -> None:
        if found == NOTHING or width_of(function.types.get(name)) not in ("wide", "several"):
            return
        place = function.key, name
        before = self._values.get(place, NOTHING)
        self._values[place] = before | found
        self._changed = self._changed or self._values[place] != before


def _parameters(function: TypedFunction) -> Iterator[tuple[int, str]]:
    """The numbers of a function's parameters with the variables that hold them."""
    for one in function.statements:
        if type(one).__name__ == "Assign" and type(one.value).__name__ == "Arg":
            yield one.value.index, one.target.name

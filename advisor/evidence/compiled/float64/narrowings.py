"""Statements that put float64 data into float32 of the kernel's own, where float64 results come of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.evidence.compiled.float64.typed_functions import TypedFunction
from advisor.evidence.compiled.float64.value_origins import (
    DECLARED,
    ValueOrigins,
    element_width,
    is_number_class,
    operands,
    width_of,
)

Json = dict[str, Any]

_COMPUTING = frozenset({"binop", "inplace_binop", "unary", "call"})
_STORES = frozenset({"SetItem", "StaticSetItem"})


def narrowings(origins: ValueOrigins) -> list[Json]:
    """The narrowing statements of a kernel and its device functions, those of a line together.

    Each has `function`, `line`, in `wide` the numbers of the parameters whose float64 data it rounds, in
    `results` those that hold the float64 results, in `into` the array that it stores to, empty where it
    converts by name, and `computed` says that the kernel computes with such values in float32.
    """
    results = frozenset(number for one in _widened(origins) for number in one)
    if not results:
        return []
    computed = any(_computes_narrow(origins, function) for function in origins.functions.values())
    found: dict[tuple[int, int], Json] = {}
    for function in origins.functions.values():
        for line, into, wide in _narrowed(origins, function):
            known = found.setdefault(
                (function.number, line),
                {
                    "function": function.number,
                    "line": line,
                    "into": into,
                    "wide": [],
                    "results": sorted(results),
                    "computed": computed,
                },
            )
            known["wide"] = sorted({*known["wide"], *wide})
    return [found[place] for place in sorted(found)]


def _narrowed(origins: ValueOrigins, function: TypedFunction) -> Iterator[tuple[int, str, frozenset[int]]]:
    """Lines where float64 of parameters becomes float32, the array it is stored in, and the parameters."""
    for one in function.statements:
        if type(one).__name__ in _STORES and _is_own(origins, function, one.target):
            read, into = [one.value], one.target.name.partition(".")[0]
        elif type(one).__name__ == "Assign":
            read, into = _converted(origins, function, one), ""
        else:
            continue
        wide = frozenset(
            number
            for value in read
            if width_of(function.types.get(value.name)) == "wide"
            for number in origins.of(function, value.name).wide
            if number != DECLARED
        )
        if wide:
            yield one.loc.line, "" if into.startswith("$") else into, wide


def _is_own(origins: ValueOrigins, function: TypedFunction, array: Any) -> bool:
    """Whether an array of float32 is the kernel's own, and no parameter may be it."""
    narrow = element_width(function.types.get(array.name)) == "narrow"
    return narrow and origins.of(function, array.name).memory == {DECLARED}


def _converted(origins: ValueOrigins, function: TypedFunction, assignment: Any) -> list[Any]:
    """The arguments that a call takes as float32: a conversion, or a function with a signature."""
    call = assignment.value
    if getattr(call, "op", "") != "call":
        return []
    if is_number_class(function, call):
        narrow = width_of(function.types.get(assignment.target.name)) == "narrow"
        return list(call.args) if narrow else []
    key = origins.called(function, call)
    kinds = key[1] if key is not None else ()
    return [one for one, kind in zip(call.args, kinds, strict=False) if width_of(kind) == "narrow"]


def _widened(origins: ValueOrigins) -> Iterator[frozenset[int]]:
    """The float64 parameters that values which come of the kernel's own float32 are stored to."""
    for function in origins.functions.values():
        for one in function.statements:
            if type(one).__name__ not in _STORES:
                continue
            memory = origins.of(function, one.target.name).memory - {DECLARED}
            wide = element_width(function.types.get(one.target.name)) == "wide"
            if wide and memory and DECLARED in origins.of(function, one.value.name).narrow:
                yield memory


def _computes_narrow(origins: ValueOrigins, function: TypedFunction) -> bool:
    for one in function.statements:
        if type(one).__name__ != "Assign" or getattr(one.value, "op", "") not in _COMPUTING:
            continue
        value = one.value
        if value.op == "call" and is_number_class(function, value):
            continue
        narrow = width_of(function.types.get(one.target.name)) == "narrow"
        if narrow and any(DECLARED in origins.of(function, read.name).narrow for read in operands(value)):
            return True
    return False

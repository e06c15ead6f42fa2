"""A unit beside itself with other values: what the source gives a name several of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.model.compilation_unit import CompilationUnit, FunctionText

_MOST_SHOWN = 4


def with_others(unit: CompilationUnit, others: Iterable[CompilationUnit]) -> CompilationUnit:
    """The unit with those of the others that can be compiled and are different, each assumed apart."""
    found: list[CompilationUnit] = []
    for other in others:
        if other.missing or not other.candidates or any(_same(other, one) for one in (unit, *found)):
            continue
        found.append(replace(other, functions=_in_order_of(unit, other)))
    if not found:
        return unit
    said = tuple(f"What is otherwise with {_differences(unit, one)} is left out." for one in found)
    return replace(
        unit,
        others=tuple(found),
        assumptions=(*unit.assumptions, *said),
        candidates=tuple(replace(one, assumptions=(*one.assumptions, *said)) for one in unit.candidates),
    )


def _same(one: CompilationUnit, other: CompilationUnit) -> bool:
    return _compiled_from(one) == _compiled_from(other)


def _compiled_from(unit: CompilationUnit) -> tuple[object, ...]:
    """All that the code of a unit hangs on, but for what is guessed."""
    return (
        tuple((one.name, one.source) for one in unit.functions), unit.constants, unit.aliases, unit.options,
        tuple(one.types for one in unit.candidates),
    )  # fmt: skip


def _in_order_of(unit: CompilationUnit, other: CompilationUnit) -> tuple[FunctionText, ...]:
    """The functions of another unit, those of the unit first and in its order: places of code are numbers of
    functions. What the other one does not call keeps its text.
    """
    own = {_place(one): one for one in other.functions}
    places = [_place(one) for one in unit.functions]
    names = {one.name for one in other.functions}
    first = [
        own[place] if place in own else _renamed(one, names)
        for place, one in zip(places, unit.functions, strict=True)
    ]
    return (*first, *(one for one in other.functions if _place(one) not in set(places)))


def _place(function: FunctionText) -> tuple[str, int, bool]:
    return function.path, function.line, function.device


def _renamed(function: FunctionText, taken: set[str]) -> FunctionText:
    """A function that nothing calls, out of the way of those that have its name."""
    if function.name not in taken:
        return function
    name = f"{function.name}_unused"
    return replace(function, name=name, source=function.source.replace(function.name, name, 1))


def _differences(unit: CompilationUnit, other: CompilationUnit) -> str:
    """What another unit has otherwise, as `n` = 4."""
    own = {**unit.constants, **unit.aliases, **{name: repr(one) for name, one in unit.options.items()}}
    values = {**other.constants, **other.aliases, **{name: repr(one) for name, one in other.options.items()}}
    found = [f"`{name}` = {text}" for name, text in sorted(values.items()) if own.get(name) != text]
    known = {one.name for one in unit.functions}
    found += [f"the function `{one.name}`" for one in other.functions if one.name not in known]
    if not found:
        types = ", ".join(other.candidates[0].types)
        return f"the types ({types})"
    more = len(found) - _MOST_SHOWN
    return ", ".join(found[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")

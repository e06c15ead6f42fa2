"""Promotions to float64 at their lines of the workspace, with their cause in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from advisor.evidence.compiled.evidence import Promotion
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.text.notebooks import is_notebook

Json = dict[str, Any]

# The sooner a kind stands here the more plainly it is the author's to change.
_KINDS = ("start", "literal", "integer", "division", "integers", "argument")


def placed_promotions(
    unit: CompilationUnit, types: ArgumentTypes, found: Iterable[Json]
) -> tuple[Promotion, ...]:
    """The promotions that a compiler's process found for one typing; raises KeyError, IndexError or TypeError
    for values that are none.
    """
    guessed = _guessed(unit, types)
    placed = [_placed(unit, guessed, one) for one in found]
    return tuple(sorted(placed, key=lambda one: (one.path, one.line)))


def _guessed(unit: CompilationUnit, types: ArgumentTypes) -> frozenset[int]:
    """The numbers of the parameters whose types are assumed; all where it is not known which."""
    if not types.assumed and not types.assumptions:
        return frozenset()
    if not unit.parameters:
        return frozenset(range(len(types.types)))
    names = types.assumed_elements
    return frozenset(number for number, name in enumerate(unit.parameters) if name in names)


def _placed(unit: CompilationUnit, guessed: frozenset[int], found: Json) -> Promotion:
    function = unit.functions[found["function"]]
    path, line = function.path, function.line + found["line"] - 1
    narrow = frozenset(found["narrow"])
    certain = [one for one in found["causes"] if one[0] != "argument" or one[2] not in guessed]
    return Promotion(
        path,
        line,
        found["operations"],
        cause=_in_words(unit, path, _plainest(certain or found["causes"], found)),
        known=bool(narrow - guessed),
        assumed=bool(narrow & guessed),
        from_guess=not certain,
    )


def _plainest(causes: Sequence[Sequence[Any]], found: Json) -> Sequence[Any]:
    """The cause to name: one at the line itself before others, then by its kind."""

    def order(cause: Sequence[Any]) -> tuple[bool, int]:
        return [*cause[1:3]] != [found["function"], found["line"]], _KINDS.index(cause[0])

    return min(causes, key=order)


def _in_words(unit: CompilationUnit, path: str, cause: Sequence[Any]) -> str:
    kind, function, line, text = cause
    if kind == "argument":
        return f"the float64 argument `{unit.parameters[line]}`" if unit.parameters else "a float64 argument"
    place = unit.functions[function]
    # A notebook is read as one text, whose lines nobody else counts.
    where = f"`{place.name}`" if is_notebook(place.path) else f"line {place.line + line - 1}"
    if place.path != path:
        where = f"{where} of {place.path}"
    written = f"`{text}`" if text else ""
    return {
        "literal": f"{written} in {where}",
        "start": f"the whole number {written or 'that a variable begins with'} in {where}",
        "integer": f"the integer {written or 'beside float32'} in {where}",
        "division": f"the division of integers in {where}",
        "integers": f"the function of integers in {where}",
    }[kind]

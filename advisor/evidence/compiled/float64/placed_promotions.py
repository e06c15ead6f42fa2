"""Changes between float32 and float64 at their lines of the workspace, with their causes in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from advisor.evidence.compiled.evidence import Narrowing, Promotion
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.text.notebooks import is_notebook

Json = dict[str, Any]

# The sooner a kind stands here the more plainly it is the author's to change.
_KINDS = ("literal", "start", "integer", "division", "integers")
_OTHERS = {
    "start": ("the whole number", "that a variable begins with"),
    "integer": ("the integer", "beside float32"),
    "division": ("the division of integers", ""),
    "integers": ("the function of integers", ""),
}
# As many causes are named, with how many more there are.
_SHOWN = 3
_SHORT = re.compile(r"u?int(?:8|16)\b|[ui][12]\b")


def placed_promotions(
    unit: CompilationUnit, types: ArgumentTypes, found: Iterable[Json]
) -> tuple[Promotion, ...]:
    """The promotions that a compiler's process found for one typing; raises KeyError, IndexError or TypeError
    for values that are none.
    """
    guessed = _guessed(unit, types)
    placed = [_placed(unit, types, guessed, one) for one in found]
    return tuple(sorted(placed, key=lambda one: (one.path, one.line)))


def placed_narrowings(
    unit: CompilationUnit, types: ArgumentTypes, found: Iterable[Json]
) -> tuple[Narrowing, ...]:
    """The narrowings of one typing whose data and results are known to be float64; raises KeyError,
    IndexError or TypeError for values that are none.
    """
    guessed = _guessed(unit, types)
    placed = []
    for one in found:
        wide, results = ({*one[name]} - guessed for name in ("wide", "results"))
        if wide and results and unit.parameters:
            function = unit.functions[one["function"]]
            names = tuple(unit.parameters[number] for number in sorted(wide))
            line = function.line + one["line"] - 1
            placed.append(Narrowing(function.path, line, names, one["into"], bool(one["computed"])))
    return tuple(sorted(placed, key=lambda one: (one.path, one.line)))


def _guessed(unit: CompilationUnit, types: ArgumentTypes) -> frozenset[int]:
    """The numbers of the parameters whose types are assumed; all where it is not known which."""
    if not types.assumed and not types.assumptions:
        return frozenset()
    if not unit.parameters:
        return frozenset(range(len(types.types)))
    names = types.assumed_elements
    return frozenset(number for number, name in enumerate(unit.parameters) if name in names)


def _placed(unit: CompilationUnit, types: ArgumentTypes, guessed: frozenset[int], found: Json) -> Promotion:
    function = unit.functions[found["function"]]
    path, line = function.path, function.line + found["line"] - 1
    narrow = frozenset(found["narrow"])
    certain = [one for one in found["causes"] if one[0] != "argument" or one[2] not in guessed]
    return Promotion(
        path,
        line,
        found["operations"],
        cause=_in_words(unit, path, certain or found["causes"], found),
        known=bool(narrow - guessed),
        assumed=bool(narrow & guessed),
        reads_assumed=not guessed.isdisjoint(found["read"]),
        from_guess=not certain,
        data=_data(types, narrow),
        rounded=bool(found["rounded"]),
    )


def _data(types: ArgumentTypes, narrow: frozenset[int]) -> str:
    """What the narrow data is: whole numbers where all of it is parameters of these."""
    whole = narrow and all(0 <= one < len(types.types) and _SHORT.match(types.types[one]) for one in narrow)
    return "for whole numbers of at most 16 bits" if whole else "on float32 data"


def _in_words(unit: CompilationUnit, path: str, causes: Sequence[Sequence[Any]], found: Json) -> str:
    """The causes, each of which alone keeps the result float64: arguments, those of the line, others."""

    def order(cause: Sequence[Any]) -> tuple[bool, int]:
        return [*cause[1:3]] != [found["function"], found["line"]], _KINDS.index(cause[0])

    arguments = [_argument(unit, one[2]) for one in causes if one[0] == "argument"]
    said = [_arguments(arguments)] if arguments else []
    literals: dict[str, list[str]] = {}
    for one in sorted((one for one in causes if one[0] != "argument"), key=order):
        where = _where(unit, path, one)
        if one[0] == "literal":
            literals.setdefault(where, []).append(f"`{one[3]}`")
        elif (words := f"{_other(one)} in {where}") not in said:
            said.append(words)
    said[bool(arguments) : bool(arguments)] = [
        f"{_some(each)} in {where}" for where, each in literals.items()
    ]
    return _some(said)


def _argument(unit: CompilationUnit, number: int) -> str:
    return f"`{unit.parameters[number]}`" if unit.parameters else ""


def _arguments(names: Sequence[str]) -> str:
    if not all(names):
        return "float64 arguments" if len(names) > 1 else "a float64 argument"
    return f"the float64 argument{'s' if len(names) > 1 else ''} {_some(names)}"


def _some(said: Sequence[str]) -> str:
    """The first of several, with how many more there are where that is more than one."""
    more = len(said) - _SHOWN
    shown = [*said[:_SHOWN], f"{more} more"] if more > 1 else [*said]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _other(cause: Sequence[Any]) -> str:
    """What a cause is that is no literal: by the number that is written, else in words."""
    noun, otherwise = _OTHERS[cause[0]]
    number = f"`{cause[3]}`" if cause[3] else otherwise
    return f"{noun} {number}" if number else noun


def _where(unit: CompilationUnit, path: str, cause: Sequence[Any]) -> str:
    place = unit.functions[cause[1]]
    # A notebook is read as one text, whose lines nobody else counts.
    where = f"`{place.name}`" if is_notebook(place.path) else f"line {place.line + cause[2] - 1}"
    return where if place.path == path else f"{where} of {place.path}"

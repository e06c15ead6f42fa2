"""Units with the argument types that launches show in place of what the source lets one assume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit

# A kernel that is launched with more combinations of types than this is compiled for the heaviest of them.
_MOST = 4

LaunchedTypes = Mapping[str, Sequence[ArgumentTypes]]


def launched_units(
    units: Sequence[CompilationUnit], launched: LaunchedTypes
) -> tuple[list[CompilationUnit], ...]:
    """The units in rounds: first all, those that were launched with the types of their heaviest launch; then,
    for further combinations of types, a kernel once in each round.

    Should the types of a first round not compile, what the source says of them comes after.
    """
    rounds: list[list[CompilationUnit]] = [[]]
    for unit in units:
        types = [one for one in launched.get(unit.kernel, ()) if len(one.types) == len(unit.parameters)]
        known = [replace(one, assumptions=unit.assumptions) for one in types[:_MOST]]
        rounds[0].append(_typed(unit, known[0]) if known else unit)
        for number, further in enumerate(known[1:], start=1):
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(replace(unit, candidates=(further,)))
    return tuple(rounds)


def _typed(unit: CompilationUnit, known: ArgumentTypes) -> CompilationUnit:
    others = [one for one in unit.candidates if one.types != known.types]
    return replace(unit, candidates=(known, *others))


def in_words(types: ArgumentTypes, launched: Sequence[ArgumentTypes]) -> str:
    """The sentence that tells a kernel's typing from the others that it was launched with."""
    compiled = f" {_MOST} of them were compiled." if len(launched) > _MOST else ""
    return (
        f"Compiled for ({', '.join(types.types)}), the types of the launch at {types.launch}; the kernel is "
        f"launched with {len(launched)} combinations of types.{compiled}"
    )

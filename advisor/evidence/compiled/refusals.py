"""Which refusals of the compiler are certain: they hang on the code, and on nothing that was guessed."""

from __future__ import annotations

import re
from typing import Any

from advisor.evidence.compiled.evidence import CompiledEvidence
from advisor.model.compilation_unit import CompilationUnit, Rejection
from advisor.model.records import Record
from advisor.model.text.source_text import Span

Json = dict[str, Any]

# Numba says these of bytecode, of names, of modules and of calls, whatever the parameters' types.
_OF_CODE = re.compile(
    r"Use of unsupported opcode (?!\(IMPORT)"
    r"|The use of yield in a closure"
    r"|The 'with \(context manager\)"
    r"|Untyped global name "
    r"|Unknown attribute '\w+' of type Module\("
    r"|CUDA kernel must have void return type"
    r"|The compiler failed to analyze the bytecode\. Variable '"
    r"|No implementation of function Function\(<function (?:shared|local)\.array>\)"
    r"|Cannot bind 'args="
    r"|\w+\(\) missing \d+ required positional argument"
)
# Of whatever size and elements arrays are.
_NEW_ARRAY = re.compile(r"NRT required but not enabled|.*\b_ol_array_allocate\(")
_NUMBER_FOR_ARRAY = re.compile(r"Unknown attribute '\w+' of type (?:u?int|float)\d+\.?$")
# Of the types that a signature states.
_OF_TYPES = re.compile(
    r"No implementation of function|Unknown attribute|Cannot unify|failed to unpack|\('wrong tuple length"
)


def rejections(unit: CompilationUnit, problem: Json) -> tuple[Rejection, ...]:
    """Why the compiler refused a unit, with the places, where that is certain; empty where a guess of types
    or values, an extension or the release of a library may be the reason.
    """
    number = problem.get("candidate")
    if number is None or not unit.own_fault:
        return ()
    if unit.suspects:
        return unit.suspects
    message, candidate = str(problem["message"]), unit.candidates[number]
    certain = _OF_CODE.match(message)
    if not candidate.assumed:
        certain = certain or _NEW_ARRAY.match(message) or _NUMBER_FOR_ARRAY.match(message)
    if unit.stated:
        certain = certain or _OF_TYPES.match(message)
    if not certain or unit.placeholders:
        return ()
    path, line = refused_place(unit, problem)
    needs_memory = _NEW_ARRAY.match(message)
    reason = "a kernel has no memory to make a new array in" if needs_memory else message.rstrip(".")
    return (Rejection(reason, path, line),)


def refused_place(unit: CompilationUnit, problem: Json) -> tuple[str, int]:
    """The file and the line that a refusal names; the first line of the unit's file where it names none."""
    number = problem["function"]
    if not 0 <= number < len(unit.functions):
        return unit.path, 1
    function = unit.functions[number]
    last = function.line + function.source.count("\n")
    return function.path, min(function.line + problem["line"] - 1, last)


def rejection_records(unit: CompilationUnit, evidence: CompiledEvidence) -> list[Record]:
    """A `rejection` record for each place of a unit that no compiler takes."""
    return [_record(unit, one) for one in evidence.rejections.get(unit.kernel, ())]


def _record(unit: CompilationUnit, rejection: Rejection) -> Record:
    key = f"{unit.kernel}:{rejection.path}:{rejection.line}:rejection:{rejection.reason}"
    span = Span(rejection.line)
    for function in unit.functions:
        number = rejection.line - function.line
        if function.path == rejection.path and 0 <= number < len(function.columns):
            start, end = function.columns[number]
            span = Span(rejection.line, start, rejection.line, end)
    record = Record("rejection", key, rejection.path, span, f"line {rejection.line}", unit.kernel)
    record.know("compiled", refused=True, reason=rejection.reason)
    return record

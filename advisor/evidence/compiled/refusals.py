"""Which refusals of the compiler are certain: they hang on the code, and on nothing that was guessed."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Any

from advisor.evidence.compiled.evidence import CompiledEvidence
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText, Rejection
from advisor.model.records import Record
from advisor.model.text.source_text import Span
from advisor.model.text.syntax_trees import syntax_tree

Json = dict[str, Any]

# Numba says these of bytecode, of names, of modules and of calls, whatever the parameters' types.
_OF_CODE = re.compile(
    r"Use of unsupported opcode (?!\(IMPORT)"
    r"|The use of yield in a closure"
    r"|The 'with \(context manager\)"
    r"|Untyped global name "
    r"|Unknown attribute '\w+' of type (?:Module\(|Dim3)"
    r"|module '(?:numba|math|cmath|operator)[\w.]*' has no attribute "
    # NumPy had these names for Python's own types until 1.24.
    r"|module 'numpy' has no attribute '(?:complex|float|int|object|str)'"
    r"|<numba\.cuda\.core\.base\.OverloadSelector object>, \(List\("
    r"|CUDA kernel must have void return type"
    r"|The compiler failed to analyze the bytecode\. Variable '"
    r"|No implementation of function Function\(<function (?:shared|local)\.array>\)"
    r"|Cannot bind 'args="
    r"|\w+\(\) missing \d+ required positional argument"
)
# Of whatever size and elements arrays are.
_NEW_ARRAY = re.compile(r"NRT required but not enabled|.*\b_ol_array_allocate\(")
_NUMBER_FOR_ARRAY = re.compile(r"Unknown attribute '\w+' of type (?:u?int|float)\d+\.?$")
# Of types: those that a signature states, or any others that were tried.
_OF_TYPES = re.compile(
    r"No implementation of function|Unknown attribute|Cannot unify|failed to unpack|\('wrong tuple length"
)
_NO_ATTRIBUTE = re.compile(r"module '[\w.]+' has no attribute '(\w+)'")
_LIST_OUTSIDE = re.compile(r"<numba\.cuda\.core\.base\.OverloadSelector object>")
# What ptxas says of shared arrays of fixed size, whatever the device is.
_SHARED_MEMORY = re.compile(r".*uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)")
_SHARED_ARRAY = "shared"


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
    if unit.placeholders or not _is_certain(unit, problem, message, candidate):
        return ()
    return (_rejection(unit, problem, message),)


def rejections_of_launches(unit: CompilationUnit, problem: Json | None) -> tuple[Rejection, ...]:
    """Why the compiler refused the types that launches give, where it takes others; empty where that may be
    due to a guess.
    """
    if not problem or not unit.own_fault or unit.placeholders or unit.stated or unit.others:
        return ()
    candidate, message = unit.candidates[problem["candidate"]], str(problem["message"])
    if candidate.assumed or not problem["alike"] or not _OF_TYPES.match(message):
        return ()
    path, line = refused_place(unit, problem)
    reason = (
        f"with the types that its launches give it, ({', '.join(candidate.types)}): {message.rstrip('.')}"
    )
    return (Rejection(reason, path, line),)


def _is_certain(unit: CompilationUnit, problem: Json, message: str, candidate: ArgumentTypes) -> bool:
    if _OF_CODE.match(message):
        return True
    if _SHARED_MEMORY.match(message):
        return not unit.others
    if not candidate.assumed and (_NEW_ARRAY.match(message) or _NUMBER_FOR_ARRAY.match(message)):
        return True
    if not _OF_TYPES.match(message):
        return False
    return unit.stated or (bool(problem.get("alike")) and not _hangs_on(unit, problem, candidate.assumed))


def _rejection(unit: CompilationUnit, problem: Json, message: str) -> Rejection:
    path, line = refused_place(unit, problem)
    if _NEW_ARRAY.match(message):
        reason = "a kernel has no memory to make a new array in"
    elif too_large := _SHARED_MEMORY.match(message):
        taken, most = (int(text, 16) for text in too_large.groups())
        reason = f"its shared arrays take {taken:,} bytes, and those of fixed size may take {most:,}"
        path, line = _place_of_attribute(unit, _SHARED_ARRAY) or (path, line)
    elif unknown := _NO_ATTRIBUTE.match(message):
        reason = unknown[0]
        path, line = _place_of_attribute(unit, unknown[1]) or (path, line)
    elif _LIST_OUTSIDE.match(message):
        reason = "it reads a list of the module; what it reads there may be a number, a tuple or an array"
    else:
        reason = message.rstrip(".")
    return Rejection(reason, path, line)


def _place_of_attribute(unit: CompilationUnit, name: str) -> tuple[str, int] | None:
    """The file and the line of the first attribute of that name."""
    for function in unit.functions:
        lines = [
            node.lineno
            for node in ast.walk(syntax_tree(function.source))
            if isinstance(node, ast.Attribute) and node.attr == name
        ]
        if lines:
            return function.path, function.line + min(lines) - 1
    return None


def _hangs_on(unit: CompilationUnit, problem: Json, assumed: Collection[str]) -> bool:
    """Whether the refused line has to do with parameters whose types were assumed: what it reads is one of
    them, or was computed from one.
    """
    number = problem["function"]
    if not assumed:
        return False
    if not 0 <= number < len(unit.functions) or unit.functions[number].device:
        return True
    statements = list(_statements(unit.functions[number]))
    at = [names for line, last, _, names in statements if line <= problem["line"] <= last]
    guessed = set(assumed)
    while further := {
        name for _, _, bound, read in statements if read & guessed for name in bound if name not in guessed
    }:
        guessed |= further
    return not at or any(names & guessed for names in at)


def _statements(function: FunctionText) -> Iterator[tuple[int, int, set[str], set[str]]]:
    """The first and last line of each statement, without those below it, the names that it binds and those
    that it has.
    """
    for node in ast.walk(syntax_tree(function.source).body[0]):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
            continue
        names = [
            one
            for field, value in ast.iter_fields(node)
            if field not in ("body", "orelse", "finalbody", "handlers")
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, ast.AST)
            for one in ast.walk(part)
            if isinstance(one, ast.Name)
        ]
        last = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno or node.lineno
        bound = {one.id for one in names if isinstance(one.ctx, ast.Store)}
        yield node.lineno, max(last, node.lineno), bound, {one.id for one in names}


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

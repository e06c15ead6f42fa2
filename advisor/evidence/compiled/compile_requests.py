"""What a compiler's process is asked of a unit, and the keys under which its answers are kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from advisor.evidence.compiled.evidence import Target
from advisor.evidence.compiled.toolchain import nvdisasm, toolchain_versions
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit

Json = dict[str, Any]

# What else a parameter of an assumed type may well hold.
_OTHERWISE = {
    "float32": "float64",
    "float64": "float32",
    "complex64": "complex128",
    "complex128": "complex64",
    "int32": "int64",
    "int64": "int32",
}
_NUMBER = re.compile(r"\b(?:float|complex|int)(?:32|64|128)\b")
_ROWS = re.compile(r"\[:,(?::,)*::1\]")
_BYTE_ARRAY = re.compile(r"^\w+\[")
# Raised whenever the same unit would give other code to execute than before.
_CODE_FORMAT = 2


def compile_request(unit: CompilationUnit, target: Target) -> Json:
    """What a worker is asked for one unit, in JSON values."""
    if unit.cuda is not None:
        capability = list(target.compute_capability)
        asked = {"text": unit.cuda.text, "name": unit.cuda.name, "options": list(unit.cuda.options)}
        return {"cuda": asked, "capability": capability}
    return {
        "functions": [[function.name, function.source, function.device] for function in unit.functions],
        "constants": unit.constants,
        "aliases": unit.aliases,
        "options": {name: repr(value) for name, value in sorted(unit.options.items())},
        "candidates": [list(candidate.types) for candidate in unit.candidates],
        "known": [not candidate.assumed for candidate in unit.candidates],
        "capability": list(target.compute_capability),
    }


def code_request(unit: CompilationUnit) -> Json:
    """What a worker is asked beside that for the code to execute: another typing for each candidate."""
    return {"keep_code": True, "others": [other_typing(unit, one) for one in unit.candidates]}


def other_typing(unit: CompilationUnit, types: ArgumentTypes) -> list[str] | None:
    """The types with the other usual numbers in the place of those that are assumed, and column by column
    where nothing says that the elements lie row by row; None where that is nothing new.
    """
    if types.launch or len(unit.parameters) != len(types.types):
        return None
    found = [
        _BYTE_ARRAY.sub("uint8[", text)
        if name in types.maybe_bytes
        else _NUMBER.sub(lambda number: _OTHERWISE[number[0]], text)
        if name in types.assumed_elements
        else text
        for name, text in zip(unit.parameters, types.types, strict=True)
    ]
    found = [
        _ROWS.sub(_columns, text) if name in unit.of_any_order and name in types.assumed else text
        for name, text in zip(unit.parameters, found, strict=True)
    ]
    return found if found != list(types.types) else None


def _columns(rows: re.Match[str]) -> str:
    """The axes of an array that lies column by column, of those of one that lies row by row."""
    return f"[::1{',:' * rows[0].count(',')}]"


def code_comes_along(unit: CompilationUnit) -> bool:
    """Whether the code to execute is what is compiled for numbers, as no typing needs another beside it."""
    return all(one is None for one in code_request(unit)["others"])


def compile_keys(units: Sequence[CompilationUnit], target: Target, format: int) -> list[str]:
    """The keys of what units compile to, as numbers in a format."""
    if not units:
        return []
    toolchain = {**toolchain_versions(), "nvdisasm": nvdisasm() or "", "format": format}
    return [f"compiled:{_digest([*_asked(unit, target), toolchain])}" for unit in units]


def code_keys(units: Sequence[CompilationUnit], target: Target) -> list[str]:
    """The keys of the code to execute of units; equal keys stand for the same code."""
    if not units:
        return []
    toolchain = {**toolchain_versions(), "format": _CODE_FORMAT}
    return [f"code:{_digest([*_asked(unit, target), code_request(unit), toolchain])}" for unit in units]


def _asked(unit: CompilationUnit, target: Target) -> list[Any]:
    """All that decides what is known of a unit."""
    placeholders = {one.name: one.other for one in unit.placeholders}
    alternatives = [one.alternative for one in unit.candidates]
    others = {"placeholders": placeholders, "alternatives": alternatives}
    return [
        compile_request(unit, target),
        *([others] if placeholders or any(alternatives) else []),
        *(_asked(one, target) for one in unit.others),
    ]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

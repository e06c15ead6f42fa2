"""Annotates a parameter that is the extent of a block as `tl.constexpr`."""

# /// fix
# title = "Annotate the parameter as tl.constexpr"
# safety = "needs review"
# rules = ["triton-extent-known-at-run-time"]
# condition = """
# launches give it a number that is a power of two; the kernel is compiled again for each other one"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_defaults

_LANGUAGE = "triton.language"


def edits(place: Place) -> list[Edit] | None:
    """The edit of the parameter; None where it is annotated already, or the file has no name for the type."""
    function, row = place.function(), place.facts.row_at("triton_size", place.finding)
    wanted = str(row.values.get("parameter", "")) if row is not None else ""
    if function is None or not wanted:
        return None
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    parameter = next((one for one in named if one.arg == wanted), None)
    annotation = _annotation(place.module, named)
    if parameter is None or parameter.annotation is not None or annotation is None:
        return None
    _, end = place.module.range_of(parameter)
    default = parameter_defaults(function).get(wanted)
    if default is None:
        return [Edit(end, end, f": {annotation}")]
    begin, _ = place.module.outer_range(default)
    return [Edit(end, begin, f": {annotation} = ")]


def _annotation(module: SourceModule, parameters: list[ast.arg]) -> str | None:
    """How the file writes the type: as other parameters have it, or by the name of the language's module."""
    for one in parameters:
        if one.annotation is not None:
            written = module.code_of(one.annotation)
            if written.rpartition(".")[2] == "constexpr":
                return written
    name = name_of(module, _LANGUAGE)
    return f"{name}.constexpr" if name else None

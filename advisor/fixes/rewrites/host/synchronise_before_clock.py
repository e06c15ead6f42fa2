"""Puts a wait for the device in front of the second reading of a clock."""

# /// fix
# title = "Wait for the device before the clock is read"
# safety = "needs review"
# rules = ["measured-without-wait"]
# condition = """
# the time of the device's work is what is meant to be measured; the host prepares nothing further while it \
# waits"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.edits.source_module import COMPOUND, SourceModule
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edit that adds the line; None where the reading shares its statement with work before it, or where
    the file has no name at its top for the library that waits.
    """
    module, call = place.module, place.exactly(ast.Call)
    row = place.facts.row_at("measurement", place.finding)
    statement = module.statement_of(call) if call is not None else None
    if call is None or row is None or statement is None or isinstance(statement, COMPOUND):
        return None
    if module.shares_line(statement) or _works_before(module, statement, call):
        return None
    wait = _wait(module, str(row.values.get("library", "")))
    return None if wait is None else [line_before(module, statement, wait)]


def _works_before(module: SourceModule, statement: ast.stmt, call: ast.Call) -> bool:
    """Whether a statement calls or computes something before it reads the clock."""
    begin, until = module.range_of(statement)[0], module.range_of(call)[0]
    return any(True for _ in module.nodes_between((ast.Call, ast.BinOp, ast.Await), begin, until))


def _wait(module: SourceModule, library: str) -> str | None:
    """The statement that waits for the device, by the names that the file has."""
    if library == "numba":
        name = cuda_text(module)
        return f"{name}.synchronize()" if name else None
    name = name_of(module, library) if library in ("torch", "cupy") else None
    if name is None:
        return None
    return f"{name}.cuda.synchronize()" if library == "torch" else f"{name}.cuda.Device().synchronize()"

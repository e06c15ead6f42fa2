"""Puts a wait for the device in front of the second reading of a clock."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import line_of
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edit that adds the line; None where the reading shares its statement with work before it, or where
    the file has no name at its top for the library that waits.
    """
    module, call = place.module, place.exactly(cst.Call)
    row = place.facts.row_at("measurement", place.finding)
    statement = _statement(module, call) if call is not None else None
    if call is None or row is None or statement is None or _works_before(module, statement, call):
        return None
    wait = _wait(module, str(row.values.get("library", "")))
    return None if wait is None else [line_before(module, statement, wait)]


def _statement(module: SourceModule, call: cst.Call) -> cst.SimpleStatementLine | None:
    """The line that a call stands in, where it holds one statement."""
    above: cst.CSTNode | None = call
    while above is not None and not isinstance(above, cst.BaseSmallStatement):
        above = module.parent(above)
    return line_of(module, above) if above is not None else None


def _works_before(module: SourceModule, statement: cst.SimpleStatementLine, call: cst.Call) -> bool:
    """Whether a statement calls or computes something before it reads the clock."""
    begin, _ = module.range_of(statement)
    until, _ = module.range_of(call)
    kinds = (cst.Call, cst.BinaryOperation, cst.Await)
    return any(True for kind in kinds for _ in module.nodes_between(kind, begin, until))


def _wait(module: SourceModule, library: str) -> str | None:
    """The statement that waits for the device, by the names that the file has."""
    if library == "numba":
        name = _numba_cuda(module)
        return f"{name}.synchronize()" if name else None
    name = name_of(module, library) if library in ("torch", "cupy") else None
    if name is None:
        return None
    return f"{name}.cuda.synchronize()" if library == "torch" else f"{name}.cuda.Device().synchronize()"


def _numba_cuda(module: SourceModule) -> str | None:
    """The name of numba.cuda at the top of a file."""
    for statement in module.module.body:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if not isinstance(part, cst.ImportFrom) or isinstance(part.names, cst.ImportStar):
                continue
            if part.module is None or part.relative or module.written(part.module) != "numba":
                continue
            for alias in part.names:
                if module.written(alias.name) == "cuda":
                    return module.written(alias.asname.name) if alias.asname else "cuda"
    return name_of(module, "numba.cuda")

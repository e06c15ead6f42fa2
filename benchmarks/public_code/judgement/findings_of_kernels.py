"""The findings of a JSON report in the order of the short report, and which of them are about a kernel."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring import Finding, Kernel, Point, touches

from advisor.model.errors import SourceProblem
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.joined_text import Cells, cells_of, notebook_text
from advisor.model.text.source_text import read_source

_SAME_PLACE = ("rule", "path", "cell", "line", "column", "end_line", "end_column", "severity", "message")


class Sources:
    """The files of one checkout: lines of their notebooks, extents of their functions."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cells: dict[str, Cells] = {}
        self._functions: dict[str, list[tuple[str, int, int]]] = {}

    def place(self, found: Mapping[str, Any]) -> tuple[str, int]:
        """The path and the line of the file of what a report gives with path, cell and line."""
        path, line = found["path"], found["line"]
        if found.get("cell") is None:
            return path, line
        cell = next((one for one in self._notebook(path).every if one.number == found["cell"]), None)
        return path, line if cell is None else cell.line_of_file(line)

    def extent(self, kernel: Kernel) -> range | None:
        """The lines of the kernel's function with its decorators; None where it cannot be read."""
        name = _name(kernel)
        named = [range(first, last + 1) for own, first, last in self._in(kernel.path) if own == name]
        return min((one for one in named if kernel.line in one), key=len, default=None)

    def is_only_of_its_name(self, kernel: Kernel) -> bool:
        """Whether its file defines no other function that is called as the kernel."""
        try:
            text = (self._root / kernel.path).read_text("utf-8", errors="replace")
        except OSError:
            return True
        return len(re.findall(rf"\bdef {re.escape(_name(kernel))}\b", text)) < 2

    def _notebook(self, path: str) -> Cells:
        if path not in self._cells:
            try:
                self._cells[path] = cells_of(notebook_text((self._root / path).read_bytes(), path))
            except (OSError, SourceProblem):
                self._cells[path] = cells_of("")
        return self._cells[path]

    def _in(self, path: str) -> list[tuple[str, int, int]]:
        """Name, first and last line of each function of a file."""
        if path not in self._functions:
            self._functions[path] = self._read(path)
        return self._functions[path]

    def _read(self, path: str) -> list[tuple[str, int, int]]:
        if is_notebook(path):
            cells = self._notebook(path)
            return [
                (name, cell.line_of_file(first), cell.line_of_file(last))
                for cell in cells.every
                for name, first, last in _functions(cells.text[cell.begin : cell.end])
            ]
        try:
            return _functions(read_source(self._root / path, path).text)
        except SourceProblem:
            return []


def printed(report: Mapping[str, Any], sources: Sources) -> list[Finding]:
    """The findings of a report in the order of what to do first, errors before warnings before the rest.

    What a rule says the same of one place for several kernels counts once, and so does what it says the same
    of several lines of a kernel.
    """
    alike: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for one in sorted(report.get("findings", ()), key=lambda one: one["rank"]):
        alike.setdefault(tuple(one.get(name) for name in _SAME_PLACE), []).append(one)
    together: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for rows in alike.values():
        kernels = frozenset(row["kernel"] for row in rows if row.get("kernel"))
        first = rows[0]
        key = (first["rule"], first["path"], kernels, first["severity"], first["message"])
        together.setdefault(key, []).append(first)
    return [_finding(group, key[2], sources) for key, group in together.items()]


def about(kernel: Kernel, findings: Sequence[Finding], sources: Sources) -> list[Finding]:
    """Those of the findings that are about a kernel, in their order.

    They lie in it, name it, refer to it, or name no kernel and stand near a line outside of it that its
    expert names, as that of a launch.
    """
    own, only = sources.extent(kernel), sources.is_only_of_its_name(kernel)
    return [one for one in findings if _concerns(one, kernel, own, only)]


def _concerns(finding: Finding, kernel: Kernel, own: range | None, only: bool) -> bool:
    here = [line for path, line in finding.places if path == kernel.path]
    elsewhere = [line for path, line in finding.related if path == kernel.path]
    if own is not None and any(line in own for line in (*here, *elsewhere)):
        return True
    if finding.kernels:
        named = bool(finding.kernels & {kernel.name, _name(kernel)})
        return named and bool(here) and (only or own is None)
    return any(touches(finding.places, point) for point in kernel.points if not _lies_in(point, kernel, own))


def _lies_in(point: Point, kernel: Kernel, own: range | None) -> bool:
    return own is not None and point.path == kernel.path and any(line in own for line in point.lines)


def _finding(group: Sequence[Mapping[str, Any]], kernels: frozenset[str], sources: Sources) -> Finding:
    first = group[0]
    places = [sources.place(one) for row in group for one in (row, *row.get("places", ()))]
    related = [sources.place(one) for row in group for one in row.get("related", ())]
    return Finding(
        first["rule"], first["severity"], first["message"], kernels,
        tuple(dict.fromkeys(places)), tuple(dict.fromkeys(related)),
    )  # fmt: skip


def _name(kernel: Kernel) -> str:
    return kernel.name.rsplit(".", 1)[-1]


def _functions(text: str) -> list[tuple[str, int, int]]:
    """Name, first line with decorators and last line of each function; none of a text that is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    return [
        (node.name, min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]

"""Answers about a notebook's text, turned into answers about its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import attrs
from lsprotocol import types

from advisor.model.text.notebooks import is_notebook
from lsp_server.documents.held_cells import LINE_END, HeldCell, Notebook

# What the client keeps for us as it is.
_OPAQUE = frozenset({"data", "command"})


class OutsideOfCells(Exception):
    """Something has no place in the cell that was asked about, or in any cell."""


class Answers:
    """Turns answers: places without a document are those of `cell`, others those of the notebooks `held`.

    Edits are for `own` alone: of other notebooks only the file is known, which may say something else.
    """

    def __init__(
        self, held: Callable[[str], Notebook | None], cell: HeldCell | None, own: Notebook | None
    ) -> None:
        self._held, self._cell, self._own = held, cell, own

    def turned(self, value: Any) -> Any:
        """An answer with the places of cells. Raises OutsideOfCells where it has none there."""
        if isinstance(value, types.Position | types.Range):
            return value if self._cell is None else _inside(value, self._cell)
        if isinstance(value, types.Location):
            return self._location(value)
        if isinstance(value, types.WorkspaceEdit):
            return self._edit(value)
        if isinstance(value, list | tuple):
            return list(self._kept(value))
        if not attrs.has(type(value)):
            return value
        if isinstance(value, types.Diagnostic) and value.range.start == value.range.end:
            # The text has an empty line where a cell that is not Python has one to point at.
            end = types.Position(value.range.end.line, LINE_END)
            value = attrs.evolve(value, range=types.Range(value.range.start, end))
        if self._cell is not None and getattr(value, "result_id", None):
            value = attrs.evolve(value, result_id=f"{self._cell.stamp}:{value.result_id}")
        names = [field.name for field in attrs.fields(type(value)) if field.name not in _OPAQUE]
        return attrs.evolve(value, **{name: self.turned(getattr(value, name)) for name in names})

    def _kept(self, values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
        for one in values:
            try:
                yield self.turned(one)
            except OutsideOfCells:
                continue

    def _location(self, location: types.Location) -> types.Location:
        notebook = self._held(location.uri)
        if notebook is not None:
            cell = _cell_of(notebook, location.range)
            return types.Location(cell.uri, _inside(location.range, cell))
        if is_notebook(unquote(location.uri)):
            # Its cells are not known to the client, and lines of the joined text are none of the file's.
            start = types.Position(0, 0)
            return types.Location(location.uri, types.Range(start, start))
        return location

    def _edit(self, edit: types.WorkspaceEdit) -> types.WorkspaceEdit:
        changes: dict[str, list[types.TextEdit]] = {}
        for uri, edits in (edit.changes or {}).items():
            for cell, one in self._placed(uri, edits):
                changes.setdefault(uri if cell is None else cell.uri, []).append(one)
        documents: list[Any] = []
        for change in edit.document_changes or []:
            documents += self._versioned(change) if isinstance(change, types.TextDocumentEdit) else [change]
        return attrs.evolve(edit, changes=changes or None, document_changes=documents or None)

    def _versioned(self, change: types.TextDocumentEdit) -> list[types.TextDocumentEdit]:
        named = change.text_document
        found: dict[str, types.TextDocumentEdit] = {}
        for cell, one in self._placed(named.uri, change.edits):
            own = named
            if cell is not None:
                version = None if named.version is None else cell.version
                own = types.OptionalVersionedTextDocumentIdentifier(cell.uri, version)
            edits = found.setdefault(own.uri, types.TextDocumentEdit(own, [])).edits
            edits.append(one)  # type: ignore[attr-defined]
        return list(found.values())

    def _placed(self, uri: str, edits: Any) -> Iterator[tuple[HeldCell | None, Any]]:
        notebook = self._held(uri)
        if is_notebook(unquote(uri)) and (notebook is None or notebook is not self._own):
            raise OutsideOfCells
        for edit in edits:
            if notebook is None:
                yield None, edit
                continue
            cell = _cell_of(notebook, edit.range)
            if cell.is_behind or not cell.holds(edit.range.end.line):
                raise OutsideOfCells
            yield cell, attrs.evolve(edit, range=_inside(edit.range, cell))


def _cell_of(notebook: Notebook, place: types.Range) -> HeldCell:
    cell = notebook.cell_at(place.start.line)
    if cell is None:
        raise OutsideOfCells
    return cell


def _inside(place: Any, cell: HeldCell) -> Any:
    """A position or range of the notebook's text in its cell; a range that runs on ends with the cell."""
    if isinstance(place, types.Range):
        end = place.end
        last = cell.first + cell.count - 1
        if end.line > last:
            end = types.Position(last, LINE_END)
        return types.Range(_inside(place.start, cell), _inside(end, cell))
    line = cell.line_here(place.line) if cell.holds(place.line) else None
    if line is None:
        raise OutsideOfCells
    return types.Position(line, place.character)

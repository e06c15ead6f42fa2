"""Notebooks as the Python text that all features work on, and the ways from its lines to the cells and back.

A notebook is held as one document under its own URI. What a client says of a cell is turned into places of
that document before a feature is asked, and what the feature answers is turned back: no feature knows cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import attrs
from lsprotocol import types
from pygls.workspace import Workspace

from advisor.model.text.notebooks import is_notebook
from lsp_server.documents.cell_answers import Answers, OutsideOfCells
from lsp_server.documents.held_cells import HeldCell, Notebook, joined_notebook

SYNCHRONISATION = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage("python")])], save=True
)


class Notebooks:
    """The notebooks that the client holds open."""

    def __init__(self) -> None:
        self._held: dict[str, Notebook] = {}
        self._good: dict[str, str] = {}

    def take(self, workspace: Workspace, uri: str) -> Notebook | None:
        """The notebook as the client has it now, which is kept; None for what is no notebook of a file."""
        document = workspace.get_notebook_document(notebook_uri=uri)
        if document is None or not uri.startswith("file:") or not is_notebook(unquote(uri)):
            return None
        notebook = joined_notebook(workspace, document, self._good)
        self._held[unquote(uri)] = notebook
        return notebook

    def forget(self, uri: str) -> None:
        """Drop a notebook that was closed."""
        notebook = self._held.pop(unquote(uri), None)
        for cell in notebook.cells if notebook else ():
            self._good.pop(cell.uri, None)

    def held(self, uri: str) -> Notebook | None:
        """The notebook of a URI, None where none is open."""
        return self._held.get(unquote(uri))

    def of_cell(self, uri: str) -> tuple[Notebook, HeldCell] | None:
        """The notebook of a cell and the cell; None for any other document."""
        for notebook in self._held.values():
            for cell in notebook.cells:
                if unquote(cell.uri) == unquote(uri):
                    return notebook, cell
        return None

    def inward(self, params: Any) -> tuple[Any, HeldCell | None]:
        """What a message asks, as a question about the notebook's text, and the cell that it was about."""
        document = getattr(params, "text_document", None) if self._held else None
        found = self.of_cell(document.uri) if document is not None else None
        if found is None:
            return params, None
        notebook, cell = found
        moved = _shifted(params, cell)
        if isinstance(moved, types.DocumentDiagnosticParams):
            # The same diagnostics of the text are others of a cell that stands elsewhere now.
            place, _, name = (moved.previous_result_id or "").partition(":")
            moved.previous_result_id = name if place == cell.stamp else None
        return attrs.evolve(moved, text_document=types.TextDocumentIdentifier(notebook.uri)), cell

    def outward(self, answer: Any, cell: HeldCell | None) -> Any:
        """An answer with the places that the client knows; what lies outside of the cell is left out."""
        if answer is None or (not self._held and not _may_edit(answer)):
            return answer
        try:
            turned = Answers(self.held, cell, self._own(cell)).turned(answer)
        except OutsideOfCells:
            return None
        if cell is not None and isinstance(turned, types.RelatedFullDocumentDiagnosticReport):
            return attrs.evolve(turned, items=[*cell.faults(), *turned.items])
        return turned

    def _own(self, cell: HeldCell | None) -> Notebook | None:
        """The notebook that a cell belongs to, for whose present text an answer was made."""
        return None if cell is None else next((one for one in self._held.values() if cell in one.cells), None)

    def published(self, params: types.PublishDiagnosticsParams) -> list[types.PublishDiagnosticsParams]:
        """The diagnostics of a document as they are sent: those of a notebook cell by cell."""
        notebook = self.held(params.uri)
        if notebook is None:
            return [params]
        return [
            types.PublishDiagnosticsParams(
                cell.uri,
                [*cell.faults(), *self.outward(params.diagnostics, cell)],
                version=None if params.version is None else cell.version,
            )
            for cell in notebook.cells
        ]

    def command_arguments(self, arguments: Iterable[object]) -> tuple[object, ...]:
        """A command's URI and line: those of a cell as those of its notebook's text."""
        uri, *rest = [*arguments] or [None]
        found = self.of_cell(uri) if isinstance(uri, str) else None
        if found is None:
            return tuple(arguments)
        notebook, cell = found
        return (notebook.uri, *(cell.line_there(one) if isinstance(one, int) else one for one in rest))


def _shifted(value: Any, cell: HeldCell) -> Any:
    """A message with all its positions in the notebook's text."""
    if isinstance(value, types.Position):
        return types.Position(cell.line_there(value.line), value.character)
    if isinstance(value, list | tuple):
        return [_shifted(one, cell) for one in value]
    if not attrs.has(type(value)):
        return value
    moved = {field.name: _shifted(getattr(value, field.name), cell) for field in attrs.fields(type(value))}
    return attrs.evolve(value, **moved)


def _may_edit(answer: Any) -> bool:
    """Whether an answer may hold edits, which must never meet the JSON of a notebook."""
    if isinstance(answer, list | tuple):
        return any(isinstance(one, types.CodeAction) for one in answer)
    return isinstance(answer, types.WorkspaceEdit)

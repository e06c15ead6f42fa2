"""The cells that the client holds open, and the text in which the features see them."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import Workspace

from lsp_server.analysis.stale_results import Moved, line_move
from lsp_server.answers.diagnostics import NOT_CHECKED, SOURCE

# Past the end of any line, which stands for its end.
LINE_END = 2**31 - 1
_NOWHERE = 1_000_000


@dataclass(frozen=True)
class HeldCell:
    """A Python cell, and where its lines stand in the notebook's text: `count` of them from `first`, from 0.

    There it is as it was when it was Python last (`shown`), and `fault` says why it is not at the moment. A
    cell in another language, which its first line may say, has no lines there.
    """

    uri: str
    version: int | None
    first: int
    count: int
    text: str
    shown: str
    fault: str = ""
    fault_line: int = 0

    @property
    def is_behind(self) -> bool:
        """Whether the notebook's text holds an earlier text of the cell."""
        return self.shown != self.text

    @property
    def stamp(self) -> str:
        """What changes when the same place of the notebook's text is another of the cell."""
        return f"{self.first}.{self.version}" if self.is_behind else str(self.first)

    def holds(self, line: int) -> bool:
        """Whether a line of the notebook's text is one of this cell."""
        return self.first <= line < self.first + self.count

    def line_here(self, line: int) -> int | None:
        """The cell's line of a line of the notebook's text, both from 0; None where that has changed."""
        if not self.is_behind:
            return line - self.first
        here = self._here(line - self.first + 1)
        return None if here is None else here - 1

    def line_there(self, line: int) -> int:
        """The line of the notebook's text of a line of the cell, or of the nearest above that is the same."""
        if not self.is_behind:
            return line + self.first
        found = (self._there(one + 1) for one in range(line, -1, -1))
        return self.first + next((one - 1 for one in found if one is not None), 0)

    def faults(self) -> list[types.Diagnostic]:
        """What keeps the cell from being Python, where the notebook's text does not tell it."""
        if not self.is_behind:
            return []
        line = self.fault_line - 1
        place = types.Range(types.Position(line, 0), types.Position(line, LINE_END))
        said, error = f"Not checked: {self.fault}", types.DiagnosticSeverity.Error
        return [types.Diagnostic(place, said, error, code=NOT_CHECKED, source=SOURCE)]

    @cached_property
    def _here(self) -> Moved:
        return line_move(_lines(self.shown), _lines(self.text))

    @cached_property
    def _there(self) -> Moved:
        return line_move(_lines(self.text), _lines(self.shown))


@dataclass(frozen=True)
class Notebook:
    """A version of an open notebook: the text of all its Python cells, and the cells."""

    uri: str
    version: int
    text: str
    cells: tuple[HeldCell, ...]

    def cell_at(self, line: int) -> HeldCell | None:
        """The cell that a line of the text belongs to."""
        return next((cell for cell in self.cells if cell.holds(line)), None)


def joined_notebook(
    workspace: Workspace, document: types.NotebookDocument, good: MutableMapping[str, str]
) -> Notebook:
    """A notebook's Python cells in one text; `good` keeps by URI what each was when it was Python last."""
    parts: list[str] = []
    cells: list[HeldCell] = []
    line = 0
    for number, cell in enumerate(document.cells, 1):
        held = workspace.text_documents.get(unquote(cell.document))
        if cell.kind != types.NotebookCellKind.Code or held is None or held.language_id != "python":
            continue
        from advisor.model.text.notebooks.magics import python_of

        read = python_of(held.source)
        if not read.fault:
            good[cell.document] = held.source
        shown = good.get(cell.document, held.source)
        from advisor.model.text.notebooks.joined_text import joined_cell

        part = joined_cell(number, shown)
        place = (line + 1, part.count("\n") - 1) if part else (_NOWHERE, 0)
        cells.append(HeldCell(cell.document, held.version, *place, held.source, shown, read.fault, read.line))
        parts.append(part)
        line += part.count("\n")
    return Notebook(document.uri, document.version, "".join(parts), tuple(cells))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))

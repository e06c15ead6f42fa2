"""Edits of a notebook's joined text, kept inside of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.model.findings import Edit
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.joined_text import Cells, JoinedCell, cells_of

_COMMAND = re.compile(r"#ipython(?:-timed)?: .*")


def inside_cells(edits: Iterable[Edit], path: str, texts: Mapping[str, str]) -> list[Edit] | None:
    """The edits of a fix for a finding in `path`, those in notebooks inside of their cells.

    What is put before a cell goes to its beginning. None where an edit reaches from one cell into another, or
    touches one of IPython's commands.
    """
    given = list(edits)
    if not any(map(is_notebook, {edit.path or path for edit in given})):
        return given
    found = []
    for edit in given:
        kept = _inside(edit, edit.path or path, texts)
        if kept is None:
            return None
        found.append(kept)
    return found


def _inside(edit: Edit, path: str, texts: Mapping[str, str]) -> Edit | None:
    if not is_notebook(path):
        return edit
    cells = cells_of(texts[path])
    cell = cells.at_offset(edit.start)
    if cell is None:
        return None
    if edit.start == edit.end and edit.start < cell.begin:
        return replace(edit, start=cell.begin, end=cell.begin)
    moved = _without_the_last_line_end(edit, cell)
    if moved.start < cell.begin or moved.end > cell.end or _touches_a_command(moved, cell, cells):
        return None
    return moved


def _without_the_last_line_end(edit: Edit, cell: JoinedCell) -> Edit:
    """An edit over a cell's last line without the line end that only the joined text has."""
    if edit.end != cell.end + 1 or edit.start == edit.end:
        return edit
    return replace(edit, end=cell.end, text=edit.text.removesuffix("\n"))


def _touches_a_command(edit: Edit, cell: JoinedCell, cells: Cells) -> bool:
    before = cells.text[cell.begin : cell.end]
    start, end = edit.start - cell.begin, edit.end - cell.begin
    after = before[:start] + edit.text + before[end:]
    return _COMMAND.findall(before) != _COMMAND.findall(after)

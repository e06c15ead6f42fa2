"""New sources written into a notebook's JSON: everything else stays as it is, to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from advisor.model.text.notebooks.joined_text import cells_of, joined_cell
from advisor.model.text.notebooks.json_text import Item, StoredCell, decode_notebook, read_cells

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BYTE_ORDER_MARK = "\ufeff"


class CannotBeWritten(Exception):
    """Why a text cannot be written back into its notebook, as the end of a sentence."""


def with_joined_text(data: bytes, path: str, text: str) -> str:
    """The notebook of the bytes `data` with the cells of a joined text, which was changed inside of cells.

    Outputs, metadata, the order of keys, indentation and the lines that did not change are left as they are.
    Raises CannotBeWritten where cells came or went, or a cell cannot be told from its joined text.
    """
    content = decode_notebook(data, path)
    stored = [cell for cell in read_cells(content, path) if cell.is_python]
    parts = [(cell, part) for cell in stored if (part := joined_cell(cell.number, cell.source))]
    cells = cells_of(text)
    if [cell.number for cell, _ in parts] != [cell.number for cell in cells.every] or (
        cells.every and cells.every[0].header
    ):
        raise CannotBeWritten("the edit does not stay inside its cells")
    new = {}
    for (cell, part), after in zip(parts, cells.every, strict=True):
        before = cells_of(part)
        if after.fault or part[before.every[0].begin : -1] == text[after.begin : after.end]:
            continue
        if before.source(before.every[0]) != cell.source:
            raise CannotBeWritten(f"cell {cell.number} has lines that cannot be written back")
        new[cell.number] = cells.source(after)
    mark = _BYTE_ORDER_MARK if data.startswith(_BYTE_ORDER_MARK.encode()) else ""
    return mark + _with_sources(content, [cell for cell, _ in parts], new)


def changed_cells(before: str, after: str) -> list[tuple[int, str, str]]:
    """The cells in which two joined texts of a notebook differ: number, old and new source."""
    old, new = cells_of(before), cells_of(after)
    pairs = [
        (one.number, old.source(one), new.source(other))
        for one, other in zip(old.every, new.every, strict=False)
        if not one.fault
    ]
    return [pair for pair in pairs if pair[1] != pair[2]]


def _with_sources(content: str, cells: list[StoredCell], new: Mapping[int, str]) -> str:
    parts, at = [], 0
    for cell in cells:
        if cell.number in new:
            parts += [content[at : cell.start], _value(content, cell, new[cell.number])]
            at = cell.end
    return "".join([*parts, content[at:]])


def _value(content: str, cell: StoredCell, source: str) -> str:
    """The JSON of a cell's source, written as that which stands there."""
    plain = content.isascii()
    if content[cell.start] == '"':
        return json.dumps(source, ensure_ascii=plain)
    known = {item.text: content[item.start : item.end] for item in cell.items}
    lines = [known.get(line) or json.dumps(line, ensure_ascii=plain) for line in _LINE.findall(source)]
    first, last = cell.items[0], cell.items[-1]
    opening, closing = content[cell.start : first.start], content[last.end : cell.end]
    return opening + _separator(content, opening, cell.items).join(lines) + closing


def _separator(content: str, opening: str, items: tuple[Item, ...]) -> str:
    if len(items) > 1:
        return content[items[0].end : items[1].start]
    return "," + (opening[1:] or " ")

"""The Python files that cells of a notebook write: programs of their own, whose names no other cell sees."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.model.text.notebooks.joined_text import Cells, JoinedCell, cells_of
from advisor.model.text.notebooks.magics import writing


@dataclass(frozen=True)
class WrittenFile:
    """A file by the name that its cell gives it, and its text at its lines of the joined text."""

    name: str
    text: str


def own_and_written(joined: str) -> tuple[str, tuple[WrittenFile, ...]]:
    """The joined text without the cells that are written to files, and these files; every line stays where
    it is, those of the others are empty.

    A file that is written again is another file; what is added to one belongs to it.
    """
    cells = cells_of(joined)
    files: list[tuple[str, list[JoinedCell]]] = []
    for cell in cells.every:
        written = writing(joined[cell.begin : cell.end])
        if written is None:
            continue
        known = [held for name, held in files if name == written.file]
        if written.appends and known:
            known[-1].append(cell)
        else:
            files.append((written.file, [cell]))
    if not files:
        return joined, ()
    apart = {cell.number for _, held in files for cell in held}
    own = [cell for cell in cells.every if cell.number not in apart]
    return _lines_of(own, cells, headers=True), tuple(
        WrittenFile(name, _lines_of(held, cells, headers=False)) for name, held in files
    )


def _lines_of(kept: list[JoinedCell], cells: Cells, *, headers: bool) -> str:
    """The joined text with nothing but the lines of some cells, and the headers of all where wanted."""
    lines = cells.text.split("\n")
    shown = {line for cell in kept for line in range(cell.first, cell.first + cell.count)}
    if headers:
        shown |= {cell.first - 1 for cell in cells.every}
    return "\n".join(line if number in shown else "" for number, line in enumerate(lines, 1))

"""What a page is made of: parts with a picture, tables and lists, which the template writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """What stands in a cell: `target` is an address, `style` a class of the style sheet; `is_prose` has what
    stands in backticks shown as code.
    """

    text: str
    target: str = ""
    style: str = ""
    is_prose: bool = False


@dataclass(frozen=True)
class Table:
    """A table; `numbers` are the columns that hold numbers, `folded` one that is shown when asked for."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: frozenset[int] = frozenset()
    folded: bool = False


@dataclass(frozen=True)
class Picture:
    """A chart, drawn as SVG for full, wide and narrow windows; `alt` says in words what it shows."""

    name: str
    alt: str
    caption: str
    full: str
    wide: str
    narrow: str


@dataclass(frozen=True)
class Part:
    """A part of the page under a heading; what is empty is left out. `name` is what links to it end in."""

    name: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    picture: Picture | None = None
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def cells(*texts: str | Cell) -> tuple[Cell, ...]:
    """A row of a table."""
    return tuple(text if isinstance(text, Cell) else Cell(text) for text in texts)


def without_empty_columns(
    caption: str,
    header: tuple[str, ...],
    rows: tuple[tuple[Cell, ...], ...],
    numbers: frozenset[int],
    folded: bool = False,
) -> Table:
    """The table without the columns of which nothing is known."""
    kept = [at for at in range(len(header)) if any(row[at].text for row in rows)]
    return Table(
        caption,
        tuple(header[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        frozenset(new for new, at in enumerate(kept) if at in numbers),
        folded,
    )

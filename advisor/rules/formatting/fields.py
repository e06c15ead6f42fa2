"""Fields of entities: their colons stand under each other, and so does what follows their units."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.rules.formatting.page import Blank, Page, blank_lines, width
from advisor.rules.formatting.tokens import PER, Word

Field = Sequence[Word]
_CONTINUED = 4


def set_fields(page: Page, fields: Sequence[Field], indent: int) -> None:
    """Set each field on a line. A blank line ends what is aligned together."""
    blank = Blank.FIRST
    for block in _blocks(fields):
        name_width = max(len(field[0].text) for field in block)
        units = [_unit(field) for field in block]
        # A rate such as sectors/request is long and rare; it may stick out.
        unit_width = max((width(unit) for unit in units if all(w.kind != PER for w in unit)), default=0)
        for field, unit in zip(block, units, strict=True):
            page.begin(field[0], indent, blank)
            blank = Blank.AS_WRITTEN
            at = 2 + len(unit)
            page.put(field[1], indent + _CONTINUED, " " * (name_width - len(field[0].text) + 1))
            page.put_all(field[2:at], indent + _CONTINUED)
            for index, word in enumerate(field[at:]):
                gap = None if index else " " * (max(unit_width - width(unit), 0) + 1)
                page.put(word, indent + _CONTINUED, gap)


def _blocks(fields: Sequence[Field]) -> list[list[Field]]:
    blocks: list[list[Field]] = []
    for field in fields:
        if not blocks or any(blank_lines(field[0], Blank.AS_WRITTEN)):
            blocks.append([])
        blocks[-1].append(field)
    return blocks


def _unit(field: Field) -> Field:
    """The words between the colon and the range or the text: a unit, or two with a slash."""
    return field[2:5] if len(field) > 4 and field[3].kind == PER else field[2:3]

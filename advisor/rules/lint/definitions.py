"""Definitions that no rule, metric or other definition uses."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rules.lint.remarks import Remark, remark
from advisor.rules.model import Rulebook


def look(book: Rulebook) -> Iterator[Remark]:
    """The remarks about definitions."""
    for definition in book.definitions:
        if not definition.used:
            yield remark("L107", definition.file, definition.span, name=definition.name)

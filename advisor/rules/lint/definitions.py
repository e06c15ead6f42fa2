"""Definitions that no rule, metric or other definition uses."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, remark


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about definitions."""
    for definition in asked.book.definitions:
        if not definition.used:
            yield remark("L107", definition.file, definition.span, name=definition.name)

"""A card of numbers: a title, sentences, tables and assumptions, as Markdown or as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config
from advisor.rules import Rulebook
from advisor.rules.units import COUNT, Unit, format_range, format_value
from lsp_server.numbers.rows import Row

_MARKS = re.compile(r"[\\`*\[\]<|]|(?<!\w)_|_(?!\w)")
_RULE = "---"


@dataclass(frozen=True)
class Grid:
    """A table of texts under a heading, the header first."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Card:
    """What is to be shown about one thing. `name` is code, as it stands in the text."""

    name: str
    kind: str
    sentences: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    assumed: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The card for a client that reads Markdown."""
        parts = [f"{_code(self.name)} {_escaped(self.kind)}", *map(_escaped, self.sentences)]
        for grid in self.grids:
            head, *rows = (tuple(map(_escaped, row)) for row in grid.rows)
            lines = (f"| {' | '.join(row)} |" for row in (head, (_RULE,) * len(head), *rows))
            parts.append("\n".join([*([f"**{grid.heading}**", ""] if grid.heading else []), *lines]))
        if self.assumed:
            parts.append("\n".join(["**Assumed**", "", *(f"- {_escaped(one)}" for one in self.assumed)]))
        return "\n\n".join(parts)

    def plain(self) -> str:
        """The card for a client that shows text as it is."""
        parts = [f"{self.name} {self.kind.replace('`', '')}", *self.sentences]
        for grid in self.grids:
            widths = [max(map(len, column)) for column in zip(*grid.rows, strict=True)]
            lines = (
                "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                for row in grid.rows
            )
            parts.append("\n".join([*([grid.heading] if grid.heading else []), *lines]))
        if self.assumed:
            parts.append("\n".join(["Assumed", *(f"- {one}" for one in self.assumed)]))
        return "\n\n".join(parts)


@dataclass(frozen=True)
class Quantities:
    """Writes values in the units that the vocabulary declares."""

    settings: Config

    def written(self, row: Row, metric: str) -> str:
        """The value of a metric with its unit, empty where it is unknown."""
        value, most, unit = row.value(metric), row.most(metric), self._unit(row.entity, metric)
        if value is None:
            return ""
        if most is None or isinstance(value, str):
            return format_value(value, unit)
        return format_range(value, most, unit)

    def grid(self, heading: str, row: Row, metrics: Iterable[str]) -> tuple[Grid, ...]:
        """A table of those metrics that are known, with their sources; nothing when none is."""
        rows = [
            (metric, written, row.told(metric))
            for metric in metrics
            if (written := self.written(row, metric))
        ]
        return (Grid(heading, (("metric", "value", "evidence"), *rows)),) if rows else ()

    @cached_property
    def _rulebook(self) -> Rulebook:
        return rulebook_for(self.settings, strict=False)

    def _unit(self, entity: str, metric: str) -> Unit:
        declared = self._rulebook.metric(entity, metric)
        return COUNT if declared is None else declared.unit


def joined(cards: Sequence[Card], markdown: bool) -> str:
    """The cards one under the other, alike ones once."""
    texts = dict.fromkeys(card.markdown() if markdown else card.plain() for card in cards)
    return "\n\n---\n\n".join(texts)


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{' ' * (len(fence) - 1)}{text}{' ' * (len(fence) - 1)}{fence}"


def _escaped(text: str) -> str:
    """The text meaning itself; code in backticks stays code. Underscores inside words mean nothing."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part.replace("|", "\\|") if index % 2 else _MARKS.sub(r"\\\g<0>", part)
        for index, part in enumerate(parts)
    )

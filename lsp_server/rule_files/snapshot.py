"""What is known of an open rule file at one moment: its text, its rulebook, and places in both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.text.source_text import SourceText
from advisor.rules.model import Rulebook
from lsp_server.protocol.positions import Positions
from lsp_server.rule_files.books import OpenBook
from lsp_server.rule_files.documents import RuleDocument
from lsp_server.rule_files.folders import place_in
from lsp_server.rule_files.text.read_file import Reading, read
from lsp_server.rule_files.text.symbols import Name


@dataclass(frozen=True)
class Snapshot:
    """A document and the rulebook it is part of. `uris` are those of open rule files.

    `opened` is for the thread of the rulebooks alone.
    """

    document: RuleDocument
    book: Rulebook
    opened: OpenBook
    codec: PositionCodec
    uris: Mapping[Path, str]

    @cached_property
    def reading(self) -> Reading:
        """The document's own text."""
        return read(self.document.content, self.opened.variables)

    @cached_property
    def file(self) -> Path:
        """The document's file as the rulebook knows it."""
        place = place_in(self.document.file, self.opened.folders)
        return place[1] if place is not None else self.document.file

    @cached_property
    def path(self) -> str:
        """What the rulebook calls the document."""
        return self.opened.name_of(self.document.file)

    @cached_property
    def positions(self) -> Positions:
        """The places of the document in the client's units."""
        return Positions(self.document.source, self.codec)

    def offset(self, position: types.Position) -> int:
        """The offset of a client's position, which may lie anywhere."""
        return self.reading.lines.offset(self.positions.place(position))

    def range(self, start: int, end: int) -> types.Range:
        """The client's range between two offsets of the document."""
        return self.positions.range(self.reading.span(start, end))

    def readings(self, word: str, form: re.Pattern[str] | None = None) -> Iterator[tuple[Path, Reading]]:
        """The files of the rulebook in whose present text a word stands, and something of a form."""
        for file, text in self.opened.texts():
            if word in text and (form is None or form.search(text)):
                yield file, read(text, self.opened.variables)

    def location(self, file: Path, reading: Reading, name: Name) -> types.Location:
        """The place of a name in a file of the rulebook."""
        positions = Positions(SourceText(file.name, reading.text), self.codec)
        return types.Location(self.uri(file), positions.range(reading.span(name.start, name.end)))

    def uri(self, file: Path) -> str:
        """The address of a file; of an open one that which the client uses."""
        return self.uris.get(file) or file.as_uri()

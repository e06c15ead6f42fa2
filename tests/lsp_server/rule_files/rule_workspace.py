"""A workspace of rule files without an editor: what the server would know of one of its documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from lsp_server.rule_files.books import RuleBooks
from lsp_server.rule_files.documents import RuleDocument
from lsp_server.rule_files.folders import place_in
from lsp_server.rule_files.snapshot import Snapshot

CURSOR = "¦"


class RuleWorkspace:
    """Documents in a folder; every text is open in the editor and none lies on the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.books = RuleBooks()
        self.encoding = types.PositionEncodingKind.Utf16

    def snapshot(self, name: str, texts: Mapping[str, str] | str) -> Snapshot:
        """What is known of the document `name` while these texts are open; one text is its own."""
        given = {name: texts} if isinstance(texts, str) else texts
        documents = [self._document(one, text) for one, text in given.items()]
        (own,) = (one for one in documents if one.file == self.folder / name)
        opened = self.books.of(own, documents)
        places = ((place_in(one.file, opened.folders), one.uri) for one in documents)
        uris = {place[1]: uri for place, uri in places if place is not None}
        return Snapshot(own, opened.book, opened, PositionCodec(self.encoding), uris)

    def at_cursor(self, name: str, texts: Mapping[str, str] | str) -> tuple[Snapshot, int]:
        """The same with the offset of the cursor mark in the document, which is taken out."""
        given = {name: texts} if isinstance(texts, str) else dict(texts)
        offset = given[name].index(CURSOR)
        given[name] = given[name].replace(CURSOR, "")
        return self.snapshot(name, given), offset

    def _document(self, name: str, text: str) -> RuleDocument:
        file = self.folder / name
        return RuleDocument(file.as_uri(), 1, file, self.folder, text)


def replaced(text: str, edits: list[types.TextEdit]) -> str:
    """A text of ASCII after edits."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]

    def offset(place: types.Position) -> int:
        return starts[place.line] + place.character

    for edit in sorted(
        edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True
    ):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text

"""What each word of a rule file is, for the editor's colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from lsp_server.rule_files.snapshot import Snapshot
    from lsp_server.rule_files.text.read_file import Reading
    from lsp_server.rule_files.text.symbols import Name
    from lsp_server.rule_files.text.words import Word

_TYPES = (
    "comment", "string", "keyword", "number", "operator", "class", "property", "variable", "parameter",
    "function", "type", "enumMember", "namespace",
)  # fmt: skip
_MODIFIERS = ("declaration", "documentation", "readonly", "defaultLibrary")
LEGEND = types.SemanticTokensLegend(list(_TYPES), list(_MODIFIERS))
_OF_SYMBOLS = {
    "rule": "namespace",
    "entity": "class",
    "metric": "property",
    "definition": "function",
    "param": "parameter",
    "let": "variable",
    "variable": "variable",
    "function": "function",
    "pattern": "enumMember",
}
_OF_WORDS = {
    "doc": "comment",
    "comment": "comment",
    "text": "string",
    "open_text": "string",
    "date": "number",
    "number": "number",
    "unit": "type",
    "word": "keyword",
    "id": "namespace",
    "attr": "property",
}
_OPERATORS = frozenset({"<", "<=", ">", ">=", "=", "!=", "+", "-", "*", "/", ".."})
_VALUES = frozenset(
    {"info", "warning", "error", "low", "medium", "high", "fires", "silent", "unknown", "safe", "missing"}
)
_Piece = tuple[int, int, str, int]


def colours_of(snapshot: Snapshot) -> list[int]:
    """The words of a document as the protocol wants them: each relative to the one before."""
    data: list[int] = []
    last_line = last_start = 0
    units = snapshot.codec.client_num_units
    lines = snapshot.reading.lines
    for start, end, kind, modifiers in _pieces(snapshot.reading):
        line, column = lines.place(start)
        before = lines.text[start - column + 1 : start]
        own = units(before) if not before.isascii() else len(before)
        text = lines.text[start:end]
        length = units(text) if not text.isascii() else len(text)
        data += [
            line - 1 - last_line,
            own - last_start if line - 1 == last_line else own,
            length,
            _TYPES.index(kind),
            modifiers,
        ]
        last_line, last_start = line - 1, own
    return data


def _pieces(reading: Reading) -> Iterator[_Piece]:
    """The parts of words that have one colour, in order."""
    names = [*reading.names]
    at = 0
    for word in reading.words:
        while at < len(names) and names[at].start < word.start:
            at += 1
        inside = []
        while at < len(names) and names[at].end <= word.end:
            inside.append(names[at])
            at += 1
        yield from _of_word(word, inside)


def _of_word(word: Word, names: list[Name]) -> Iterator[_Piece]:
    kind = _kind(word)
    place = word.start
    for name in names:
        if name.start < place:
            continue
        if kind == "string" and name.start > place:
            yield place, name.start, kind, 0
        yield name.start, name.end, _OF_SYMBOLS[name.symbol.kind], _modifiers(name)
        place = name.end
    if place < word.end and kind and (not names or kind == "string"):
        documentation = 1 << _MODIFIERS.index("documentation") if word.kind == "doc" else 0
        yield place, word.end, kind, documentation


def _kind(word: Word) -> str:
    if word.kind == "mark":
        return "operator" if word.text in _OPERATORS else ""
    return "enumMember" if word.kind == "word" and word.text in _VALUES else _OF_WORDS[word.kind]


def _modifiers(name: Name) -> int:
    found = 1 << _MODIFIERS.index("declaration") if name.role == "definition" else 0
    if name.symbol.kind == "let":
        found |= 1 << _MODIFIERS.index("readonly")
    return found | (1 << _MODIFIERS.index("defaultLibrary") if name.symbol.kind == "function" else 0)

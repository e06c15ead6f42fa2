"""What a rule file consists of, and which of its lines can be folded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lsprotocol import types

from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.parts import Part
from lsp_server.rule_files.text.read_file import Reading
from lsp_server.rule_files.text.words import Word

_ITEMS = {
    "rule": types.SymbolKind.Class,
    "metric": types.SymbolKind.Property,
    "entity": types.SymbolKind.Struct,
    "define": types.SymbolKind.Function,
    "override": types.SymbolKind.Operator,
    "suppress": types.SymbolKind.Operator,
    "except": types.SymbolKind.Operator,
    "pack": types.SymbolKind.Package,
    "renamed": types.SymbolKind.Key,
    "retired": types.SymbolKind.Key,
}
_CLAUSES = {
    "param": types.SymbolKind.Constant,
    "let": types.SymbolKind.Variable,
    "when": types.SymbolKind.Boolean,
    "given": types.SymbolKind.Object,
    "example": types.SymbolKind.Event,
}
_IN_ENTITY = types.SymbolKind.Field


def symbols_of(snapshot: Snapshot) -> list[types.DocumentSymbol]:
    """The items of a document with their parts."""
    return [_symbol(item, snapshot) for item in snapshot.reading.items if item.kind in _ITEMS]


def _symbol(item: Part, snapshot: Snapshot) -> types.DocumentSymbol:
    name = item.name or item.words[0]
    title = next((word.text.strip('"') for word in item.words[2:3] if word.kind == "text"), "")
    found = types.DocumentSymbol(
        name=_name(name),
        kind=_ITEMS[item.kind],
        range=snapshot.range(item.start, item.words[-1].end),
        selection_range=snapshot.range(name.start, name.end),
        detail=title or item.kind,
    )
    fields = [_field(*pair, snapshot) for pair in _fields(item, snapshot.reading)]
    parts = [_part(part, snapshot) for part in item.parts if part.kind in _CLAUSES]
    found.children = fields or parts or None
    return found


def _part(part: Part, snapshot: Snapshot) -> types.DocumentSymbol:
    named = part.kind in ("param", "let") and part.name is not None
    place = part.name if named and part.name is not None else part.words[0]
    quoted = next((word.text.strip('"') for word in part.words if word.kind == "text"), "")
    verdict = part.name.text if part.name is not None else ""
    label = {"when": "when", "example": f"{verdict}: {quoted}"}.get(part.kind, place.text)
    return types.DocumentSymbol(
        name=label,
        kind=_CLAUSES[part.kind],
        range=snapshot.range(part.start, part.words[-1].end),
        selection_range=snapshot.range(place.start, place.end),
    )


def _field(name: Word, end: int, snapshot: Snapshot) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=name.text,
        kind=_IN_ENTITY,
        range=snapshot.range(name.start, end),
        selection_range=snapshot.range(name.start, name.end),
    )


def _fields(item: Part, reading: Reading) -> Iterator[tuple[Word, int]]:
    """The metrics of an entity, each with the offset where it ends."""
    if item.kind != "entity":
        return
    names = [
        name
        for name in reading.names
        if item.start <= name.start < item.end and name.symbol.kind == "metric" and name.role == "definition"
    ]
    for name in names:
        line_end = reading.text.find("\n", name.end)
        end = line_end if line_end >= 0 else len(reading.text)
        yield Word("word", name.symbol.name, name.start, name.end), end


def _name(word: Word) -> str:
    return word.text.strip('"') or word.text


def foldings_of(reading: Reading) -> list[types.FoldingRange]:
    """The lines that can be folded: items, clauses of several lines, examples in a row, and comments."""
    found: dict[tuple[int, int], types.FoldingRange] = {}
    for start, end, kind in _stretches(reading):
        lines = reading.lines.place(start)[0] - 1, reading.lines.place(end)[0] - 1
        if lines[1] > lines[0]:
            found.setdefault(lines, types.FoldingRange(*lines, kind=kind))
    return [found[lines] for lines in sorted(found)]


def _stretches(reading: Reading) -> Iterator[tuple[int, int, types.FoldingRangeKind | None]]:
    for item in reading.items:
        closes = item.words[-1].text == "}"
        yield item.start, _line_before(reading, item.words[-1]) if closes else item.words[-1].end, None
        for part in item.parts:
            yield part.start, part.words[-1].end, None
        for kind, group in groupby(item.parts, key=lambda part: part.kind):
            parts = list(group)
            if kind == "example":
                yield parts[0].start, parts[-1].words[-1].end, types.FoldingRangeKind.Region
    for sort, row in groupby(reading.words, key=lambda word: word.kind):
        words = list(row)
        if sort in ("comment", "doc"):
            yield words[0].start, words[-1].end, types.FoldingRangeKind.Comment


def _line_before(reading: Reading, brace: Word) -> int:
    """The end of the line before a closing brace, which stays in sight."""
    return max(reading.text.rfind("\n", 0, brace.start), 0)

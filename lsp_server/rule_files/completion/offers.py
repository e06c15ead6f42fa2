"""Candidates as the protocol's completion items."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.completion.candidates import Candidate, about, candidates
from lsp_server.rule_files.completion.place import Place, place_at
from lsp_server.rule_files.snapshot import Snapshot

_KINDS = {
    "metric": types.CompletionItemKind.Field,
    "entity": types.CompletionItemKind.Class,
    "variable": types.CompletionItemKind.Variable,
    "param": types.CompletionItemKind.Constant,
    "let": types.CompletionItemKind.Variable,
    "definition": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "unit": types.CompletionItemKind.Unit,
    "rule": types.CompletionItemKind.Reference,
    "pattern": types.CompletionItemKind.EnumMember,
    "text": types.CompletionItemKind.Value,
}


def offers_at(snapshot: Snapshot, position: types.Position) -> list[types.CompletionItem]:
    """What can be completed at a position."""
    place = place_at(snapshot.reading, snapshot.offset(position))
    found = candidates(place, snapshot.book, snapshot.document.file)
    start = _start(place)
    place_of = snapshot.range(start, place.offset)
    return [_item(one, place_of, number, snapshot, place) for number, one in enumerate(found)]


def _start(place: Place) -> int:
    """Where the part begins that is replaced: the whole of a text that is begun, else the word."""
    if place.text_before is None or "{" in place.text_before:
        return place.begin
    return place.offset - len(place.text_before)


def _item(
    one: Candidate, where: types.Range, number: int, snapshot: Snapshot, place: Place
) -> types.CompletionItem:
    behind = snapshot.reading.text[place.offset : place.offset + 1]
    closes = place.text_before is not None and one.kind == "text" and behind != '"'
    text = f'{one.text}"' if closes else one.text
    return types.CompletionItem(
        label=one.text,
        kind=_KINDS.get(one.kind, types.CompletionItemKind.Keyword),
        detail=one.detail or None,
        sort_text=f"{number:04}",
        filter_text=one.text,
        text_edit=types.TextEdit(where, text),
        data={
            "language": RULES,
            "uri": snapshot.document.uri,
            "kind": one.kind,
            "of": one.of,
            "name": one.text,
        },
    )


def documented(item: types.CompletionItem, snapshot: Snapshot, markdown: bool) -> types.CompletionItem:
    """An item of `offers_at` with what there is to say of it."""
    data = item.data if isinstance(item.data, dict) else {}
    kind, of, name = (str(data.get(key, "")) for key in ("kind", "of", "name"))
    text = about(kind, of, name, snapshot.book)
    if text:
        style = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
        item.documentation = types.MarkupContent(style, text)
    return item

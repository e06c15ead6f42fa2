"""Columns in the units that server and client have agreed on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_pairs import TRANSPOSED
from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.text.source_text import SourceText, Span
from lsp_server.protocol.positions import Positions, holds

UTF_8, UTF_16, UTF_32 = (types.PositionEncodingKind(name) for name in ("utf-8", "utf-16", "utf-32"))


# `b` stands behind "        x = '🌍'; ": 16 ASCII characters and one of 4 bytes, 2 units of UTF-16.
@pytest.mark.parametrize(
    ("offered", "agreed", "column"),
    [
        (None, "utf-16", 18),
        (["utf-16"], "utf-16", 18),
        (["utf-8", "utf-16"], "utf-8", 20),
        (["utf-32", "utf-16"], "utf-32", 17),
        (["utf-7"], "utf-16", 18),
    ],
)
def test_columns_are_in_the_units_agreed_on(client, offered, agreed, column):
    text = TRANSPOSED.replace("        a[i, j] = b[i, j] * 2\n", "        x = '🌍'; b[i, j] = 1\n")
    answer = client.start(offered)
    assert answer["capabilities"]["positionEncoding"] == agreed
    uri = client.open("k.py", text)
    (found,) = client.published(uri, 1)
    assert found["range"]["start"] == {"line": 7, "character": column}
    assert found["range"]["end"] == {"line": 7, "character": column + len("b[i, j]")}
    shown = client.hover(uri, 7, column + 1)
    assert shown["range"] == found["range"]


def test_lines_are_what_an_editor_calls_lines(client):
    client.start(pulls=True)
    for odd in ("\f", "\u2028", "\x85", "\v", "\x1c"):
        for end in ("\n", "\r\n", "\r"):
            text = TRANSPOSED.replace("\n\n\n", f"\n# page {odd} break\n\n", 1).replace("\n", end)
            name = f"k{ord(odd)}_{ord(end[0])}_{len(end)}.py"
            (found,) = client.pulled(client.open(name, text))
            assert found["range"]["start"] == {"line": 7, "character": 18}, (odd, end)


@given(line=st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), data=st.data())
def test_units_are_those_of_the_encoded_line(line, data):
    column = data.draw(st.integers(1, len(line) + 1))
    text = SourceText("k.py", f"first\n{line}\nlast\n")
    for kind, codec, size in ((UTF_8, "utf-8", 1), (UTF_16, "utf-16-le", 2), (UTF_32, "utf-32-le", 4)):
        positions = Positions(text, PositionCodec(kind))
        found = positions.position(2, column)
        assert (found.line, found.character) == (1, len(line[: column - 1].encode(codec)) // size)
        assert positions.place(found) == (2, column)


def test_places_past_the_text_are_taken_to_its_ends():
    positions = Positions(SourceText("k.py", "ab\n"), PositionCodec(UTF_16))
    assert positions.range(Span(1, 2, 1, 99)) == types.Range(types.Position(0, 1), types.Position(0, 2))
    assert positions.range(Span(9, 5, 9, 6)) == types.Range(types.Position(8, 0), types.Position(8, 0))
    assert positions.place(types.Position(0, 99)) == (1, 3)
    assert positions.place(types.Position(7, 3)) == (8, 1)


def test_a_position_inside_a_character_belongs_to_it():
    positions = Positions(SourceText("k.py", "🌍x\n"), PositionCodec(UTF_16))
    assert positions.place(types.Position(0, 1)) == (1, 1)
    assert positions.place(types.Position(0, 2)) == (1, 2)


@pytest.mark.parametrize(
    ("place", "inside"), [((2, 4), False), ((2, 5), True), ((3, 1), True), ((4, 2), True), ((4, 3), False)]
)
def test_a_span_holds_the_places_up_to_its_end(place, inside):
    assert holds(Span(2, 5, 4, 2), place) is inside

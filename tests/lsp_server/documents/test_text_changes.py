"""Partial changes give the text that the editor has, in every unit of positions."""

from __future__ import annotations

import random

import pytest
from diagnostic_codes import codes
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_pairs import TRANSPOSED
from lsprotocol import types
from pygls.workspace import PositionCodec

from lsp_server.protocol.text_changes import changed

ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
# Characters of all widths, ends of lines, and what only `str.splitlines` takes for one.
CHARACTERS = "ab \té€🚀\u0301\n\r\f\u2028\x85"
TEXTS = st.text(CHARACTERS, max_size=30).map(lambda text: text.replace("\r", "\r\n"))


def position(text, offset, encoding):
    """The client's position of an offset, counted by its own encoder."""
    name, width = ENCODINGS[encoding]
    before = text[:offset].replace("\r\n", "\n")
    line = before.count("\n")
    column = before.rpartition("\n")[2]
    return types.Position(line, len(column.encode(name)) // width)


def partial(text, start, end, new, encoding):
    place = types.Range(position(text, start, encoding), position(text, end, encoding))
    return types.TextDocumentContentChangePartial(range=place, text=new)


def between_lines(text, offset):
    """The offset, or that before a line's end which it lies inside of."""
    return offset - (text[offset - 1 : offset + 1] == "\r\n")


@given(TEXTS, TEXTS, st.integers(0, 60), st.integers(0, 60), st.sampled_from(sorted(ENCODINGS)))
@settings(max_examples=300, deadline=None)
def test_a_change_anywhere(text, new, one, other, encoding):
    start, end = sorted(between_lines(text, min(place, len(text))) for place in (one, other))
    change = partial(text, start, end, new, encoding)
    assert changed(text, [change], PositionCodec(encoding)) == text[:start] + new + text[end:]


def test_changes_of_one_message_follow_each_other():
    text = "one\ntwo\n"
    first = partial(text, 0, 3, "🚀🚀", "utf-16")
    second = partial("🚀🚀\ntwo\n", 1, 2, "x", "utf-16")
    assert changed(text, [first, second], PositionCodec("utf-16")) == "🚀x\ntwo\n"
    whole = types.TextDocumentContentChangeWholeDocument("all\n")
    assert changed(text, [first, whole], PositionCodec("utf-16")) == "all\n"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((9, 0, 9, 5), "a🚀b\nc!"),
        ((0, 99, 0, 99), "a🚀b!\nc"),
        ((0, 99, 1, 0), "a🚀b!c"),
        ((1, 1, 0, 1), "a!"),
        # The second half of a character of two units stands for its beginning.
        ((0, 2, 0, 2), "a!🚀b\nc"),
    ],
)
def test_places_that_are_none(place, expected):
    start, end = types.Position(*place[:2]), types.Position(*place[2:])
    change = types.TextDocumentContentChangePartial(range=types.Range(start, end), text="!")
    assert changed("a🚀b\nc", [change], PositionCodec("utf-16")) == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_server_has_the_editors_text_after_200_random_edits(client, encoding):
    offers = client.start([encoding], pulls=True)["capabilities"]
    sync = offers["textDocumentSync"]
    assert (sync["change"] if isinstance(sync, dict) else sync) == 2
    head, tail = '"""', '"""; ROCKETS = "🚀🚀"\n' + TRANSPOSED
    inside, rng = "é🚀\n", random.Random(encoding)
    uri = client.open("k.py", head + inside + tail)
    for version in range(2, 202):
        start = rng.randrange(len(inside) + 1)
        end = min(start + rng.choice((0, 0, 1, 5, 30)), len(inside))
        new = "".join(rng.choice("x =(\n🚀é\f") for _ in range(rng.randrange(6)))
        text = head + inside + tail
        change(client, uri, version, partial(text, len(head) + start, len(head) + end, new, encoding))
        inside = inside[:start] + new + inside[end:]
    text = head + inside + tail
    (found,) = client.pulled(uri)
    assert found["code"] == "transposed-index"
    place = position(text, text.index("b[i, j]"), encoding)
    assert found["range"]["start"] == {"line": place.line, "character": place.character}
    assert client.stop() == 0


def change(client, uri, version, one):
    start, end = one.range.start, one.range.end
    place = {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }
    changes = [{"range": place, "text": one.text}]
    named = {"uri": uri, "version": version}
    client.notify("textDocument/didChange", {"textDocument": named, "contentChanges": changes})


def test_a_partial_change_of_the_kernel_alone(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.pulled(uri)) == ["transposed-index"]
    at = TRANSPOSED.index("i, j = cuda.grid")
    change(client, uri, 2, partial(TRANSPOSED, at, at + 4, "j, i", "utf-16"))
    assert client.pulled(uri) == []
    assert client.stop() == 0

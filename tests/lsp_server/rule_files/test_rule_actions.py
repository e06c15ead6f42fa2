"""What fixes an error or a remark, and what the file says then."""

from __future__ import annotations

import pytest
from rule_texts import HUNGRY


def apply(text: str, edit: dict) -> str:
    lines = text.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"]
    line = lines[start["line"]]
    lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("right", "wrong", "line", "title"),
    [
        ("k.registers >", "k.regsters >", 6, "Write `registers`"),
        ("< 50%", "< 50", 7, "Write `50%`"),
        ("severity warning", "severty warning", 11, "Write `severity`"),
        ("for each kernel", "for each kernl", 2, "Write `kernel`"),
        ("< 50%", "< 0.5", 7, "Write `50%`"),
    ],
)
def test_what_was_meant_is_written(client, right, wrong, line, title):
    client.start(pulls=True)
    text = HUNGRY.replace(right, wrong)
    uri = client.open("hungry-kernel.rules", text, "advisor-rules")
    sent = client.pulled(uri)
    (action,) = client.actions(uri, line, diagnostics=sent)
    assert (action["title"], action["kind"], action["isPreferred"]) == (title, "quickfix", True)
    assert action["diagnostics"][0]["range"]["start"]["line"] == line
    (edit,) = action["edit"]["changes"][uri]
    assert apply(text, edit) == HUNGRY


def test_no_action_where_nothing_is_certain(client):
    client.start()
    uri = client.open("hungry-kernel.rules", HUNGRY.replace("k.registers >", "k.zzzzzz >"), "advisor-rules")
    assert client.actions(uri, 6) == []
    assert client.actions(uri, 7) == []
    client.change(uri, 2, HUNGRY.replace("< 50%", "< 50"))
    assert client.actions(uri, 7, only=["refactor"]) == []
    assert len(client.actions(uri, 7, only=["quickfix"])) == 1

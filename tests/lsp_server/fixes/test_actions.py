"""The actions on a finding's line, and what the text says after they were taken."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from kernel_pairs import HEAD, STRAIGHT, TRANSPOSED

from advisor.model.findings import Finding
from advisor.model.text.source_text import SourceText, Span
from lsp_server.fixes.suppression import suppression


def apply(text, edit):
    lines = text.splitlines(keepends=True)
    start = edit["range"]["start"]
    assert start == edit["range"]["end"]
    line = lines[start["line"]].encode("utf-16-le")
    before, after = line[: 2 * start["character"]], line[2 * start["character"] :]
    lines[start["line"]] = (before + edit["newText"].encode("utf-16-le") + after).decode("utf-16-le")
    return "".join(lines)


def test_suppressing_a_finding_leaves_the_question_for_the_reason(client):
    client.start(pulls=True)
    text = TRANSPOSED.replace("* 2\n", "* 2  # 🌍\n")
    uri = client.open("k.py", text)
    sent = client.pulled(uri)
    action, explain = client.actions(uri, 7, 18, diagnostics=sent)
    assert action["title"] == "Ignore transposed-index here, with a reason"
    assert (explain["title"], explain["kind"]) == ("Explain transposed-index", "quickfix")
    assert explain["command"]["command"] == "advisor.explain"
    assert explain["command"]["arguments"] == [uri, "transposed-index"]
    assert action["kind"] == "quickfix"
    assert action["diagnostics"] == sent
    (edit,) = action["edit"]["changes"][uri]
    changed = apply(text, edit)
    comment = "  # advisor: ignore[transposed-index] TODO: say why this is acceptable here"
    assert changed.splitlines()[7] == "        a[i, j] = b[i, j] * 2  # 🌍" + comment
    client.change(uri, 2, changed)
    (left,) = client.pulled(uri)
    assert (left["code"], left["severity"]) == ("suppression-without-reason", 3)
    client.change(uri, 3, changed.replace("TODO: say why this is acceptable here", "4 by 4 elements"))
    assert client.pulled(uri) == []


def test_what_the_client_echoes_is_not_believed(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    (sent,) = client.pulled(uri)
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    action, _ = client.actions(uri, 7, 0, diagnostics=[{**sent, "range": nowhere}])
    (edit,) = action["edit"]["changes"][uri]
    assert edit["range"]["start"] == {"line": 7, "character": len("        a[i, j] = b[i, j] * 2")}
    # Without data, as some clients send it, or of another tool: the action is offered, linked to nothing.
    for other in ({**sent, "data": None}, {**sent, "source": "ruff"}, {**sent, "data": "0" * 16}):
        for action in client.actions(uri, 7, 0, diagnostics=[other]):
            assert "diagnostics" not in action


def test_nothing_is_offered_without_a_finding_or_when_other_kinds_are_asked_for(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    assert client.actions(uri, 6) == []
    assert client.actions(uri, 8) == []
    for only in (["source.fixAll"], ["refactor", "source"], ["quickfix.other"], []):
        assert client.actions(uri, 7, only=only) == [], only
    for only in (["quickfix"], ["source", "quickfix"], [""]):
        assert len(client.actions(uri, 7, only=only)) == 2, only
    assert client.actions(client.open("l.py", STRAIGHT), 7) == []


def test_what_concerns_an_intact_function_is_offered_beside_a_line_that_does_not_parse(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    titles = [action["title"] for action in client.actions(uri, 7)]
    broken = TRANSPOSED + "def (:\n"
    opened = client.actions(client.open("m.py", broken), 7)
    client.change(uri, 2, broken)
    for actions in (opened, client.actions(uri, 7)):
        assert [action["title"] for action in actions] == titles
    assert client.actions(uri, 9) == []


def test_an_edit_names_its_version_where_the_client_reads_that(client):
    client.start(workspace={"workspaceEdit": {"documentChanges": True}})
    uri = client.open("k.py", TRANSPOSED, version=7)
    action, _ = client.actions(uri, 7)
    assert "changes" not in action["edit"]
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    assert apply(TRANSPOSED, change["edits"][0]).count("# advisor: ignore[transposed-index]") == 1


def test_a_second_rule_joins_the_comment_that_is_there(client):
    client.start(pulls=True)
    text = TRANSPOSED.replace("b[i, j] * 2\n", "b[i, j] * 2  # advisor: ignore[slow-power] it is small\n")
    uri = client.open("k.py", text)
    assert codes(client.pulled(uri)) == ["transposed-index", "unused-suppression"]
    action = next(action for action in client.actions(uri, 7) if "Ignore transposed" in action["title"])
    changed = apply(text, action["edit"]["changes"][uri][0])
    assert changed.splitlines()[7].endswith("# advisor: ignore[slow-power, transposed-index] it is small")
    client.change(uri, 2, changed)
    assert codes(client.pulled(uri)) == ["unused-suppression"]


PLACES = {
    "behind the line": ("x = 1\ny = 2\n", 2, "x = 1\ny = 2  # advisor: ignore[r]\n"),
    "behind a comment": ("x = 1  # one\n", 1, "x = 1  # one  # advisor: ignore[r]\n"),
    "without a line end": ("x = 1", 1, "x = 1  # advisor: ignore[r]"),
    "inside brackets": ("x = f(\n    1,\n    2)\n", 2, "x = f(\n    1,  # advisor: ignore[r]\n    2)\n"),
    "an empty list": ("x = 1  # advisor: ignore[] why\n", 1, "x = 1  # advisor: ignore[r] why\n"),
    "behind the statement of a continued line": (
        "x = 1 + \\\n    2\n",
        1,
        "x = 1 + \\\n    2  # advisor: ignore[r]\n",
    ),
    "behind the statement that a string is part of": (
        'x = f("""\n""")\n',
        1,
        'x = f("""\n""")  # advisor: ignore[r]\n',
    ),
    "behind a comment's look-alike in a string": (
        "x = '# advisor: ignore[q]'\n",
        1,
        "x = '# advisor: ignore[q]'  # advisor: ignore[r]\n",
    ),
    "no line": ("x = 1\n", 9, None),
    "no program": ("x = (\n", 1, None),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_the_comment_stands_where_it_covers_the_finding_and_changes_nothing(name):
    text, line, expected = PLACES[name]
    finding = Finding("r", "k.py", Span(line), None, "info", "high", "said")
    found = suppression(finding, SourceText("k.py", text))
    if expected is None:
        assert found is None
        return
    lines = text.splitlines(keepends=True)
    place = sum(map(len, lines[: found.line - 1])) + found.column - 1
    assert text[:place] + found.text + text[place:] == expected


def test_a_decorated_kernel_is_silenced_at_the_line_of_the_finding():
    text = HEAD + "@cuda.jit\ndef f(a):\n    pass\n"
    finding = Finding("r", "k.py", Span(5, 5, 5, 6), "f", "info", "high", "said")
    found = suppression(finding, SourceText("k.py", text))
    assert (found.line, found.text) == (5, "  # advisor: ignore[r]")

"""What an editor sees of the server: diagnostics, hovers, actions, and that it never runs the user's code."""

from __future__ import annotations

import pytest

HEAD = "from numba import cuda\n\n\n"
# Lanes run along the rows of both arrays; a rule speaks once of a line, here of `b`, which is read first.
TRANSPOSED = HEAD + (
    "@cuda.jit\n"
    "def scale(a, b):\n"
    "    i, j = cuda.grid(2)\n"
    "    if i < a.shape[0] and j < a.shape[1]:\n"
    "        a[i, j] = b[i, j] * 2\n"
)
STRAIGHT = TRANSPOSED.replace("i, j = cuda.grid(2)", "j, i = cuda.grid(2)")


def codes(diagnostics):
    return {item["code"] for item in diagnostics}


def test_diagnostics_come_go_and_come_back(client):
    answer = client.start()
    assert answer["serverInfo"]["name"] == "kernel-advisor"
    uri = client.open("k.py", TRANSPOSED)
    found = client.published(uri, 1)
    assert codes(found) == {"transposed-index"}
    places = [(d["range"]["start"]["line"], d["range"]["start"]["character"]) for d in found]
    assert places == [(7, 18)]
    assert all(d["severity"] == 2 and d["source"] == "advisor" for d in found)
    assert all(d["codeDescription"]["href"].startswith("https://") for d in found)
    client.change(uri, 2, STRAIGHT)
    assert client.published(uri, 2) == []
    client.change(uri, 3, TRANSPOSED)
    assert len(client.published(uri, 3)) == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.published(uri, None) == []
    assert client.stop() == 0


def test_a_file_without_kernels_is_silent(client):
    client.start()
    uri = client.open("plain.py", "print('cuda')\n")
    assert client.published(uri, 1) == []


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 16), ("utf-8", 18), ("utf-32", 15)])
def test_columns_are_in_the_units_agreed_on(client, encoding, column):
    # `b` stands behind a character of 4 UTF-8 bytes, 2 UTF-16 units, 1 code point.
    text = TRANSPOSED.replace("        a[i, j] = b[i, j] * 2\n", "        x = '🌍'; b[i, j] = 1\n")
    answer = client.start([encoding])
    assert answer["capabilities"]["positionEncoding"] == encoding
    uri = client.open("k.py", text)
    (found,) = client.published(uri, 1)
    expected = len(
        "        x = '🌍'; ".encode(
            {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
        )
    )
    unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    assert found["range"]["start"]["character"] == expected // unit


def test_a_client_that_pulls_gets_what_it_asks_for_and_nothing_else(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    report = client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert codes(report["items"]) == {"transposed-index"}
    client.change(uri, 2, STRAIGHT)
    assert client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"] == []
    assert not [m for m in client._kept if m.get("method") == "textDocument/publishDiagnostics"]


def test_hover_explains_and_stays_silent_elsewhere(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    client.published(uri, 1)
    document = {"textDocument": {"uri": uri}}
    shown = client.ask("textDocument/hover", {**document, "position": {"line": 7, "character": 19}})
    text = shown["contents"]["value"]
    assert "transposed-index" in text
    assert "**Try**" in text
    assert "sectors_per_request" in text
    assert client.ask("textDocument/hover", {**document, "position": {"line": 4, "character": 0}}) is None


def test_suppressing_a_finding_makes_it_go_away(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    found = client.published(uri, 1)
    # Some clients send a range of their own making: the finding is known by its data.
    echoed = [
        {**found[0], "range": {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 1}}}
    ]
    at = {"start": {"line": 7, "character": 18}, "end": {"line": 7, "character": 18}}
    context = {"diagnostics": echoed}
    (action,) = client.ask(
        "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": at, "context": context}
    )
    (edit,) = action["edit"]["changes"][uri]
    lines = TRANSPOSED.splitlines()
    place = edit["range"]["start"]
    line = lines[place["line"]]
    lines[place["line"]] = line[: place["character"]] + edit["newText"] + line[place["character"] :]
    assert lines[7].endswith("# advisor: ignore[transposed-index] reason")
    client.change(uri, 2, "\n".join(lines) + "\n")
    assert client.published(uri, 2) == []


def test_broken_source_is_told_and_survived(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED + "def (:\n")
    (found,) = client.published(uri, 1)
    assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("not-checked", 1, 8)
    assert "syntax error" in found["message"]
    client.change(uri, 2, TRANSPOSED)
    assert len(client.published(uri, 2)) == 1


def test_workspace_code_is_never_run(client):
    mark = client.folder / "mark"
    effect = f"open({str(mark)!r}, 'w').close()\n"
    (client.folder / "sizes.py").write_text(effect + "N = 4\n", encoding="utf-8")
    text = "from sizes import N\n" + effect + TRANSPOSED.replace("* 2", "* N")
    (client.folder / "k.py").write_text(text, encoding="utf-8")
    client.start()
    uri = client.open("k.py", text)
    assert codes(client.published(uri, 1)) == {"transposed-index"}
    assert client.stop() == 0
    assert not mark.exists()


def test_nothing_is_written_into_the_workspace(client):
    client.start()
    client.published(client.open("k.py", TRANSPOSED), 1)
    assert client.stop() == 0
    assert list(client.folder.iterdir()) == []


def test_a_wrong_configuration_is_told_once(client):
    (client.folder / "pyproject.toml").write_text("[tool.advisor]\nseverty = 1\n", encoding="utf-8")
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    for _ in range(2):
        report = client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert report["items"] == []
    assert "severty" in client.shown_message()
    assert not [m for m in client._kept if m.get("method") == "window/showMessage"]

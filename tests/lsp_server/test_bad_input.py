"""Whatever a client sends, the server answers properly and lives."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from kernel_pairs import TRANSPOSED

_WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
_NO_FILE = "file:///nowhere/k.py"


def about(uri, **more):
    return {"textDocument": {"uri": uri}, **more}


def requests(uri, line, character):
    place = {"line": line, "character": character}
    here = {"start": place, "end": place}
    context = {"diagnostics": []}
    return [
        ("textDocument/hover", about(uri, position=place)),
        ("textDocument/codeAction", about(uri, range=here, context=context)),
        ("textDocument/inlayHint", about(uri, range=here)),
        ("textDocument/codeLens", about(uri)),
        ("textDocument/diagnostic", about(uri)),
    ]


@pytest.mark.parametrize(("line", "character"), [(10**6, 0), (0, 10**6), (2**31 - 1, 2**31 - 1)])
def test_places_outside_the_text(client, line, character):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    for method, params in requests(uri, line, character):
        assert "error" not in client.answer(client.send_request(method, params)), method
    assert codes(client.pulled(uri)) == ["transposed-index"]
    assert client.stop() == 0


def test_a_range_that_ends_before_it_begins(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    client.published(uri, 1)
    turned = {"start": {"line": 8, "character": 5}, "end": {"line": 1, "character": 0}}
    params = about(uri, range=turned, context={"diagnostics": []})
    assert client.ask("textDocument/codeAction", params) == []
    assert client.stop() == 0


@pytest.mark.parametrize("uri", [_NO_FILE, "untitled:Untitled-1", "nonsense", "file:///", ""])
def test_documents_that_are_not_open(client, uri):
    client.start(pulls=True)
    for method, params in requests(uri, 0, 0):
        client.answer(client.send_request(method, params))
    client.notify("textDocument/didChange", about(uri, contentChanges=[{"text": "x"}]))
    client.notify("textDocument/didSave", about(uri))
    client.notify("textDocument/didClose", about(uri))
    for command in ("advisor.simulate", "advisor.explain"):
        asked = {"command": command, "arguments": [uri, 0]}
        client.answer(client.send_request("workspace/executeCommand", asked))
    assert codes(client.pulled(client.open("k.py", TRANSPOSED))) == ["transposed-index"]
    assert client.stop() == 0


@pytest.mark.parametrize("arguments", [[], [None], [3, "x"], [{"uri": 1}], [[], [], []]])
def test_wrong_arguments_of_commands(client, arguments):
    client.start(chosen={"trusted": True})
    for command in ("advisor.simulate", "advisor.explain", "advisor.machineCode"):
        asked = {"command": command, "arguments": arguments}
        client.answer(client.send_request("workspace/executeCommand", asked))
    assert client.stop() == 0


def test_a_request_before_initialise_is_refused(client):
    number = client.send_request("textDocument/hover", about(_NO_FILE, position={"line": 0, "character": 0}))
    assert "error" in client.answer(number)
    opened = {"uri": _NO_FILE, "languageId": "python", "version": 1, "text": TRANSPOSED}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert client.stop() == 0


def test_a_huge_file_is_told_of_once_and_not_analysed(client):
    client.start()
    text = TRANSPOSED + "# filler\n" * 120_000
    uri = client.open("k.py", text)
    assert client.published(uri, 1) == []
    assert "k.py has over 1,080,000 characters" in client.shown_message()
    client.change(uri, 2, text + "# more\n")
    assert client.published(uri, 2) == []
    client.change(uri, 3, TRANSPOSED)
    assert codes(client.published(uri, 3)) == ["transposed-index"]
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0


@pytest.mark.parametrize("end", ["\r\n", "\r", "mixed"])
def test_line_ends(client, end):
    lines = TRANSPOSED.split("\n")
    ends = ["\r\n", "\n", "\r"] if end == "mixed" else [end]
    text = "".join(line + ends[at % len(ends)] for at, line in enumerate(lines[:-1]))
    client.start()
    uri = client.open("k.py", text)
    (found,) = client.published(uri, 1)
    assert found["code"] == "transposed-index"
    assert found["range"]["start"] == {"line": 7, "character": 18}
    client.change(uri, 2, text + "x = (")
    assert codes(client.published(uri, 2)) == ["not-checked", "transposed-index"]
    assert client.stop() == 0


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_an_emoji_before_the_place(client, encoding, width):
    text = TRANSPOSED.replace("        a[i, j] = b", "        s = '🚀'; a[i, j] = b")
    client.start(encodings=[encoding])
    uri = client.open("k.py", text)
    (found,) = client.published(uri, 1)
    assert found["range"]["start"] == {"line": 7, "character": 18 + len("s = ''; ") + width}
    assert client.hover(uri, 7, found["range"]["start"]["character"])["range"]["start"]["line"] == 7
    assert client.stop() == 0


def published_for(client, name):
    uri = (client.folder / name).as_uri()

    def wanted(message):
        return message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri

    return client._wait(wanted)["params"]["diagnostics"]


@pytest.mark.parametrize("pulls", [False, True])
@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("pyproject.toml", '[tool.advisor]\n\nselct = ["x"]\n', 2, "unknown key `selct`."),
        ("advisor.toml", 'device = "h100"\n\n\nselect = [\n', 3, "is not valid TOML: "),
        ("advisor.toml", 'device = "h100"\nselect = nothing\n\n', 1, "is not valid TOML: "),
    ],
)
def test_a_broken_configuration_is_shown_in_its_file_until_it_is_mended(
    client, pulls, name, text, line, said
):
    (client.folder / name).write_text(text, encoding="utf-8")
    client.start(pulls=pulls)
    uri = client.open("k.py", TRANSPOSED)
    if pulls:
        assert client.pulled(uri) == []
    (found,) = published_for(client, name)
    assert (found["range"]["start"]["line"], found["source"]) == (line, "advisor")
    assert found["message"].startswith(said)
    (client.folder / name).write_text("", encoding="utf-8")
    client.save(uri)
    if pulls:
        client.pulled(uri)
    assert published_for(client, name) == []
    assert client.stop() == 0


def test_a_broken_pack_is_shown_in_its_file_and_its_other_rules_hold(client):
    (client.folder / "pyproject.toml").write_text('[tool.advisor]\npacks = ["pack"]\n', encoding="utf-8")
    pack = client.folder / "pack"
    pack.mkdir()
    (pack / "own.rules").write_text(
        'rule own-one "X" {\n  for each kernel k\n  when k.nothing >\n}\n', encoding="utf-8"
    )
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    found = published_for(client, "pack/own.rules")
    assert found
    assert all(one["source"] == "advisor" for one in found)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert client.stop() == 0

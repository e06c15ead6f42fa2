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


@pytest.mark.parametrize(
    "uri",
    [
        _NO_FILE,
        "untitled:Untitled-1",
        "nonsense",
        "file:///",
        "",
        f"file:///{'long' * 100}/k.py",
        f"file:///{'k' * 300}.py",
    ],
)
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


@pytest.mark.parametrize("uri", [f"file:///{'long' * 100}/k.py", f"file:///{'k' * 300}.py"])
def test_a_document_whose_name_no_file_system_takes(client, uri):
    client.start(pulls=True)
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": TRANSPOSED}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    assert codes(client.pulled(uri)) == ["transposed-index"]
    for method, params in requests(uri, 7, 8):
        assert "error" not in client.answer(client.send_request(method, params)), method
    client.notify("textDocument/didSave", about(uri))
    client.notify("textDocument/didClose", about(uri))
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


def test_a_huge_file_is_not_analysed_and_says_so_itself(client):
    client.start()
    text = TRANSPOSED + "# filler\n" * 120_000
    uri = client.open("k.py", text)
    for version in (1, 2):
        (found,) = client.published(uri, version)
        assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("not-checked", 3, 0)
        assert "k.py has over 1,080,000 characters; texts of more than 1,000,000 are not" in found["message"]
        client.change(uri, version + 1, text + "# more\n")
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
def test_a_broken_configuration_is_shown_in_its_file_until_it_is_fixed(client, pulls, name, text, line, said):
    (client.folder / name).write_text(text, encoding="utf-8")
    client.start(pulls=pulls)
    uri = client.open("k.py", TRANSPOSED)
    if pulls:
        assert codes(client.pulled(uri)) == ["transposed-index"]
    else:
        assert codes(client.published(uri, 1)) == ["transposed-index"]
    (found,) = published_for(client, name)
    assert f"{name}:{line + 1}: {said}" in client.shown_message()
    assert (found["range"]["start"]["line"], found["source"]) == (line, "advisor")
    assert found["message"].startswith(said)
    (client.folder / name).write_text("", encoding="utf-8")
    client.save(uri)
    if pulls:
        client.pulled(uri)
    assert published_for(client, name) == []
    assert client.stop() == 0


def test_the_last_valid_configuration_holds_while_there_is_a_wrong_key(client):
    file = client.folder / "advisor.toml"
    file.write_text('ignore = ["transposed-index"]\n', encoding="utf-8")
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert client.published(uri, 1) == []
    file.write_text('ignor = ["transposed-index"]\n', encoding="utf-8")
    client.change(uri, 2, TRANSPOSED + "\n")
    assert client.published(uri, 2) == []
    assert published_for(client, "advisor.toml")[0]["range"]["start"]["line"] == 0
    file.write_text("", encoding="utf-8")
    client.change(uri, 3, TRANSPOSED)
    assert codes(client.published(uri, 3)) == ["transposed-index"]
    assert published_for(client, "advisor.toml") == []
    assert client.stop() == 0


@pytest.mark.parametrize("key", ["select", "ignore"])
def test_a_rule_that_there_is_not_is_shown_where_the_configuration_names_it(client, key):
    text = f'device = "h100"\n\n{key} = ["transposed-indx"]\n'
    (client.folder / "advisor.toml").write_text(text, encoding="utf-8")
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    (found,) = published_for(client, "advisor.toml")
    assert found["range"]["start"]["line"] == 2
    assert "advisor.toml:3: " in client.shown_message()
    assert client.stop() == 0


def test_what_was_never_saved_is_checked(client):
    client.start()
    document = {"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": TRANSPOSED}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert codes(client.published("untitled:Untitled-1", 1)) == ["transposed-index"]
    assert "transposed-index" in client.hover("untitled:Untitled-1", 7, 20)["contents"]["value"]
    (edit,) = client.actions("untitled:Untitled-1", 7)[-2]["edit"]["changes"]["untitled:Untitled-1"]
    assert "# advisor: ignore" in edit["newText"]
    assert client.stop() == 0


def test_errors_of_syntax_can_be_left_to_other_servers(client):
    client.start(chosen={"syntaxErrors": False})
    uri = client.open("k.py", TRANSPOSED + "\n\nx = (\n")
    assert codes(client.published(uri, 1)) == ["transposed-index"]
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

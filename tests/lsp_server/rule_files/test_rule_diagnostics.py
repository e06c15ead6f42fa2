"""Errors and remarks while a rule file is typed, for clients that ask and for those that wait."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from rule_texts import HUNGRY, LIMITED

OVERRIDE = 'override hungry-kernel { set most = 100 because "measured on our kernels" }\n'


def test_several_errors_are_told_at_once_and_go_when_they_are_fixed(client):
    client.start()
    uri = client.open("hungry-kernel.rules", HUNGRY, "advisor-rules")
    # At 255, the greatest number of registers, no kernel has more.
    assert codes(client.published(uri, 1)) == ["L112"]
    broken = (
        HUNGRY.replace("50%", "50").replace("severity", "severty").replace("k.registers >", "k.regsters >")
    )
    client.change(uri, 2, broken)
    found = client.published(uri, 2)
    assert [one["code"] for one in found] == ["E201", "E210", "E107"]
    assert [one["severity"] for one in found] == [1, 1, 1]
    assert [one["range"]["start"] for one in found] == [
        {"line": 6, "character": 7},
        {"line": 7, "character": 33},
        {"line": 11, "character": 2},
    ]
    assert found[0]["message"].endswith("Did you mean `registers`?")
    client.change(uri, 3, HUNGRY)
    assert codes(client.published(uri, 3)) == ["L112"]
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()


def test_a_client_that_asks_is_answered_and_not_told(client):
    client.start(pulls=True)
    uri = client.open("hungry-kernel.rules", HUNGRY.replace("50%", "50"), "advisor-rules")
    assert codes(client.pulled(uri)) == ["E210"]
    client.change(uri, 2, HUNGRY)
    assert codes(client.pulled(uri)) == ["L112"]
    assert client.stop() == 0
    assert client.kept("textDocument/publishDiagnostics") == []


def test_what_is_typed_in_one_file_counts_in_the_others(client):
    client.start()
    own = client.open("hungry-kernel.rules", HUNGRY, "advisor-rules")
    other = client.open("changes.rules", OVERRIDE, "advisor-rules")
    assert codes(client.published(other, 1)) == []
    client.change(own, 2, LIMITED)
    client.published(own, 2)
    (found,) = client.published(other, 1)
    assert found["code"] == "E205"
    client.change(own, 3, HUNGRY)
    client.published(own, 3)
    assert client.published(other, 1) == []


def test_a_closed_file_counts_as_it_lies_on_the_disk(client):
    (client.folder / "hungry-kernel.rules").write_text(HUNGRY, "utf-8")
    client.start()
    own = client.open("hungry-kernel.rules", LIMITED, "advisor-rules")
    other = client.open("changes.rules", OVERRIDE, "advisor-rules")
    assert codes(client.published(other, 1)) == ["E205"]
    client.close(own)
    assert client.published(other, 1) == []


def test_files_that_change_on_the_disk_are_read_again(client):
    file = client.folder / "hungry-kernel.rules"
    file.write_text(HUNGRY, "utf-8")
    client.start(workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
    uri = client.open("changes.rules", OVERRIDE, "advisor-rules")
    assert codes(client.published(uri, 1)) == []
    file.unlink()
    gone = {"changes": [{"uri": file.as_uri(), "type": 3}]}
    client.notify("workspace/didChangeWatchedFiles", gone)
    assert codes(client.published(uri, 1)) == ["E314"]


def test_the_packs_of_the_configuration_are_the_context(client):
    (client.folder / "pack").mkdir()
    (client.folder / "pack" / "hungry-kernel.rules").write_text(HUNGRY, "utf-8")
    (client.folder / "own").mkdir()
    (client.folder / "advisor.toml").write_text('packs = ["pack", "own"]\n', "utf-8")
    client.start()
    assert client.published(client.open("own/changes.rules", OVERRIDE, "advisor-rules"), 1) == []


def test_an_example_that_does_not_hold_is_told_where_it_stands(client):
    client.start()
    text = HUNGRY.replace('example silent "modest"', 'example fires "modest"')
    # One silent example is needed.
    text = text.replace(
        'example unknown "not', 'example silent "idle" { k.registers = 3 }\n  example unknown "not'
    )
    (_, found) = sorted(
        client.published(client.open("hungry-kernel.rules", text, "advisor-rules"), 1),
        key=lambda one: one["code"],
    )
    assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("example-fails", 2, 22)
    assert found["message"] == "This example should be fires, but the rule is silent."


def test_line_ends_and_characters_outside_of_the_plane_do_not_shift_places(client):
    client.start(encodings=["utf-16"])
    text = HUNGRY.replace('"the house rule"', '"the 🌍 rule"').replace("50%", "50").replace("\n", "\r\n")
    text = text.replace('range 32 .. 255 "the 🌍 rule"', 'range 32 .. 255 "the 🌍 rule" nonsense')
    found = client.published(client.open("hungry-kernel.rules", text, "advisor-rules"), 1)
    places = {one["code"]: one["range"]["start"] for one in found}
    # `nonsense` stands behind 48 characters, one of which takes two units.
    assert places["E101"] == {"line": 3, "character": 49}
    assert places["E210"] == {"line": 7, "character": 33}


def test_a_file_is_known_by_its_language_or_by_its_name(client):
    client.start()
    wrong = 'rule a "A" {\n'
    assert codes(client.published(client.open("one.rules", wrong, "plaintext"), 1)) == ["E106"]
    assert client.published(client.open("two.rules", "", ""), 1) == []


def test_rules_and_kernels_are_told_about_side_by_side(client):
    from kernel_pairs import TRANSPOSED

    client.start()
    kernel = client.open("k.py", TRANSPOSED)
    rules = client.open("r.rules", 'rule a "A" {\n', "advisor-rules")
    assert codes(client.published(kernel, 1)) == ["transposed-index"]
    assert codes(client.published(rules, 1)) == ["E106"]
    assert client.hover(rules, 0, 1)["contents"]["value"].startswith("**rule**")
    assert client.hover(kernel, 7, 19)["contents"]["value"].startswith("**Transposed index order**")


@pytest.mark.parametrize("pulls", [False, True])
def test_a_file_that_is_not_open_is_told_of_when_an_edit_breaks_it(client, pulls):
    other = client.folder / "changes.rules"
    other.write_text(OVERRIDE, "utf-8")
    client.start(pulls=pulls)
    uri = client.open("hungry-kernel.rules", LIMITED, "advisor-rules")
    (found,) = client.published(other.as_uri(), None)
    assert (found["code"], found["range"]["start"]) == ("E205", {"line": 0, "character": 29})
    client.change(uri, 2, HUNGRY)
    assert client.published(other.as_uri(), None) == []
    client.change(uri, 3, LIMITED)
    assert codes(client.published(other.as_uri(), None)) == ["E205"]
    # Once it is open it is told of as every open file is.
    opened = client.open("changes.rules", OVERRIDE, "advisor-rules")
    if pulls:
        assert client.published(opened, None) == []
        assert codes(client.pulled(opened)) == ["E205"]
    else:
        assert codes(client.published(opened, 1)) == ["E205"]


def test_requests_in_odd_places_are_answered(client):
    client.start()
    uri = client.open("a folder/hungry-kernel.rules", HUNGRY, "advisor-rules")
    unknown = (client.folder / "none.rules").as_uri()
    far = {"line": 4000, "character": 4000}
    more = {"references": {"context": {"includeDeclaration": True}}}
    for where in (uri, unknown):
        document = {"textDocument": {"uri": where}}
        for name in ("hover", "completion", "definition", "references", "documentHighlight"):
            client.ask(f"textDocument/{name}", {**document, "position": far, **more.get(name, {})})
        for name in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
            client.ask(f"textDocument/{name}", document)
        rename = {**document, "position": far, "newName": "x"}
        assert client.answer(client.send_request("textDocument/rename", rename))["error"]
    assert client.pulled(unknown) == []
    assert codes(client.pulled(uri)) == ["L112"]
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()


def test_a_deprecated_rule_is_struck_out_wherever_it_is_named(client):
    client.start()
    old = LIMITED.replace("severity", 'deprecated "use register-limit"\n  severity', 1)
    own = client.open("hungry-kernel.rules", old, "advisor-rules")
    struck = [one for one in client.published(own, 1) if one["code"] == "deprecated-rule"]
    assert [(one["tags"], one["severity"]) for one in struck] == [([2], 4)]
    assert struck[0]["message"] == "The rule `hungry-kernel` is deprecated: use register-limit"
    first = old.split("\n")[struck[0]["range"]["start"]["line"]]
    assert first[struck[0]["range"]["start"]["character"] :].startswith("hungry-kernel")
    other = client.open("changes.rules", OVERRIDE, "advisor-rules")
    named = [one for one in client.published(other, 1) if one["code"] == "deprecated-rule"]
    assert [one["range"] for one in named] == [
        {"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 22}}
    ]
    client.change(own, 2, LIMITED)
    assert "deprecated-rule" not in codes(client.published(own, 2))

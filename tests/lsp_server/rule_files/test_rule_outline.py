"""Symbols, folding, colours and the form of rule files."""

from __future__ import annotations

import pytest
from lsprotocol import types
from rule_texts import HUNGRY
from rule_workspace import RuleWorkspace, replaced

from advisor.model.data_files import knowledge_folder
from advisor.rules.formatting import format_text
from lsp_server.rule_files.text.colours import LEGEND, colours_of
from lsp_server.rule_files.text.outline import foldings_of, symbols_of
from lsp_server.rule_files.text.shape import formatting_of

ENTITY = """\
/// Two lines
/// of documentation.
entity queue of run "One queue." {
  depth : count range 0 .. "jobs waiting"
  share : ratio "of the time"
}

override block-too-small for device "h100*" { disable because "on purpose" }
"""
FORMED = format_text("hungry-kernel.rules", HUNGRY)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> RuleWorkspace:
    return RuleWorkspace(tmp_path_factory.mktemp("work"))


def test_the_outline_has_items_and_their_parts(workspace):
    (rule,) = symbols_of(workspace.snapshot("hungry-kernel.rules", HUNGRY))
    assert (rule.name, rule.detail) == ("hungry-kernel", "Hungry kernel")
    assert [one.name for one in rule.children] == [
        "most", "waste", "when", "fires: hungry", "silent: modest", "unknown: not compiled",
    ]  # fmt: skip
    assert (rule.range.start.line, rule.range.end.line) == (1, 24)
    queue, override = symbols_of(workspace.snapshot("more.rules", ENTITY))
    assert [one.name for one in queue.children] == ["depth", "share"]
    assert (override.name, override.children) == ("block-too-small", None)


def test_what_examples_share_is_a_part_of_the_rule(workspace):
    text = HUNGRY.replace("  example fires", "  given { k.debug_enabled = false }\n  example fires")
    (rule,) = symbols_of(workspace.snapshot("hungry-kernel.rules", text))
    assert [one.name for one in rule.children][2:5] == ["when", "given", "fires: hungry"]


def test_items_long_clauses_examples_and_comments_fold(workspace):
    folds = foldings_of(workspace.snapshot("hungry-kernel.rules", HUNGRY).reading)
    # The rule up to the line before its brace, `when`, `try`, and the examples.
    assert [(one.start_line, one.end_line) for one in folds] == [(1, 23), (6, 8), (14, 15), (21, 23)]
    folds = foldings_of(workspace.snapshot("more.rules", ENTITY).reading)
    assert [(one.start_line, one.end_line, one.kind) for one in folds] == [
        (0, 1, types.FoldingRangeKind.Comment),
        (2, 4, None),
    ]


def coloured(workspace: RuleWorkspace, text: str) -> list[tuple[str, str, str]]:
    """Each coloured piece of a text of ASCII, its type and its modifiers."""
    data = colours_of(workspace.snapshot("hungry-kernel.rules", text))
    lines, line, start, found = text.split("\n"), 0, 0, []
    for at in range(0, len(data), 5):
        down, along, length, kind, modifiers = data[at : at + 5]
        line, start = line + down, along + (0 if down else start)
        names = [name for bit, name in enumerate(LEGEND.token_modifiers) if modifiers >> bit & 1]
        piece = lines[line][start : start + length]
        assert len(piece) == length
        found.append((piece, LEGEND.token_types[kind], " ".join(names)))
    return found


def test_words_have_the_colour_of_what_they_stand_for(workspace):
    found = coloured(workspace, HUNGRY)
    for piece in (
        ("rule", "keyword", ""),
        ("hungry-kernel", "namespace", "declaration"),
        ("kernel", "class", ""),
        ("k", "variable", "declaration"),
        ("k", "variable", ""),
        ("most", "parameter", "declaration"),
        ("most", "parameter", ""),
        ("waste", "variable", "declaration readonly"),
        ("registers", "property", ""),
        ("50", "number", ""),
        ("%", "type", ""),
        (">", "operator", ""),
        ("warning", "enumMember", ""),
        ("low_occupancy", "enumMember", ""),
        ('"the house rule"', "string", ""),
        ("} registers, more than {", "string", ""),
    ):
        assert piece in found, piece
    assert found[0] == (HUNGRY.split("\n", 1)[0], "comment", "documentation")


def test_characters_of_two_units_count_as_two(workspace):
    data = colours_of(workspace.snapshot("one.rules", 'pack "🌍" version "1"\n'))
    assert data[:10] == [0, 0, 4, 2, 0, 0, 5, 4, 1, 0]
    assert data[10:12] == [0, 5]


def formatted(workspace: RuleWorkspace, text: str) -> str:
    return replaced(text, formatting_of(workspace.snapshot("hungry-kernel.rules", text)))


def test_formatting_gives_the_one_form_and_touches_no_more_lines_than_needed(workspace):
    text = FORMED.replace("   and k.theo", "  and k.theo")
    (edit,) = formatting_of(workspace.snapshot("hungry-kernel.rules", text))
    assert (edit.range.start.line, edit.range.end.line) == (7, 8)
    assert formatted(workspace, text) == FORMED
    assert formatting_of(workspace.snapshot("hungry-kernel.rules", FORMED)) == []


def test_a_text_that_does_not_parse_stays_as_it_is(workspace):
    assert formatting_of(workspace.snapshot("hungry-kernel.rules", "  " + HUNGRY + "rule")) == []


def test_line_ends_stay_those_of_the_text(workspace):
    text = FORMED.replace("   and k.theo", "  and k.theo").replace("\n", "\r\n")
    (edit,) = formatting_of(workspace.snapshot("hungry-kernel.rules", text))
    assert edit.new_text == "   and k.theoretical_occupancy < 50%\r\n"


def test_the_shipped_rules_have_their_form_already(workspace):
    for file in sorted((knowledge_folder() / "rules").rglob("*.rules"))[::7]:
        assert formatting_of(workspace.snapshot("one.rules", file.read_text("utf-8"))) == [], file


def test_over_the_protocol(client):
    answer = client.start()
    assert answer["capabilities"]["semanticTokensProvider"]["full"] is True
    uri = client.open("hungry-kernel.rules", HUNGRY.replace("   and k.theo", "  and k.theo"), "advisor-rules")
    document = {"textDocument": {"uri": uri}}
    assert [one["name"] for one in client.ask("textDocument/documentSymbol", document)] == ["hungry-kernel"]
    assert len(client.ask("textDocument/foldingRange", document)) == 4
    assert len(client.ask("textDocument/semanticTokens/full", document)["data"]) % 5 == 0
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    assert len(client.ask("textDocument/formatting", {**document, **options})) == 1
    # Of Python this server has no outline and no form.
    python = {"textDocument": {"uri": client.open("k.py", "x=1\n")}}
    assert client.ask("textDocument/documentSymbol", python) is None
    assert client.ask("textDocument/formatting", {**python, **options}) is None


def test_a_client_that_can_be_told_later_is_offered_rule_files_alone(client):
    names = ("completion", "rename", "formatting", "documentSymbol", "semanticTokens")
    can = {name: {"dynamicRegistration": True} for name in names}
    can["semanticTokens"] |= {"requests": {}, "tokenTypes": [], "tokenModifiers": [], "formats": []}
    answer = client.start(text_document=can)
    offered = answer["capabilities"]
    assert "completionProvider" not in offered
    assert "documentFormattingProvider" not in offered
    assert "semanticTokensProvider" not in offered
    assert offered["foldingRangeProvider"] is True
    wishes = client.received("client/registerCapability")["params"]["registrations"]
    by_method = {one["method"]: one["registerOptions"] for one in wishes}
    assert by_method.keys() == {
        "textDocument/completion", "textDocument/rename", "textDocument/formatting",
        "textDocument/documentSymbol", "textDocument/semanticTokens",
    }  # fmt: skip
    selector = [{"language": "advisor-rules"}, {"pattern": "**/*.rules"}]
    assert all(options["documentSelector"] == selector for options in by_method.values())
    assert by_method["textDocument/completion"]["triggerCharacters"] == [".", "{"]
    uri = client.open("hungry-kernel.rules", HUNGRY, "advisor-rules")
    place = {"textDocument": {"uri": uri}, "position": {"line": 11, "character": 12}}
    assert [one["label"] for one in client.ask("textDocument/completion", place)][:1] == ["info"]

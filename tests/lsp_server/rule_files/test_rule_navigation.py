"""Where names are declared and used, and giving them others, over several files."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types
from rule_texts import HUNGRY
from rule_workspace import CURSOR, RuleWorkspace, replaced

from lsp_server.rule_files.diagnostics import diagnostics_of
from lsp_server.rule_files.renaming.navigation import declarations, occurrences, symbol_at
from lsp_server.rule_files.renaming.rename_edits import edits_for
from lsp_server.rule_files.renaming.renaming import fault_of, refusal

OWN = "hungry-kernel.rules"
CALLING = HUNGRY.replace("when k.registers", "when crowded(k) and k.registers").replace(
    "k.theoretical_occupancy < 50%", "k.empty > 50%"
)
MORE = """\
define crowded(x) = x.registers > 64 and x.empty < 90%

metric empty : ratio of kernel k range 0 .. 1 "warp slots that stay empty" = 1 - k.theoretical_occupancy

override hungry-kernel { set most = 100 because "measured on our kernels" }

suppress hungry-kernel where k.registers < most because "few enough"

except block-too-small, hungry-kernel for kernel one when crowded(one) and one.empty < 1% because "full"
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> RuleWorkspace:
    return RuleWorkspace(tmp_path_factory.mktemp("work"))


@pytest.fixture
def at(workspace) -> Callable[..., tuple]:
    """The snapshot and the symbol at the first place of a text in one of the two files."""

    def find(text: str, name: str = OWN, inside: int = 1):
        texts = {OWN: CALLING, "more.rules": MORE}
        place = texts[name].index(text) + inside
        texts[name] = texts[name][:place] + CURSOR + texts[name][place:]
        snapshot, offset = workspace.at_cursor(name, texts)
        named = symbol_at(snapshot, offset)
        return snapshot, named[1] if named else None

    return find


def lines_of(found) -> list[tuple[str, int]]:
    return [(one.file.name, one.reading.lines.place(one.name.start)[0]) for one in found]


@pytest.mark.parametrize(
    ("text", "inside", "file", "line"),
    [
        ("> most", 2, OWN, 4),
        ("{most}", 2, OWN, 4),
        ("most waste", 6, OWN, 5),
        ("crowded(k)", 1, "more.rules", 1),
        ("crowded(k)", 8, OWN, 3),
        ("k.empty", 3, "more.rules", 3),
        ("a1.space", 0, OWN, 9),
        ("block-too-small", 1, "block-too-small.rules", 2),
        ("registers > most", 1, "kernel.rules", 27),
        ("kernel k", 1, "kernel.rules", 3),
    ],
)
def test_a_name_leads_to_where_it_is_declared(at, text, inside, file, line):
    snapshot, symbol = at(text, inside=inside)
    (found,) = declarations(snapshot, symbol)
    written = found.reading.text[found.name.start : found.name.end]
    assert written == symbol.name
    assert found.file.name == file
    if found.file.name in (OWN, "more.rules"):
        assert lines_of([found]) == [(file, line)]


def test_a_parameter_is_found_in_its_rule_in_texts_and_in_changes_elsewhere(at):
    snapshot, symbol = at("> most", inside=2)
    assert lines_of(occurrences(snapshot, symbol)) == [
        (OWN, 4),
        (OWN, 7),
        (OWN, 13),
        ("more.rules", 5),
        ("more.rules", 7),
    ]


def test_a_variable_is_found_in_suppressions_and_a_quantifiers_only_where_it_holds(at):
    snapshot, symbol = at("kernel k", inside=7)
    assert ("more.rules", 7) in lines_of(occurrences(snapshot, symbol))
    snapshot, symbol = at("access a of", inside=7)
    assert {line for _, line in lines_of(occurrences(snapshot, symbol))} == {9, 22, 24}


def test_a_metric_is_found_in_definitions_that_are_called_with_its_entity(at):
    snapshot, symbol = at("metric empty", "more.rules", inside=8)
    lines = [(OWN, 8), ("more.rules", 1), ("more.rules", 3), ("more.rules", 9)]
    assert lines_of(occurrences(snapshot, symbol)) == lines


def test_the_variable_of_an_exception_is_found_in_it_alone(at):
    snapshot, symbol = at("kernel one", "more.rules", inside=8)
    assert lines_of(occurrences(snapshot, symbol)) == [("more.rules", 9)] * 3


def renamed(at, text: str, new: str, name: str = OWN, inside: int = 1) -> dict[str, str]:
    snapshot, symbol = at(text, name, inside)
    assert refusal(snapshot, symbol) is None
    assert fault_of(new, snapshot, symbol) is None
    changes = edits_for(snapshot, symbol, new, versioned=False, moves_files=False).changes
    texts = {OWN: CALLING, "more.rules": MORE}
    return {
        file: replaced(text, changes.get(snapshot.uri(snapshot.file.with_name(file)), []))
        for file, text in texts.items()
    }


@pytest.mark.parametrize(
    ("text", "inside", "file", "new"),
    [
        ("> most", 2, OWN, "limit"),
        ("let waste", 5, OWN, "idle"),
        ("kernel k", 7, OWN, "kern"),
        ("access a of", 7, OWN, "read"),
        ("define crowded", 8, "more.rules", "dense"),
        ("metric empty", 8, "more.rules", "unused_slots"),
        ("set most", 4, "more.rules", "limit"),
        ("kernel one", 8, "more.rules", "read"),
    ],
)
def test_another_name_everywhere_leaves_rules_that_say_the_same(at, workspace, text, inside, file, new):
    before = workspace.snapshot(OWN, {OWN: CALLING, "more.rules": MORE})
    expected = [[one.code for one in diagnostics_of(before)], len(before.book.rules)]
    assert not before.book.errors
    texts = renamed(at, text, new, file, inside)
    assert texts[file] != {OWN: CALLING, "more.rules": MORE}[file]
    after = workspace.snapshot(OWN, texts)
    assert not after.book.errors
    assert [[one.code for one in diagnostics_of(after)], len(after.book.rules)] == expected


def test_a_rules_file_goes_with_its_name(at):
    snapshot, symbol = at("rule hungry", inside=6)
    assert refusal(snapshot, symbol) is None
    edit = edits_for(snapshot, symbol, "very-hungry", versioned=True, moves_files=True)
    *changes, moved = edit.document_changes
    assert [one.text_document.version for one in changes] == [1, None]
    assert isinstance(moved, types.RenameFile)
    assert (moved.old_uri.rsplit("/", 1)[1], moved.new_uri.rsplit("/", 1)[1]) == (OWN, "very-hungry.rules")
    texts = {change.text_document.uri.rsplit("/", 1)[1]: len(change.edits) for change in changes}
    assert texts == {OWN: 1, "more.rules": 3}


@pytest.mark.parametrize(
    ("text", "inside", "said"),
    [
        ("registers > most", 1, "`registers` belongs to the shipped knowledge"),
        ("block-too-small", 1, "`block-too-small` belongs to the shipped knowledge"),
        ("kernel k", 1, "`kernel` belongs to the shipped knowledge"),
        ("low_occupancy", 1, "`low_occupancy` is a pattern"),
    ],
)
def test_names_of_others_are_refused_with_a_sentence(at, text, inside, said):
    snapshot, symbol = at(text, inside=inside)
    assert refusal(snapshot, symbol).startswith(said)


FORMER = HUNGRY.replace('"the house rule"', '"the house rule" formerly limit, bound')


def test_a_former_name_leads_to_its_parameter_and_stays_as_it_is(workspace):
    texts = {OWN: FORMER, "more.rules": f'override hungry-kernel {{ set bo{CURSOR}und = 9 because "x" }}\n'}
    snapshot, offset = workspace.at_cursor("more.rules", texts)
    symbol = symbol_at(snapshot, offset)[1]
    assert lines_of(declarations(snapshot, symbol)) == [(OWN, 4)]
    assert refusal(snapshot, symbol) == "`bound` is a name of the past; today it is `most`."


def test_another_name_of_a_parameter_leaves_its_former_names(workspace):
    at = FORMER.index("> most") + 2
    snapshot, offset = workspace.at_cursor(OWN, {OWN: FORMER[:at] + CURSOR + FORMER[at:]})
    symbol = symbol_at(snapshot, offset)[1]
    assert fault_of("limit", snapshot, symbol) is not None
    edits = edits_for(snapshot, symbol, "top", versioned=False, moves_files=False).changes
    (changed,) = (replaced(FORMER, found) for found in edits.values())
    assert changed == FORMER.replace("most =", "top =").replace("> most", "> top").replace("{most}", "{top}")


def test_a_metric_of_a_source_is_refused(workspace):
    texts = {"own.rules": f'metric team_m{CURSOR}s : ms of kernel range 0 .. "told by us"\n'}
    snapshot, offset = workspace.at_cursor("own.rules", texts)
    assert refusal(snapshot, symbol_at(snapshot, offset)[1]) == (
        "`team_ms` is given by a source, which knows it by this name."
    )


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("when", "`when` is no name"),
        ("Most", "`Most` is no name"),
        ("min", "`min` is no name"),
        ("a-b", "`a-b` is no name"),
        ("", "`` is no name"),
        ("waste", "`waste` is declared already, in hungry-kernel.rules:5."),
        ("k", "`k` is declared already, in hungry-kernel.rules:3."),
    ],
)
def test_a_name_that_cannot_be_is_refused(at, new, said):
    snapshot, symbol = at("> most", inside=2)
    assert fault_of(new, snapshot, symbol).startswith(said)


def test_a_rules_id_has_its_own_form(at):
    snapshot, symbol = at("rule hungry", inside=6)
    assert fault_of("Very_Hungry", snapshot, symbol).startswith("`Very_Hungry` is no id of a rule")
    assert fault_of("block-too-small", snapshot, symbol).startswith("`block-too-small` is declared already")
    assert fault_of("very-hungry", snapshot, symbol) is None


def test_over_the_protocol(client):
    client.start()
    uri = client.open(OWN, HUNGRY, "advisor-rules")
    place = {"textDocument": {"uri": uri}, "position": {"line": 6, "character": 22}}
    (found,) = client.ask("textDocument/definition", place)
    assert found["range"]["start"] == {"line": 3, "character": 8}
    shown = client.ask("textDocument/references", {**place, "context": {"includeDeclaration": False}})
    assert [one["range"]["start"]["line"] for one in shown] == [6, 12]
    kinds = [one["kind"] for one in client.ask("textDocument/documentHighlight", place)]
    assert kinds == [3, 2, 2]
    assert client.ask("textDocument/prepareRename", place)["placeholder"] == "most"
    edit = client.ask("textDocument/rename", {**place, "newName": "limit"})
    assert len(edit["changes"][uri]) == 3
    answer = client.answer(client.send_request("textDocument/rename", {**place, "newName": "when"}))
    assert answer["error"]["message"].startswith("`when` is no name")
    place["position"] = {"line": 6, "character": 12}
    answer = client.answer(client.send_request("textDocument/prepareRename", place))
    assert "belongs to the shipped knowledge" in answer["error"]["message"]
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()

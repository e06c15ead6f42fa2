"""What is offered at a place of a rule file, by what the grammar takes there and what the names mean."""

from __future__ import annotations

import pytest
from lsprotocol import types
from rule_texts import HUNGRY
from rule_workspace import CURSOR, RuleWorkspace

from lsp_server.rule_files.completion.offers import documented, offers_at


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> RuleWorkspace:
    return RuleWorkspace(tmp_path_factory.mktemp("work"))


def offers(workspace: RuleWorkspace, text: str, name: str = "hungry-kernel.rules"):
    snapshot, offset = workspace.at_cursor(name, text)
    line, column = snapshot.reading.lines.place(offset)
    return snapshot, offers_at(snapshot, types.Position(line - 1, column - 1))


def labels(workspace: RuleWorkspace, text: str) -> list[str]:
    return [one.label for one in offers(workspace, text)[1]]


def changed(old: str, new: str) -> str:
    assert HUNGRY.count(old) == 1
    return HUNGRY.replace(old, new)


IN_EXAMPLES = ["a", "k", "run", "device", "a1"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (changed("severity warning,", "severity ¦,"), ["info", "warning", "error"]),
        (changed("severity warning,", "severity war¦,"), ["info", "warning", "error"]),
        (changed("confidence high", "confidence ¦"), ["low", "medium", "high"]),
        (changed("gain at most waste", "gain ¦"), ["at most", "about"]),
        (changed("example fires", "example ¦"), ["fires", "info", "silent", "unknown"]),
        (changed("  example fires", "  given { ¦ }\n  example fires"), IN_EXAMPLES),
        (changed("  example fires", "  given { a1.loop_depth = 2, ¦ }\n  example fires"), IN_EXAMPLES),
        (changed('fires "hungry" { k', 'fires "hungry" { ¦k'), IN_EXAMPLES),
        (changed("for each kernel k", "for ¦"), ["each"]),
        (changed("for each kernel k", "for each access a of ¦"), ["kernel"]),
        (changed("some access a of k", "some access a of ¦"), ["k"]),
        (changed("{most}", "{¦}"), ["k", "most", "waste"]),
        (
            "override block-too-small { set ¦",
            ["required_block_threads", "min_grid_threads", "recommended_block_threads"],
        ),
        (changed('"the house rule"', '"the house rule" ¦'), ["formerly"]),
        (changed('"the house rule"', '"the house rule" formerly ¦'), []),
        ('entity queue of run "One." ¦', ["from"]),
        ('entity queue of run "One." from ¦', ["source", "compiled", "synthesised", "simulated", "measured"]),
        ('entity queue of run "One." {\n  depth : count "x" ¦\n}', ["from"]),
        (
            'entity queue of run "One." {\n  depth : count "x" from source, ¦\n}',
            ["source", "compiled", "synthesised", "simulated", "measured"],
        ),
        (
            'metric m : ms of kernel "x" from ¦',
            ["source", "compiled", "synthesised", "simulated", "measured"],
        ),
        ("rule ¦", ["hungry-kernel"]),
        (changed('  why "Reg', '  say "More." ¦\n  why "Reg'), ["when"]),
    ],
)
def test_exactly_what_can_stand_there_is_offered(workspace, text, offered):
    assert labels(workspace, text) == offered


@pytest.mark.parametrize(
    ("text", "among", "never"),
    [
        ("¦", {"rule", "metric", "override"}, {"when", "severity"}),
        (HUNGRY + "\n¦", {"rule", "define"}, {"when"}),
        (changed("  gain at", "  ¦gain at"), {"when", "gain", "source"}, {"rule", "metric"}),
        (changed("for each kernel k", "for each ¦"), {"kernel", "access", "launch"}, {"registers"}),
        (changed("some access a of k", "some ¦"), {"access", "atomic"}, {"registers", "k"}),
        (changed("k.registers > most", "k.¦ > most"), {"registers", "run"}, {"loop_depth", "k", "and"}),
        (changed("k.registers > most", "k.reg¦ > most"), {"registers", "run"}, {"loop_depth"}),
        (changed("a.loop_depth", "a.¦"), {"loop_depth", "kernel"}, {"registers"}),
        (changed("k.registers > most", "k.registers > ¦"), {"most", "waste", "min"}, {"and", "a"}),
        (changed('(a.space = "global"', "(¦"), {"a", "k", "most"}, {"and"}),
        (changed("k.registers > most", "k.registers > most ¦"), {"and", "or"}, {"k", "registers"}),
        (changed("see block-too-small", "see block-¦"), {"block-too-small"}, {"k"}),
        (changed("covers low_occupancy", "covers ¦"), {"bank_conflict", "data_race"}, {"k"}),
        (changed('"global" and', '"gl¦" and'), {"global", "shared"}, {"k", "affine"}),
        (changed("{k.registers}", "{k.¦}"), {"registers"}, {"loop_depth"}),
        (changed('  why "Reg', '  say "More." when k.¦\n  why "Reg'), {"registers"}, {"loop_depth"}),
        (
            changed('  why "Reg', '  say "{k.¦}." when k.registers > 1\n  why "Reg'),
            {"registers"},
            {"loop_depth"},
        ),
        ("metric m : ¦", {"ratio", "ms", "sectors/request"}, {"kernel"}),
        ("metric m : ratio of ¦", {"kernel", "launch"}, {"ratio"}),
        ("define d(k) = k.¦", {"registers", "loop_depth"}, set()),
        ("override block¦", {"block-too-small"}, {"required_block_threads"}),
        ("except block¦", {"block-too-small"}, {"kernel"}),
        ("except block-too-small, grid¦", {"grid-too-small"}, {"kernel"}),
        ("except grid-too-small for ¦", {"launch", "kernel"}, {"grid-too-small"}),
        ("except grid-too-small for launch l when l.¦", {"in_test_or_benchmark"}, {"registers"}),
        ("except grid-too-small for x when x.¦", {"in_test_or_benchmark"}, {"registers"}),
        (HUNGRY.replace("a1.space", "a1.¦", 1), {"space", "loop_depth"}, {"registers"}),
        (HUNGRY.replace("{ k.registers = 200", "{ ¦", 1), {"k", "a1"}, {"and"}),
    ],
)
def test_what_fits_is_offered_and_what_does_not_is_not(workspace, text, among, never):
    found = set(labels(workspace, text))
    assert among <= found
    assert not never & found


@pytest.mark.parametrize(
    "text",
    [
        "/// a ¦",
        changed('"the house rule"', '"the ¦rule"'),
        changed('say "{k} uses', 'say "{k} ¦uses'),
        "// ¦",
        "define ¦",
    ],
)
def test_nothing_is_offered_in_texts_and_for_new_names(workspace, text):
    assert labels(workspace, text) == []


def test_behind_a_number_stand_the_units_of_the_metric_first(workspace):
    assert labels(workspace, changed("50%", "50¦"))[0] == "%"
    times = labels(workspace, changed("k.theoretical_occupancy < 50%", "k.latency_ms < 5 ¦"))
    assert times[:5] == ["ns", "us", "µs", "ms", "s"]
    assert "KiB" not in times
    # Registers have no unit: only what goes on behind a number is left.
    assert set(labels(workspace, changed("k.registers > most", "k.registers > 5 ¦"))) >= {"and", "or"}
    assert "ms" not in labels(workspace, changed("k.registers > most", "k.registers > 5 ¦"))


def test_an_offer_says_what_it_is_and_replaces_what_was_begun(workspace):
    text = changed("k.registers > most", "k.reg¦ > most")
    snapshot, found = offers(workspace, text)
    (item,) = (one for one in found if one.label == "registers")
    assert item.detail == "count, 0 to 255 · of kernel"
    assert item.text_edit.range.start.character == text.splitlines()[6].index("reg¦")
    assert item.text_edit.range.end.character == text.splitlines()[6].index(CURSOR)
    told = documented(item, snapshot, markdown=True).documentation
    assert told.kind == types.MarkupKind.Markdown
    assert "Provided by\n\n- compiled: " in told.value


def test_definitions_and_metrics_of_open_files_are_offered(workspace):
    texts = {
        "hungry-kernel.rules": changed("k.registers > most", "k.¦"),
        "more.rules": 'metric empty_slots : ratio of kernel k "x" = 1 - k.theoretical_occupancy\n',
    }
    snapshot, offset = workspace.at_cursor("hungry-kernel.rules", texts)
    line, column = snapshot.reading.lines.place(offset)
    found = [one.label for one in offers_at(snapshot, types.Position(line - 1, column - 1))]
    assert "empty_slots" in found

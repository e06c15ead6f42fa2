"""Whatever is done to a rule file, every question about it is answered, and the answers are in form."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types
from rule_workspace import RuleWorkspace, replaced

from advisor.model.data_files import knowledge_folder
from lsp_server.rule_files.completion.offers import documented, offers_at
from lsp_server.rule_files.corrections import actions_at
from lsp_server.rule_files.diagnostics import diagnostics_of
from lsp_server.rule_files.explaining.hovering import shown_at
from lsp_server.rule_files.explaining.lenses import rules_in, said
from lsp_server.rule_files.renaming.navigation import declarations, occurrences, symbol_at
from lsp_server.rule_files.renaming.renaming import fault_of, refusal
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.colours import colours_of
from lsp_server.rule_files.text.outline import foldings_of, symbols_of
from lsp_server.rule_files.text.shape import formatting_of

SHIPPED = [file.read_text("utf-8") for file in sorted(knowledge_folder().rglob("*.rules"))]
WORDS = st.sampled_from(
    [
        "{", "}", "(", ")", '"', "\n", "//", "///", ".", "k", "k.", "e", "1e", "1 ", "%", "-", "a-b", "..",
        "= ", "🌍", "\r", "\t", "\x0c", "\u2028", "\\", "rule ", "\nmetric ", "\ndefine f(x) = ", " when ",
        "\noverride a-b { set ", "\nsuppress memory-bound where k.", " some access a of k has (", "unless ",
        " number of ", " for each ", " is ", " see ", " gain at most ", " example fires { a1.",
        " when assumed",
    ]
)  # fmt: skip
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(WORDS, st.text(max_size=3))), max_size=6
)
_workspace: list[RuleWorkspace] = []


def workspace() -> RuleWorkspace:
    if not _workspace:
        _workspace.append(RuleWorkspace(Path(tempfile.gettempdir()) / "advisor-no-such-folder"))
    return _workspace[0]


def edited(text: str, edits: list[tuple[float, int, str]]) -> str:
    for share, lost, new in edits:
        at = int(share * len(text))
        text = text[:at] + new + text[at + lost :]
    return text


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SHIPPED), EDITS, st.floats(0, 1))
def test_every_question_is_answered(text, edits, share):
    snapshot = workspace().snapshot("own.rules", edited(text, edits))
    content = snapshot.document.content
    offset = int(share * len(content))
    _check_ranges(snapshot)
    _check_colours(snapshot)
    _ask_at(snapshot, offset)
    for name, _ in rules_in(snapshot):
        assert said("examples", name.text, snapshot).title
    (first, *_) = formatting_of(snapshot) or [None]
    if first is not None and content.isascii() and "\f" not in content:
        again = workspace().snapshot("own.rules", replaced(content, [first]))
        assert formatting_of(again) == []


def _check_ranges(snapshot: Snapshot) -> None:
    lines = snapshot.document.content.split("\n")
    for one in diagnostics_of(snapshot):
        assert 0 <= one.range.start.line <= one.range.end.line <= len(lines)
        assert one.message
    for fold in foldings_of(snapshot.reading):
        assert 0 <= fold.start_line < fold.end_line < len(lines)
    waiting = symbols_of(snapshot)
    while waiting:
        symbol = waiting.pop()
        assert symbol.name
        assert symbol.range.start <= symbol.selection_range.start
        assert symbol.selection_range.end <= symbol.range.end
        waiting += symbol.children or []


def _check_colours(snapshot: Snapshot) -> None:
    """Pieces follow each other and never overlap."""
    data = colours_of(snapshot)
    length = 0
    for at in range(0, len(data), 5):
        down, along, size = data[at : at + 3]
        assert down >= 0
        assert size > 0
        assert down or at == 0 or along >= length
        length = size


def _ask_at(snapshot: Snapshot, offset: int) -> None:
    line, column = snapshot.reading.lines.place(offset)
    place = snapshot.positions.position(line, column)
    offers = offers_at(snapshot, place)
    assert len({one.label for one in offers}) == len(offers)
    for one in offers[:3]:
        documented(one, snapshot, markdown=True)
    shown = shown_at(snapshot, offset)
    assert shown is None or shown.text
    context = types.CodeActionContext([])
    where = types.Range(types.Position(0, 0), place)
    actions_at(snapshot, types.CodeActionParams(types.TextDocumentIdentifier("x"), where, context), True)
    named = symbol_at(snapshot, offset)
    if named is None:
        return
    own = [one for one in occurrences(snapshot, named[1]) if one.file == snapshot.file]
    assert named[0] in [one.name for one in own]
    assert refusal(snapshot, named[1]) or declarations(snapshot, named[1])
    fault_of("new_name", snapshot, named[1])

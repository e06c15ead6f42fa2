"""A finding with several places is one diagnostic; each place shows and offers what the finding does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.findings import HERE_TOO, Finding
from advisor.model.settings.config import Config
from lsp_server.analysis.checked_text import Analysis, analyse
from lsp_server.analysis.stale_results import with_stale_results
from lsp_server.answers.actions import CodeActions, on_lines
from lsp_server.answers.diagnostics import diagnostics_of
from lsp_server.answers.hover import explanations, findings_at, span_at
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles
from lsp_server.protocol.edits import Writes
from lsp_server.protocol.positions import Positions

TEXT = """from numba import cuda


@cuda.jit
def several(out, a, b):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j]
        out[i, j] += 2
        out[i, j] += b[i, j]


def run(out, a, b):
    several[(32, 32), (32, 8)](out, a, b)
"""
RULE = "transposed-index"


def analysed(text: str = TEXT) -> Analysis:
    folder = Path("/w")
    document = Document((folder / "k.py").as_uri(), 1, folder / "k.py", folder, False, text)
    settings = Config(root=folder, select=(RULE,))
    return analyse(document, WorkspaceFiles(), configure=lambda _: settings)


def the_finding(analysis: Analysis) -> Finding:
    (finding,) = analysis.findings
    return finding


def positions_of(analysis: Analysis) -> Positions:
    return Positions(analysis.document.source, PositionCodec())


def on_line(line: int) -> types.Range:
    return types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))


def test_there_is_one_diagnostic_with_the_further_places_as_related_information() -> None:
    analysis = analysed()
    (shown,) = diagnostics_of(analysis, positions_of(analysis))
    finding = the_finding(analysis)
    lines = {finding.span.line, *(one.span.line for one in finding.further_places)}
    assert lines == {8, 9, 10}
    assert shown.range.start.line + 1 == finding.span.line
    assert shown.related_information is not None
    assert {one.location.range.start.line + 1 for one in shown.related_information} == lines - {
        finding.span.line
    }
    assert "In 3 places of" in shown.message


def test_the_actions_of_each_place_are_those_of_the_finding_and_ignore_that_place() -> None:
    analysis = analysed()
    desk = CodeActions(analysis, positions_of(analysis), Writes(versions=False, disabled=False), {})
    for line in (8, 9, 10):
        findings = on_lines(analysis, on_line(line))
        assert findings == [the_finding(analysis)]
        ignore, explain = desk.actions(findings, [], [], on_line(line))
        assert explain.title == f"Explain {RULE}"
        assert ignore.edit is not None
        assert ignore.edit.changes is not None
        (edits,) = ignore.edit.changes.values()
        assert [edit.range.start.line + 1 for edit in edits] == [line]
    assert on_lines(analysis, on_line(7)) == []


def test_hovering_over_a_further_place_says_what_holds_there_and_where_it_is_worst() -> None:
    analysis = analysed()
    finding = the_finding(analysis)
    for one in finding.further_places:
        place = (one.span.line, one.span.column)
        assert findings_at(analysis, place) == [finding]
        assert span_at(finding, place) == one.span
        text = explanations([finding], analysis.settings, place)
        assert f"**Worst** in line {finding.span.line}." in text
        assert (f"**Here** {one.message}" in text) == (one.message != HERE_TOO)
    own = (finding.span.line, finding.span.column)
    assert "**Worst**" not in explanations([finding], analysis.settings, own)
    assert findings_at(analysis, (7, 5)) == []


def test_a_finding_whose_worst_line_is_rewritten_stands_at_its_next_place_meanwhile() -> None:
    analysis = analysed()
    finding = the_finding(analysis)
    lines = TEXT.splitlines()
    lines[finding.span.line - 1] = "        out[i, j] = ("
    now = replace(analysed("\n".join(lines) + "\n"), findings=(), unread=frozenset())
    stale = the_finding(with_stale_results(analysis, now))
    rest = sorted(one.span.line for one in finding.further_places)
    assert [one.span.line for one in stale.at_each_place()] == rest
    whole = [*["x = 1"] * 30]
    gone = replace(analysed("\n".join(whole)), findings=(), unread=frozenset())
    assert with_stale_results(analysis, gone).findings == ()

"""Answers about the text of a notebook, turned into answers about its cells."""

from __future__ import annotations

import pytest
from lsprotocol import types

from lsp_server.documents.notebooks import Notebooks

BOOK, OTHER, MODULE = "file:///w/n.ipynb", "file:///w/m.ipynb", "file:///w/k.py"
FIRST, SECOND, SHELL = "cell:1", "cell:2", "cell:3"
TEXTS = {FIRST: "a = 1\nb = 2", SECOND: "c = 3\nd = 4\ne = 5", SHELL: "%%bash\nls"}


class Held:
    def __init__(self, text):
        self.source, self.version, self.language_id = text, 7, "python"


class Workspace:
    text_documents = {uri: Held(text) for uri, text in TEXTS.items()}

    def get_notebook_document(self, *, notebook_uri):
        kind = types.NotebookCellKind.Code
        return types.NotebookDocument(
            notebook_uri, "jupyter-notebook", 4, [types.NotebookCell(kind, uri) for uri in TEXTS]
        )


@pytest.fixture
def notebooks():
    found = Notebooks()
    assert found.take(Workspace(), BOOK) is not None
    return found


def place(line, character=0, end=None):
    return types.Range(types.Position(line, character), types.Position(line if end is None else end, 3))


def ask(notebooks, uri, line):
    document = types.TextDocumentIdentifier(uri)
    return notebooks.inward(types.HoverParams(document, types.Position(line, 2)))


def test_the_text_has_a_line_before_each_cell(notebooks):
    held = notebooks.held(BOOK)
    assert held.text == "# %% cell 1\na = 1\nb = 2\n# %% cell 2\nc = 3\nd = 4\ne = 5\n"
    assert [(cell.uri, cell.first, cell.count) for cell in held.cells][:2] == [(FIRST, 1, 2), (SECOND, 4, 3)]
    assert [held.cell_at(line) and held.cell_at(line).uri for line in range(8)] == [
        None, FIRST, FIRST, None, SECOND, SECOND, SECOND, None,
    ]  # fmt: skip


def test_questions_about_a_cell_are_about_the_notebook(notebooks):
    params, cell = ask(notebooks, SECOND, 1)
    assert (params.text_document.uri, params.position) == (BOOK, types.Position(5, 2))
    assert cell.uri == SECOND
    params, cell = ask(notebooks, MODULE, 1)
    assert (params.text_document.uri, params.position, cell) == (MODULE, types.Position(1, 2), None)


def test_places_outside_of_the_cell_are_left_out(notebooks):
    _, cell = ask(notebooks, SECOND, 1)
    lenses = [types.CodeLens(place(line)) for line in range(9)]
    assert [lens.range.start.line for lens in notebooks.outward(lenses, cell)] == [0, 1, 2]
    assert notebooks.outward(types.Hover("x", place(1)), cell) is None
    assert notebooks.outward(types.Hover("x", place(5, 1)), cell) == types.Hover("x", place(1, 1))
    _, shell = ask(notebooks, SHELL, 0)
    assert notebooks.outward(lenses, shell) == []


def test_a_range_that_runs_on_ends_with_its_cell(notebooks):
    _, cell = ask(notebooks, FIRST, 0)
    (lens,) = notebooks.outward([types.CodeLens(place(1, end=6))], cell)
    assert (lens.range.start.line, lens.range.end.line) == (0, 1)


def test_locations_elsewhere_are_those_of_their_cells(notebooks):
    _, cell = ask(notebooks, FIRST, 0)
    found = notebooks.outward([types.Location(uri, place(5)) for uri in (BOOK, OTHER, MODULE)], cell)
    assert [(one.uri, one.range.start.line) for one in found] == [(SECOND, 1), (OTHER, 0), (MODULE, 5)]


def action(uri, *lines, **more):
    edits = [types.TextEdit(place(line), "x") for line in lines]
    named = types.OptionalVersionedTextDocumentIdentifier(uri, 4)
    edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, edits)])
    return types.CodeAction("fix", edit=edit, **more)


def test_edits_are_sorted_into_cells_with_their_versions(notebooks):
    _, cell = ask(notebooks, FIRST, 0)
    (found,) = notebooks.outward([action(BOOK, 6, 1, 4)], cell)
    changes = found.edit.document_changes
    assert [(one.text_document.uri, one.text_document.version) for one in changes] == [
        (SECOND, 7),
        (FIRST, 7),
    ]
    assert [[edit.range.start.line for edit in one.edits] for one in changes] == [[2, 0], [0]]
    edit = types.WorkspaceEdit(changes={BOOK: [types.TextEdit(place(5), "x")], MODULE: []})
    (found,) = notebooks.outward([types.CodeAction("fix", edit=edit)], cell)
    assert {uri: [one.range.start.line for one in edits] for uri, edits in found.edit.changes.items()} == {
        SECOND: [1]
    }


@pytest.mark.parametrize("lines", [[0], [3], [1, 7]])
def test_an_edit_between_cells_is_not_offered(notebooks, lines):
    _, cell = ask(notebooks, FIRST, 0)
    assert notebooks.outward([action(BOOK, *lines)], cell) == []
    over = types.TextEdit(place(1, end=5), "x")
    whole = types.CodeAction("fix", edit=types.WorkspaceEdit(changes={BOOK: [over]}))
    assert notebooks.outward([whole], cell) == []


@pytest.mark.parametrize("uri", [BOOK, OTHER])
def test_edits_never_meet_a_notebook_that_they_were_not_made_for(notebooks, uri):
    assert notebooks.outward([action(uri, 1), action(MODULE, 1)], None) == [action(MODULE, 1)]
    assert Notebooks().outward([action(uri, 1), action(MODULE, 1)], None) == [action(MODULE, 1)]


def test_the_name_of_a_report_holds_while_the_cell_stays_in_its_place(notebooks):
    def pull(previous):
        document = types.TextDocumentIdentifier(SECOND)
        return notebooks.inward(types.DocumentDiagnosticParams(document, previous_result_id=previous))

    asked, cell = pull(None)
    assert asked.previous_result_id is None
    report = notebooks.outward(types.RelatedFullDocumentDiagnosticReport([], result_id="12"), cell)
    assert pull(report.result_id)[0].previous_result_id == "12"
    assert pull("9:12")[0].previous_result_id is None


def test_commands_take_the_places_of_cells(notebooks):
    assert notebooks.command_arguments([SECOND, 2]) == (BOOK, 6)
    assert notebooks.command_arguments([BOOK, 6]) == (BOOK, 6)
    assert notebooks.command_arguments([MODULE, 2]) == (MODULE, 2)
    assert notebooks.command_arguments([]) == ()


@pytest.mark.parametrize("uri", ["file:///w/n.py", "untitled:n.ipynb", "vscode-vfs://x/n.ipynb"])
def test_what_is_no_notebook_of_a_file_is_not_taken(uri):
    notebooks = Notebooks()
    assert notebooks.take(Workspace(), uri) is None
    assert notebooks.of_cell(FIRST) is None

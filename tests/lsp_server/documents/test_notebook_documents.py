"""Notebook documents: every feature in the cells, under the URIs and lines that the client knows."""

from __future__ import annotations

import json

import pytest
from diagnostic_codes import codes
from kernel_pairs import CASES, HEAD, TRANSPOSED
from notebook_client import OpenNotebook

KERNEL = TRANSPOSED.removeprefix(HEAD)
GOOD = KERNEL.replace("i, j = cuda.grid(2)", "j, i = cuda.grid(2)")
UNGUARDED = "@cuda.jit\ndef double(a):\n    i = cuda.grid(1)\n    a[i] = a[i] * 2"
RULE = "transposed-index"


def lines_of(diagnostics):
    return sorted((item["code"], item["range"]["start"]["line"]) for item in diagnostics)


def test_the_server_offers_to_keep_the_python_cells_of_notebooks(client):
    answer = client.ask(
        "initialize",
        {
            "processId": None,
            "rootUri": None,
            "capabilities": {"notebookDocument": {"synchronization": {"dynamicRegistration": True}}},
        },
    )
    offered = answer["capabilities"]["notebookDocumentSync"]
    assert offered == {"notebookSelector": [{"cells": [{"language": "python"}]}], "save": True}


def test_findings_stand_in_their_cells(client):
    client.start(pulls=True)
    book = OpenNotebook(client, "%matplotlib inline\n" + HEAD, KERNEL, "x = 1", "\n" + KERNEL)
    assert [lines_of(client.pulled(cell)) for cell in book.cells] == [[], [(RULE, 4)], [], [(RULE, 5)]]
    (found,) = client.pulled(book.cells[1])
    assert found["range"]["end"]["line"] == 4
    assert found["codeDescription"]["href"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_each_pair_of_kernels_in_a_cell(client, case):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, case.text.removeprefix(HEAD))
    line = case.line - 1 - HEAD.count("\n")
    assert (case.rule, line) in lines_of(client.pulled(book.cells[1]))
    book.write(1, case.fixed.removeprefix(HEAD))
    assert case.rule not in codes(client.pulled(book.cells[1]))
    assert client.pulled(book.cells[0]) == []


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [""],
        ["x = 1", "\n\n", "# cuda"],
        [HEAD, GOOD],
        [HEAD, f"%%bash\n{KERNEL}"],
        [HEAD, KERNEL.replace("* 2", "* 2  # advisor: ignore[transposed-index] four by four")],
        ["# advisor: ignore-file[transposed-index] a lesson\n" + HEAD, KERNEL],
    ],
    ids=["none", "empty", "plain", "good", "shell", "suppressed", "suppressed all"],
)
def test_nothing_is_said_of_cells_without_a_fault(client, cells):
    client.start(pulls=True)
    book = OpenNotebook(client, *cells)
    assert [client.pulled(cell) for cell in book.cells] == [[] for _ in cells]


def test_a_name_that_no_cell_defines_is_told_at_the_cell_that_uses_it(client):
    client.start(pulls=True)
    book = OpenNotebook(client, "import math", KERNEL)
    assert "undefined-name" in codes(client.pulled(book.cells[1]))
    book.write(0, HEAD)
    assert "undefined-name" not in codes(client.pulled(book.cells[1]))


def test_a_client_that_does_not_pull_is_sent_each_cell(client):
    client.start()
    book = OpenNotebook(client, HEAD, KERNEL)
    assert client.published(book.cells[0], 1) == []
    assert lines_of(client.published(book.cells[1], 1)) == [(RULE, 4)]
    book.write(1, "\n" + KERNEL)
    assert lines_of(client.published(book.cells[1], 2)) == [(RULE, 5)]
    book.write(1, GOOD, version=3)
    assert client.published(book.cells[1], 3) == []
    assert not any(one["params"]["uri"] == book.uri for one in client.kept("textDocument/publishDiagnostics"))


def test_cells_come_and_go(client):
    client.start()
    book = OpenNotebook(client, HEAD, KERNEL)
    assert lines_of(client.published(book.cells[1], 1)) == [(RULE, 4)]
    new = book.insert(0, "import math\n\n" + HEAD + KERNEL)
    assert lines_of(client.published(new, 1)) == [(RULE, 4 + 2 + HEAD.count("\n"))]
    gone = book.remove(0)
    assert client.published(gone, None) == []
    book.close()
    assert client.published(book.cells[1], None) == []


def test_a_change_in_one_cell_shows_in_another(client):
    client.start(pulls=True)
    guarded = UNGUARDED.replace("    a[i]", "    if i < a.size:\n        a[i]", 1)
    threads = "THREADS = 128"
    book = OpenNotebook(client, threads, HEAD + guarded, "d = cuda.to_device(a)\ndouble[n, THREADS](d)")
    assert "block-not-warp-multiple" not in codes(client.pulled(book.cells[2]))
    book.write(0, "THREADS = 100")
    (found,) = [one for one in client.pulled(book.cells[2]) if one["code"] == "block-not-warp-multiple"]
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == book.cells[1]
    assert related["location"]["range"]["start"]["line"] == 1 + HEAD.count("\n")


def test_a_cell_that_does_not_parse_is_told_and_hides_no_other(client):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL, "x = 1\nfor i in\n")
    (found,) = client.pulled(book.cells[2])
    assert (found["code"], found["range"]["start"]) == ("not-checked", {"line": 1, "character": 0})
    assert found["range"]["end"]["character"] > 0
    assert lines_of(client.pulled(book.cells[1])) == [(RULE, 4)]


def test_what_was_found_moves_along_while_a_cell_does_not_parse(client):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL)
    assert lines_of(client.pulled(book.cells[1])) == [(RULE, 4)]
    book.write(1, "x = (\n\n" + KERNEL)
    found = client.pulled(book.cells[1])
    assert lines_of(found) == [("not-checked", 0), (RULE, 6)]
    assert RULE in client.hover(book.cells[1], 6, 20)["contents"]["value"]
    # Nothing is written into a text that it was not made for.
    assert not any(one.get("edit") for one in client.actions(book.cells[1], 6, diagnostics=found))
    book.write(1, KERNEL.replace("b[i, j] * 2", "b[i, j"), version=3)
    assert codes(client.pulled(book.cells[1])) == ["not-checked"]
    book.write(1, GOOD, version=4)
    assert client.pulled(book.cells[1]) == []


def test_one_cell_changes_while_another_does_not_parse(client):
    client.start()
    book = OpenNotebook(client, HEAD, KERNEL, KERNEL.replace("scale", "grow"))
    assert lines_of(client.published(book.cells[1], 1)) == [(RULE, 4)]
    book.write(1, KERNEL + "for")
    assert lines_of(client.published(book.cells[1], 2)) == [("not-checked", 5), (RULE, 4)]
    book.write(2, "\n\n" + KERNEL.replace("scale", "grow"))
    assert lines_of(client.published(book.cells[2], 2)) == [(RULE, 6)]
    book.write(2, GOOD.replace("scale", "grow"), version=3)
    assert client.published(book.cells[2], 3) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_the_clients(client, encoding):
    client.start(pulls=True, encodings=[encoding])
    book = OpenNotebook(client, "# 🌍\n" + HEAD, KERNEL.replace("a[i, j] = b", "'🌍'; a[i, j] = b"))
    (found,) = client.pulled(book.cells[1])
    units = len("        '🌍'; a[i, j] = ") + {"utf-8": 3, "utf-16": 1, "utf-32": 0}[encoding]
    assert found["range"]["start"] == {"line": 4, "character": units}


def test_hovers_belong_to_the_cell(client):
    client.start(pulls=True)
    book = OpenNotebook(client, "import math\n" + HEAD, KERNEL)
    shown = client.hover(book.cells[1], 4, 20)
    assert RULE in shown["contents"]["value"]
    assert shown["range"]["start"]["line"] == 4
    assert client.hover(book.cells[0], 0, 1) is None
    assert client.hover(book.cells[0], 4, 20) is None


def test_a_suppression_is_written_into_the_cell(client):
    client.start(pulls=True, workspace={"workspaceEdit": {"documentChanges": True}})
    book = OpenNotebook(client, HEAD, KERNEL)
    sent = client.pulled(book.cells[1])
    action = next(
        one for one in client.actions(book.cells[1], 4, diagnostics=sent) if "gnore" in one["title"]
    )
    assert action["diagnostics"] == sent
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": book.cells[1], "version": 1}
    assert book.with_edit(action["edit"]) == {
        1: KERNEL.replace("* 2", f"* 2  # advisor: ignore[{RULE}] TODO: say why this is acceptable here"),
    }


def test_a_fix_is_written_into_the_cell(client):
    client.start(pulls=True)
    book = OpenNotebook(client, "!nvidia-smi\n" + HEAD, "%%time\n" + UNGUARDED)
    actions = client.actions_with_fixes(book.cells[1], 4)
    fix = next(one for one in actions if one.get("edit") and "gnore" not in one["title"])
    (text,) = book.with_edit(fix["edit"]).values()
    assert list(book.with_edit(fix["edit"])) == [1]
    assert text.startswith("%%time\n@cuda.jit\n") and "if i < a.shape[0]:\n        a[i] = a[i] * 2" in text
    book.write(1, text)
    assert "unchecked-index" not in codes(client.pulled(book.cells[1]))


def test_nothing_is_offered_where_a_cell_has_no_finding(client):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL, GOOD)
    assert client.actions(book.cells[0], 0) == []
    assert client.actions(book.cells[1], 2) == []
    assert client.actions(book.cells[2], 4) == []


def test_lenses_and_hints_belong_to_the_cell(client):
    client.start(pulls=True)
    book = OpenNotebook(client, "import math\n" + HEAD, KERNEL, "x = 1")
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    for number, cell in enumerate(book.cells):
        document = {"textDocument": {"uri": cell}}
        lenses = client.ask("textDocument/codeLens", document)
        hints = client.ask("textDocument/inlayHint", {**document, "range": everything})
        places = {one["range"]["start"]["line"] for one in lenses}
        assert places == ({0} if number == 1 else set()), (number, lenses)
        assert {one["position"]["line"] for one in hints} == ({4} if number == 1 else set()), (number, hints)


def test_python_files_beside_a_notebook_are_as_before(client):
    client.start(pulls=True)
    OpenNotebook(client, HEAD, GOOD)
    uri = client.open("k.py", TRANSPOSED)
    assert lines_of(client.pulled(uri)) == [(RULE, 7)]
    assert RULE in client.hover(uri, 7, 20)["contents"]["value"]
    assert any("gnore" in one["title"] for one in client.actions(uri, 7))


def test_two_notebooks_do_not_mix(client):
    client.start(pulls=True)
    first = OpenNotebook(client, HEAD, KERNEL)
    second = OpenNotebook(client, HEAD, GOOD, name="m.ipynb")
    assert codes(client.pulled(second.cells[1])) == []
    second.close()
    assert codes(client.pulled(first.cells[1])) == [RULE]


@pytest.mark.parametrize("name", ["n.py", "n.rules"])
def test_notebooks_of_other_kinds_are_left_alone(client, name):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL, name=name)
    assert [client.pulled(cell) for cell in book.cells] == [[], []]


def test_cells_in_other_languages_are_left_alone(client):
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL, language="julia")
    assert [client.pulled(cell) for cell in book.cells] == [[], []]


def test_what_the_server_does_not_know_is_survived(client):
    client.start(pulls=True)
    named = {"uri": (client.folder / "gone.ipynb").as_uri(), "version": 3}
    client.notify("notebookDocument/didChange", {"notebookDocument": named, "change": {}})
    client.notify("notebookDocument/didSave", {"notebookDocument": {"uri": named["uri"]}})
    client.notify(
        "notebookDocument/didClose", {"notebookDocument": {"uri": named["uri"]}, "cellTextDocuments": []}
    )
    assert client.pulled("vscode-notebook-cell:/x.ipynb#1") == []
    book = OpenNotebook(client, HEAD, KERNEL)
    assert codes(client.pulled(book.cells[1])) == [RULE]
    book.save()
    assert codes(client.pulled(book.cells[1])) == [RULE]
    assert client.pulled(book.uri + "#") == []


def test_a_project_may_exclude_its_notebooks(client):
    (client.folder / "pyproject.toml").write_text('[tool.advisor]\nexclude = ["*.ipynb"]\n')
    client.start(pulls=True)
    book = OpenNotebook(client, HEAD, KERNEL)
    assert client.pulled(book.cells[1]) == []


def test_opening_a_notebook_writes_and_runs_nothing(client):
    client.start(pulls=True)
    (client.folder / "n.ipynb").write_text(json.dumps({"cells": []}))
    book = OpenNotebook(client, HEAD, KERNEL, "def workload():\n    open('touched', 'w')\nworkload()")
    client.pulled(book.cells[1])
    book.save()
    client.pulled(book.cells[1])
    assert {file.name for file in client.folder.iterdir()} == {"n.ipynb"}

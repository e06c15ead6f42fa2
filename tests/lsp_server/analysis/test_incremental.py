"""What is kept between edits never changes what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_server.analysis.analyst import Analyst
from lsp_server.analysis.checked_text import analyse
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles

KERNELS = Path(__file__).parents[3] / "kernels"


def document(folder, text, version=1):
    file = folder / "k.py"
    return Document(file.as_uri(), version, file, folder, False, text)


def said(analysis):
    return analysis.findings, analysis.problems, analysis.evidence, analysis.broken_rules


def edits(text):
    """The text after each of a few edits, which change indices, sizes, comments, lines and names."""
    yield text
    for old, new in (
        ("i, j = cuda.grid(2)", "j, i = cuda.grid(2)"),
        ("j, i = cuda.grid(2)", "j, i = cuda.grid(2)  # advisor: ignore[all]"),
        ("THREADS = ", "# THREADS\n\nTHREADS = 2 * "),
        ("BLOCK_FIRST = (", "BLOCK_FIRST = (1 + "),
        ("np.float32", "np.float64"),
        ("cuda.syncthreads()", "pass"),
        ("for ", "for  "),
    ):
        if old in text:
            text = text.replace(old, new)
            yield text


@pytest.mark.parametrize("name", ["conv2d", "pixel_entropy", "dot_product"])
def test_findings_are_those_of_a_new_analysis(name, tmp_path):
    analyst = Analyst()
    try:
        for text in edits((KERNELS / f"{name}.py").read_text("utf-8")):
            now = document(tmp_path, text)
            assert said(analyst.from_source(now)) == said(analyse(now, WorkspaceFiles()))
    finally:
        analyst.close()


def test_another_configuration_is_read_at_once(tmp_path):
    analyst = Analyst()
    now = document(tmp_path, (KERNELS / "conv2d.py").read_text("utf-8"))
    rules = {one.rule for one in analyst.from_source(now).findings}
    assert "transposed-index" in rules
    (tmp_path / "advisor.toml").write_text('ignore = ["transposed-index"]\n', encoding="utf-8")
    assert {one.rule for one in analyst.from_source(now).findings} == rules - {"transposed-index"}
    (tmp_path / "advisor.toml").unlink()
    assert {one.rule for one in analyst.from_source(now).findings} == rules


def test_a_text_that_does_not_parse_says_nothing_of_the_file_on_the_disk(tmp_path):
    text = (KERNELS / "conv2d.py").read_text("utf-8")
    (tmp_path / "k.py").write_text(text, encoding="utf-8")
    for found in (Analyst().from_source, lambda one: analyse(one, WorkspaceFiles())):
        analysis = found(document(tmp_path, text + "def f(:\n"))
        # The functions around the error are those of the text.
        assert {one.path for one in analysis.findings} == {"k.py"}
        assert [(one.line, one.message) for one in analysis.problems] == [
            (text.count("\n") + 1, "syntax error: invalid syntax")
        ]

"""Which other files are read for a document, and that leaving the others out changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kernel_pairs import HEAD, TRANSPOSED

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from lsp_server.analysis.checked_text import analyse
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles, concerns_kernels, kernel_names

KERNELS = Path(__file__).parents[3] / "kernels"


def document(file: Path, root: Path, text: str = TRANSPOSED, alone: bool = False) -> Document:
    return Document(file.as_uri(), 1, file, root, alone, text)


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_files_that_name_the_documents_kernels_are_around_it(tmp_path):
    write(tmp_path / "pyproject.toml", "")
    launcher = write(tmp_path / "apps" / "a.py", "from numba import cuda\nscale[8, 128](a, b)\n")
    write(tmp_path / "apps" / "other.py", HEAD + "@cuda.jit\ndef other(a):\n    pass\n")
    write(tmp_path / "apps" / "plain.py", "scale = 1\n")
    own = write(tmp_path / "src" / "k.py", TRANSPOSED)
    workspace_files = WorkspaceFiles()
    assert workspace_files.of(document(own, tmp_path)) == (launcher,)
    # What a document launches may be defined elsewhere.
    assert [file.name for file in workspace_files.of(document(launcher, tmp_path, launcher.read_text()))] == [
        "k.py"
    ]
    assert workspace_files.of(document(own, tmp_path, "x = 1\n")) == ()


def test_a_new_file_is_seen_after_forget(tmp_path):
    workspace_files = WorkspaceFiles()
    own = document(tmp_path / "k.py", tmp_path)
    assert workspace_files.of(own) == ()
    launcher = write(tmp_path / "a.py", "from numba import cuda\nscale[8, 128](a, b)\n")
    assert workspace_files.of(own) == ()
    workspace_files.forget()
    assert workspace_files.of(own) == (launcher,)
    write(launcher, "from numba import cuda\n")
    os.utime(launcher, ns=(1, 1))
    workspace_files.forget()
    assert workspace_files.of(own) == ()


def test_a_file_outside_the_workspace_has_its_folder_around_it_and_nothing_below(tmp_path):
    beside = write(tmp_path / "a.py", "from numba import cuda\nscale[8, 128](a, b)\n")
    write(tmp_path / "below" / "b.py", beside.read_text())
    lone = document(tmp_path / "k.py", tmp_path, alone=True)
    assert WorkspaceFiles().of(lone) == (beside,)
    assert WorkspaceFiles().of(document(tmp_path / "none" / "k.py", tmp_path / "none", alone=True)) == ()


BODY = "from numba import cuda\n\ndef add(a):\n    for k in range(9):\n        cuda.atomic.add(a, 0, 1)\n"


def test_a_body_that_another_file_compiles_shows_its_findings(tmp_path):
    write(tmp_path / "pyproject.toml", "")
    write(tmp_path / "b.py", "from numba import cuda\nfrom k import add\ncuda.jit(add)[8, 128](a)\n")
    own = document(write(tmp_path / "k.py", BODY), tmp_path, BODY)
    found = analyse(own, WorkspaceFiles()).findings
    assert ("atomic-sum-in-loop", 5) in {(one.rule, one.span.line) for one in found}
    assert not analyse(document(own.file, tmp_path, BODY.replace("add", "other")), WorkspaceFiles()).findings


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@cuda.jit\ndef scale(a):\n    pass\n", {b"scale"}),
        ("fast = cuda.jit(slow)\n", {b"fast"}),
        ("# cuda\nscale[8, 128](a)\n", {b"scale"}),
        ("x = 1\nscale(a)\n", set()),
    ],
)
def test_kernels_go_by_the_names_they_are_defined_and_launched_by(text, names):
    assert kernel_names(text.encode()) == names


@pytest.mark.parametrize(
    ("text", "does"),
    [(TRANSPOSED, True), ("# cuda\nf[1, 2](a)\n", True), ("f[1, 2](a)\n", False), ("import numba\n", False)],
)
def test_only_files_with_kernels_or_launches_concern_us(text, does):
    assert concerns_kernels(text.encode()) is does


@pytest.fixture(scope="module")
def workspace_files():
    """Those of the checkout, read once, as a server reads them."""
    return WorkspaceFiles()


@pytest.mark.parametrize("file", sorted(KERNELS.glob("*.py")), ids=lambda file: file.stem)
def test_the_findings_are_those_of_a_check_from_the_command_line(file, monkeypatch, workspace_files):
    monkeypatch.chdir(KERNELS.parent)
    settings = load_config(KERNELS)
    options = CheckOptions(device=settings.device, root=KERNELS.parent, evidence="source", settings=settings)
    told = {
        (finding.rule, finding.span, finding.message)
        for finding in check([file], options).findings
        if finding.path == f"kernels/{file.name}"
    }
    opened = document(file, KERNELS.parent, file.read_text("utf-8"))
    found = analyse(opened, workspace_files).findings
    assert {(finding.rule, finding.span, finding.message) for finding in found} == told
    assert len(found) == len(told)

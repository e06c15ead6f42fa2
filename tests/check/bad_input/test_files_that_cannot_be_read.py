"""Files that are no Python, no text or not there: an entry with place and cause, and the others go on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, Outcome, contents

GOOD = ("slow-power", "good.py", 8)
KERNEL = """\
from numba import cuda


@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 0.5  # é
"""
FAST = ("--evidence", "source", "--no-cache")


# What lies in a file, the line of its error, and words of the message.
BAD = {
    "bracket": (b"from numba import cuda\n\n@cuda.jit\ndef k(a:\n    pass\n", 4, "'(' was never closed"),
    "indentation": (b"from numba import cuda\n\n@cuda.jit\ndef k(a):\npass\n", 5, "expected an indented"),
    "tabs": (b"from numba import cuda\n\n@cuda.jit\ndef k(a):\n\tif a:\n        pass\n", 6, "syntax error: "),
    "utf_16": (KERNEL.encode("utf-16"), 1, "cannot be decoded: invalid or missing encoding declaration"),
    "latin": (KERNEL.encode("latin-1"), 8, "cannot be decoded: 'utf-8' codec can't decode byte 0xe9"),
    "null": (KERNEL.encode() + b"\0", 9, "contains a null byte"),
    "coding": (b"# coding: no-such-code\n" + KERNEL.encode(), 1, "cannot be decoded: unknown encoding"),
    "brackets": (b"from numba import cuda\ncuda.jit\nx = " + b"(" * 300 + b")" * 300, 3, "syntax error: "),
    "python2": (b"from numba import cuda\ncuda.jit\nprint 'python 2'\n", 3, "Missing parentheses"),
}
VALID = {
    "latin_with_coding_line": b"# -*- coding: latin-1 -*-\n" + KERNEL.encode("latin-1"),
    "bom": b"\xef\xbb\xbf\n" + KERNEL.encode(),
    "bom_and_coding_line": b"\xef\xbb\xbf# coding: utf-8\n" + KERNEL.encode(),
    "crlf": ("\n" + KERNEL).replace("\n", "\r\n").encode(),
    "no_line_end": ("\n" + KERNEL).encode().rstrip(b"\n"),
    "tabs_throughout": ("\n" + KERNEL).replace("    ", "\t").encode(),
}


@pytest.fixture(scope="module")
def mixed(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One check of a good file, all the bad ones, and all the valid ones."""
    workspace = tmp_path_factory.mktemp("mixed")
    (workspace / ".git").mkdir()
    (workspace / "good.py").write_text(KERNEL)
    for name, (content, _, _) in BAD.items():
        (workspace / f"bad_{name}.py").write_bytes(content)
    for name, content in VALID.items():
        (workspace / f"{name}.py").write_bytes(content)
    before = contents(workspace)
    outcome = advise.check(*FAST, cwd=workspace)
    assert contents(workspace) == before
    return outcome


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_an_error_with_its_place_and_cause(mixed: Outcome, name: str) -> None:
    _, line, cause = BAD[name]
    ((at, message),) = [error[1:] for error in mixed.errors if error[0] == f"bad_{name}.py"]
    assert at == line
    assert cause in message


@pytest.mark.parametrize("name", VALID)
def test_unusual_but_valid_files_are_checked(mixed: Outcome, name: str) -> None:
    assert [place for place in mixed.places if place[1] == f"{name}.py"] == [("slow-power", f"{name}.py", 9)]


def test_nothing_else_is_said(mixed: Outcome) -> None:
    assert mixed.status == 2
    assert len(mixed.errors) == len(BAD)
    assert len(mixed.places) == 1 + len(VALID)
    assert GOOD in mixed.places


def test_columns_count_characters(advise: AdvisorCommand, workspace: Path) -> None:
    text = KERNEL.replace("a[i] = a", "größe = 'äöü'; a[i] = a")
    (workspace / "other.py").write_bytes(b"# coding: latin-1\n" + text.encode("latin-1"))
    outcome = advise.check(*FAST, "other.py", cwd=workspace)
    (finding,) = outcome.findings
    assert (finding["line"], finding["column"]) == (9, text.splitlines()[7].index("a[i] **") + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work otherwise on Windows")
def test_an_unreadable_file_and_an_unreadable_folder(advise: AdvisorCommand, workspace: Path) -> None:
    secret, folder = workspace / "secret.py", workspace / "closed"
    secret.write_text(KERNEL)
    secret.chmod(0)
    folder.mkdir()
    (folder / "inner.py").write_text(KERNEL)
    folder.chmod(0)
    try:
        if os.access(secret, os.R_OK):
            pytest.skip("every file is readable to this user")
        outcome = advise.check(*FAST, cwd=workspace)
        assert {(path, line) for path, line, _ in outcome.errors} == {("closed", 1), ("secret.py", 1)}
        assert all("Permission denied" in message for _, _, message in outcome.errors)
        assert (outcome.status, outcome.places) == (2, {GOOD})
        assert advise.check(*FAST, "secret.py", cwd=workspace).status == 2
    finally:
        folder.chmod(0o700)


def test_a_loop_of_links(advise: AdvisorCommand, workspace: Path) -> None:
    (workspace / "package").mkdir()
    (workspace / "package" / "other.py").write_text(KERNEL)
    try:
        (workspace / "package" / "up").symlink_to("..", target_is_directory=True)
        (workspace / "package" / "itself").symlink_to("itself")
        (workspace / "package" / "round.py").symlink_to("round.py")
        (workspace / "twice").symlink_to("package", target_is_directory=True)
        (workspace / "gone.py").symlink_to("nowhere.py")
    except OSError:
        pytest.skip("links are not allowed here")
    before = contents(workspace)
    outcome = advise.check(*FAST, cwd=workspace)
    assert contents(workspace) == before
    assert outcome.errors == []
    assert outcome.places == {GOOD, ("slow-power", "package/other.py", 8)}


def test_a_folder_with_the_name_of_a_module(advise: AdvisorCommand, workspace: Path) -> None:
    (workspace / "folder.py").mkdir()
    (workspace / "folder.py" / "inner.py").write_text(KERNEL)
    outcome = advise.check(*FAST, cwd=workspace)
    assert outcome.errors == []
    assert outcome.places == {GOOD, ("slow-power", "folder.py/inner.py", 8)}


def test_a_path_that_does_not_exist(advise: AdvisorCommand, workspace: Path) -> None:
    outcome = advise("check", *FAST, "good.py", "nothing.py", "neither", cwd=workspace)
    assert (outcome.status, outcome.out) == (2, b"")
    assert outcome.err.splitlines() == [
        "advisor: error: nothing.py: no such file or folder",
        "advisor: error: neither: no such file or folder",
    ]


def test_status_2_when_nothing_or_not_everything_could_be_checked(
    advise: AdvisorCommand, workspace: Path
) -> None:
    (workspace / "bad").mkdir()
    (workspace / "empty").mkdir()
    (workspace / "plain.py").write_text("x = 1\n")
    for name in ("one.py", "two.py"):
        (workspace / "bad" / name).write_bytes(KERNEL.encode("latin-1"))
    expected = {
        ("bad",): 2, ("bad", "plain.py"): 2, ("bad", "good.py"): 2, ("plain.py",): 0, ("good.py",): 1,
        ("empty",): 2, ("empty", "good.py"): 2,
    }  # fmt: skip
    for paths, status in expected.items():
        assert advise.check(*FAST, *paths, cwd=workspace).status == status, paths
    assert advise.check(*FAST, "--exit-zero", "bad", cwd=workspace).status == 2

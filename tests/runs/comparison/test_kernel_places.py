"""Where the kernel of a run stands, also after edits, with and without git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kept_history import SOURCE, fingerprint, project, run

from advisor.runs.comparison.ranking.committed_text import committed_text
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces, Place

CHANGED = SOURCE.replace("j, i = cuda.grid(2)", "i, j = cuda.grid(2)")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def place(folder: Path, name: str = "column_sum", commit: str | None = None, **more: str | None) -> Place:
    one = fingerprint(name, **more)  # type: ignore[arg-type]
    return KernelPlaces(folder, folder).place(one, run(one, commit=commit))


def test_an_unchanged_kernel_is_in_the_present_text(tmp_path: Path) -> None:
    found = place(project(tmp_path))
    assert (found.path, found.line, found.state, found.moved, found.text) == ("work.py", 5, "same", 0, SOURCE)


def test_a_kernel_that_moved_is_the_same(tmp_path: Path) -> None:
    found = place(project(tmp_path, "# one\n# two\n" + SOURCE))
    assert (found.line, found.state, found.moved) == (7, "same", 2)


def test_a_changed_kernel_without_git_has_no_text(tmp_path: Path) -> None:
    found = place(project(tmp_path, CHANGED))
    assert (found.line, found.state, found.text) == (5, "changed", None)


def test_a_changed_kernel_is_found_at_its_commit(tmp_path: Path) -> None:
    project(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "work.py").write_text("# a line\n" + CHANGED)
    found = place(tmp_path, commit=commit)
    assert (found.line, found.state, found.text) == (5, "changed", SOURCE)


@pytest.mark.parametrize("commit", [None, "0" * 40, "--output=x", "HEAD"])
def test_what_is_no_known_commit_has_no_text(tmp_path: Path, commit: str | None) -> None:
    git(project(tmp_path), "init", "-q")
    assert committed_text(tmp_path, "work.py", commit) is None
    assert not (tmp_path / "x").exists()


def test_a_kernel_that_is_gone_and_one_of_a_report(tmp_path: Path) -> None:
    project(tmp_path)
    assert place(tmp_path, "lost").state == "gone"
    assert place(tmp_path, path="away.py").state == "gone"
    reported = place(tmp_path, "void f(int)", path=None)
    assert (reported.path, reported.line, reported.state) == ("first", 0, "unknown")


def test_a_report_that_knows_no_text_may_be_of_any(tmp_path: Path) -> None:
    one = fingerprint("scale")
    one = one.__class__(**{**vars(one), "identity": one.identity.__class__("scale", "work.py")})
    assert KernelPlaces(tmp_path, tmp_path).state(one) == "gone"
    assert KernelPlaces(project(tmp_path), tmp_path).state(one) == "unknown"


def test_paths_are_shown_from_the_working_folder(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    assert KernelPlaces(tmp_path, below).shown("work.py") == "../work.py"

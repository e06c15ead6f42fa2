import os
import sys
from pathlib import Path

import pytest

from advisor.model.errors import UsageError
from advisor.model.settings.file_discovery import find_files

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege on Windows")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [
        "b.py",
        "a.py",
        "notes.txt",
        "script",
        "pkg/z.py",
        "pkg/deep/y.py",
        ".hidden/h.py",
        "venv/v.py",
        "env/pyvenv.cfg",
        "env/lib/e.py",
        "node_modules/n.py",
        "build/c.py",
        "pkg/__pycache__/p.py",
    ]:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [file.as_posix() for file in find_files(paths, exclude).files]


def test_a_folder_gives_its_python_files_sorted_without_environments_and_build_output(tree: Path) -> None:
    assert names(".") == ["a.py", "b.py", "pkg/deep/y.py", "pkg/z.py"]


def test_a_file_named_explicitly_is_taken_whatever_its_name_and_place(tree: Path) -> None:
    assert names("script", "venv/v.py", ".hidden") == [".hidden/h.py", "script", "venv/v.py"]


def test_a_file_reached_twice_is_listed_once(tree: Path) -> None:
    assert names("a.py", "./a.py", ".", str(tree / "a.py")) == ["a.py", "b.py", "pkg/deep/y.py", "pkg/z.py"]


def test_exclude_leaves_out_files_and_whole_folders_but_not_what_is_named(tree: Path) -> None:
    assert names(".", exclude=("deep", "b.py")) == ["a.py", "pkg/z.py"]
    assert names("b.py", exclude=("b.py",)) == ["b.py"]


def test_exclude_is_relative_to_the_root_and_not_to_the_path_given(tree: Path) -> None:
    assert names("pkg", exclude=("pkg/deep",)) == ["pkg/z.py"]
    assert names("pkg", exclude=("/deep",)) == ["pkg/deep/y.py", "pkg/z.py"]


def test_missing_paths_are_named_all_at_once(tree: Path) -> None:
    with pytest.raises(UsageError, match=r"(?s)gone\.py: no such file.*lost: no such file"):
        find_files(["gone.py", "a.py", "lost"])


@needs_links
def test_a_directory_loop_ends(tree: Path) -> None:
    (tree / "pkg" / "loop").symlink_to(tree / "pkg")
    (tree / "pkg" / "up").symlink_to(tree)
    (tree / "self").symlink_to("self")
    assert names(".") == ["a.py", "b.py", "pkg/deep/y.py", "pkg/z.py"]


@needs_links
def test_a_link_to_a_folder_elsewhere_is_followed_and_a_linked_sibling_keeps_its_own_name(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "e.py").write_text("")
    (tree / "aaa").symlink_to(elsewhere)
    (tree / "aab").symlink_to(tree / "pkg")
    assert names(".") == ["a.py", "aaa/e.py", "b.py", "pkg/deep/y.py", "pkg/z.py"]


@needs_links
def test_a_broken_link_and_a_fifo_are_passed_over(tree: Path) -> None:
    (tree / "gone.py").symlink_to("nowhere.py")
    os.mkfifo(tree / "pipe.py")
    assert names(".") == ["a.py", "b.py", "pkg/deep/y.py", "pkg/z.py"]


def test_a_folder_called_like_a_module_is_a_folder(tree: Path) -> None:
    (tree / "odd.py").mkdir()
    (tree / "odd.py" / "inner.py").write_text("")
    assert "odd.py/inner.py" in names(".")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="every folder is readable to this user"
)
def test_an_unreadable_folder_is_a_problem_and_the_others_go_on(tree: Path) -> None:
    (tree / "pkg" / "deep").chmod(0)
    try:
        found = find_files(["."])
    finally:
        (tree / "pkg" / "deep").chmod(0o755)
    assert [file.name for file in found.files] == ["a.py", "b.py", "z.py"]
    assert [(problem.path, problem.line) for problem in found.problems] == [("pkg/deep", 1)]


def test_a_folder_that_vanishes_is_a_problem(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(folder: str) -> object:
        if folder.endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    found = find_files(["."])
    assert [file.name for file in found.files] == ["a.py", "b.py", "z.py"]
    assert found.problems[0].message == "the folder cannot be read: Permission denied"

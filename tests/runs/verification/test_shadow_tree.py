"""A copy of a project with some files changed, without touching the project."""

from __future__ import annotations

import sys

import pytest

from advisor.runs.verification.shadow_tree import ShadowTree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "a" / "b").mkdir(parents=True)
    (root / "other").mkdir()
    for name in ("a/x.py", "a/b/y.py", "a/b/z.py", "other/w.py", "top.py"):
        (root / name).write_text(f"# {name}")
    (root / ".advisor").mkdir()
    return root


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*.py")
        if path.is_file()
    }


def test_changed_files_are_new_and_all_else_is_the_original(project) -> None:
    before = files(project)
    with ShadowTree(project, {"a/b/y.py": "new", "top.py": "newer"}) as copy:
        assert (copy / "a/b/y.py").read_text() == "new"
        assert (copy / "top.py").read_text() == "newer"
        assert (copy / "a/b/z.py").read_text() == "# a/b/z.py"
        assert (copy / "a/x.py").is_symlink() and (copy / "other").is_symlink()
        assert not (copy / "a/b/y.py").is_symlink()
        assert not (copy / ".advisor").exists()
        assert copy.name == "project"
    assert not copy.exists()
    assert files(project) == before


def test_a_project_inside_a_package_keeps_the_package_around_it(project) -> None:
    (project / "__init__.py").write_text("")
    (project / "a" / "__init__.py").write_text("")
    with ShadowTree(project / "a", {"x.py": "new"}) as copy:
        assert copy.parts[-2:] == ("project", "a")
        assert (copy / "x.py").read_text() == "new"
        assert (copy.parent / "__init__.py").exists()


def test_line_ends_are_written_as_they_are(project) -> None:
    with ShadowTree(project, {"top.py": "a\r\nb\r\n"}) as copy:
        assert (copy / "top.py").read_bytes() == b"a\r\nb\r\n"

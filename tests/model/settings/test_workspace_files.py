"""Which files of a workspace are read beside the checked ones."""

from pathlib import Path

import pytest

from advisor.model.settings import workspace_files as module
from advisor.model.settings.workspace_files import workspace_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("kernels/deep/k.py", "kernels/beside.py", "scripts/run.py", "main.py", ".hidden/h.py"):
        file = tmp_path / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    (tmp_path / "above.py").write_text("x = 1\n")
    return tmp_path / "work"


def found(tree: Path, root: Path, checked: str = "kernels/deep/k.py") -> list[str]:
    return [file.relative_to(tree).as_posix() for file in workspace_files([tree / checked], root)]


def test_a_marked_project_is_read_whole_whatever_its_size(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ENTRIES_WITHOUT_MARK", 1)
    (tree / "setup.py").write_text("")
    assert found(tree, tree) == ["kernels/beside.py", "main.py", "scripts/run.py", "setup.py"]


def test_a_mark_further_down_bounds_the_project(tree: Path) -> None:
    (tree / "kernels" / ".git").mkdir()
    assert found(tree, tree) == ["kernels/beside.py"]


def test_a_small_root_without_a_mark_is_read_whole(tree: Path) -> None:
    assert found(tree, tree) == ["kernels/beside.py", "main.py", "scripts/run.py"]


def test_of_a_large_root_without_a_mark_only_the_way_up_is_read(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The root has four entries, `kernels` two, `deep` two with the new file.
    monkeypatch.setattr(module, "_MOST_ENTRIES_WITHOUT_MARK", 6)
    (tree / "kernels" / "deep" / "other.py").write_text("")
    assert found(tree, tree) == ["kernels/beside.py", "kernels/deep/other.py", "main.py"]


def test_a_file_outside_of_the_root_has_its_own_folder(tree: Path) -> None:
    assert found(tree, tree / "scripts", "kernels/beside.py") == ["kernels/deep/k.py"]


def test_too_many_files_are_none(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_FILES", 2)
    assert found(tree, tree) == []

"""The other Python files of the workspace: where kernels of the checked files may be launched."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from advisor.file_discovery import find_files

_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_MOST_FILES = 20_000


def workspace_files(checked: Iterable[Path], root: Path) -> list[Path]:
    """Python files of the projects that hold the checked files, without these, sorted.

    A project is the nearest folder upwards with a project mark, no higher than `root`; without a mark it is
    the file's own folder. Nothing is returned for more than 20,000 files: then launches outside the checked
    files stay unknown.
    """
    known = set(checked)
    projects = {_project(folder, root) for folder in {file.parent for file in known}}
    found: set[Path] = set()
    for project in sorted(folder for folder in projects if folder.is_dir()):
        if not any(other in projects for other in project.parents):
            files, _ = find_files([project], root=project)
            found.update(files)
            if len(found) > _MOST_FILES:
                return []
    return sorted(found - known)


def _project(folder: Path, root: Path) -> Path:
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _PROJECT_MARKS):
            return candidate
        if candidate == root:
            break
    return root if root in folder.parents else folder

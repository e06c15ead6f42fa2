"""The other Python files of the workspace: where kernels of the checked files may be launched."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from advisor.model.settings.file_discovery import find_files

_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_MOST_FILES = 20_000
_MOST_ENTRIES_WITHOUT_MARK = 2_000


def workspace_files(checked: Iterable[Path], root: Path) -> list[Path]:
    """Python files of the projects that hold the checked files, without these, sorted.

    A project is the nearest folder upwards with a project mark, no higher than `root`. Without a mark it is
    `root`, or the file's own folder where that lies elsewhere, if it is small; of a large one, a home folder
    for instance, only the folders from the file's own up to it count, without what else lies below them.
    Nothing is returned for more than 20,000 files: then launches outside the checked files stay unknown.
    """
    known = set(checked)
    found: set[Path] = set()
    projects: set[Path] = set()
    for folder in {file.parent for file in known}:
        levels = _up_to(root, folder)
        project = next((level for level in levels if _is_marked(level)), None)
        if project is None and _is_small(levels[-1]):
            project = levels[-1]
        if project is not None:
            projects.add(project)
        else:
            found.update(file for level in levels for file in _beside(level))
    for project in sorted(folder for folder in projects if folder.is_dir()):
        if not any(other in projects for other in project.parents):
            files, _ = find_files([project], root=project)
            found.update(files)
            if len(found) > _MOST_FILES:
                return []
    return sorted(found - known)


def _up_to(root: Path, folder: Path) -> list[Path]:
    """The folder and those above it to `root`; of a folder elsewhere those up to its project, or itself."""
    levels = [folder, *folder.parents]
    if root in levels:
        return levels[: levels.index(root) + 1]
    marked = next((at for at, level in enumerate(levels) if _is_marked(level)), 0)
    return levels[: marked + 1]


def _is_marked(folder: Path) -> bool:
    return any((folder / mark).exists() for mark in _PROJECT_MARKS)


def _is_small(top: Path) -> bool:
    """Whether a walk below the folder is over soon."""
    left = _MOST_ENTRIES_WITHOUT_MARK
    for _, folders, files in os.walk(top):
        left -= len(folders) + len(files)
        if left < 0:
            return False
        folders[:] = [name for name in folders if not name.startswith(".")]
    return True


def _beside(folder: Path) -> list[Path]:
    return [file for file in folder.glob("*.py") if file.is_file()] if folder.is_dir() else []

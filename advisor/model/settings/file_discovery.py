"""The Python files that a command is about: from files and folders named by the user."""

# Strings and os.scandir: one Path object for each entry would cost more than the walk itself.
# ruff: noqa: PTH100, PTH110, PTH112, PTH116, PTH120

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from advisor.model.errors import UsageError
from advisor.model.findings import Problem
from advisor.model.settings.path_patterns import path_matcher

SKIPPED_FOLDERS = frozenset(
    {"venv", "node_modules", "__pycache__", "build", "dist", "site-packages", "__pypackages__"}
)


class Discovery(NamedTuple):
    """The files found, sorted and each once, and the folders that could not be read."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]


@dataclass
class _Walk:
    root: str
    excluded: Callable[[str], bool] | None
    files: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    visited: set[tuple[int, int]] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    left_out: bool = False


def find_files(
    paths: Sequence[str | Path], exclude: Sequence[str] = (), root: Path | None = None
) -> Discovery:
    """The Python files and notebooks at and below `paths`, written as the user wrote the paths, sorted.

    A file named in `paths` is taken whatever its name; folders give their `*.py` and `*.ipynb`, without
    hidden folders, virtual environments, build output and what `exclude` (globs relative to `root`)
    matches. Links to folders are followed once, and never upwards. A folder of `paths` that gives no file
    is a problem. Raises UsageError for paths that do not exist.
    """
    missing = [os.fspath(path) for path in paths if not os.path.exists(path)]
    if missing:
        raise UsageError("\n".join(f"{path}: no such file or folder" for path in missing))
    walk = _Walk(os.path.abspath(root or os.curdir), path_matcher(exclude) if exclude else None)
    folders = []
    for path in paths:
        text = os.path.normpath(path)
        if os.path.isdir(text):
            _descend(walk, text)
            folders.append(text)
        else:
            walk.files.setdefault(os.path.abspath(text), text)
    # Links last, so that a folder is reported under its own name and not under a link's.
    while walk.links:
        links, walk.links = sorted(walk.links), []
        for link in links:
            _descend(walk, link)
    _note_empty(walk, folders)
    return Discovery(tuple(Path(text) for text in sorted(walk.files.values())), tuple(walk.problems))


def _note_empty(walk: _Walk, folders: Sequence[str]) -> None:
    """Add a problem for each folder without files, unless it has another problem."""
    for folder in folders:
        shown = folder.replace(os.sep, "/")
        if _has_files(walk, folder) or any(
            problem.path == shown or problem.path.startswith(f"{shown}/") for problem in walk.problems
        ):
            continue
        left_out = ": all are excluded" if walk.left_out else ""
        walk.problems.append(Problem(shown, 0, f"no Python files in this folder{left_out}"))


def _has_files(walk: _Walk, folder: str) -> bool:
    below = os.path.abspath(folder).rstrip(os.sep) + os.sep
    if any(file.startswith(below) for file in walk.files):
        return True
    # A folder that was met before by another name has its files under that.
    below = os.path.realpath(folder).rstrip(os.sep) + os.sep
    return any(os.path.realpath(file).startswith(below) for file in walk.files)


def _descend(walk: _Walk, top: str) -> None:
    pending = [(top, os.path.abspath(top))]
    while pending:
        folder, absolute = pending.pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in walk.visited:
                continue
            walk.visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                pending += _sort_out(walk, folder, absolute, list(entries))
        except OSError as error:
            shown = folder.replace(os.sep, "/")
            walk.problems.append(Problem(shown, 1, f"the folder cannot be read: {error.strerror or error}"))


def _sort_out(
    walk: _Walk, folder: str, absolute: str, entries: list[os.DirEntry[str]]
) -> list[tuple[str, str]]:
    """The folders to look into next; files and links are noted in `walk`."""
    shown = "" if folder == os.curdir else folder.rstrip(os.sep) + os.sep
    base = absolute.rstrip(os.sep) + os.sep
    folders = []
    for entry in entries:
        name = entry.name
        is_python = name.endswith((".py", ".ipynb"))
        if not is_python and (name in SKIPPED_FOLDERS or name[0] == "."):
            continue
        try:
            is_file, is_folder = is_python and entry.is_file(), entry.is_dir()
        except OSError:  # a link that leads to itself
            continue
        if is_file:
            if not _is_excluded(walk, base + name):
                walk.files.setdefault(base + name, shown + name)
        elif is_folder and not _is_excluded(walk, base + name) and not _is_environment(base + name):
            if not entry.is_symlink():
                folders.append((shown + name, base + name))
            elif not _leads_upwards(base + name):
                walk.links.append(shown + name)
    return folders


def _is_environment(folder: str) -> bool:
    return os.path.exists(folder + os.sep + "pyvenv.cfg")


def _leads_upwards(link: str) -> bool:
    """Whether the link's target holds the link, as a link to the home folder or to the root does."""
    target = os.path.realpath(link)
    holder = os.path.realpath(os.path.dirname(link))
    return (holder + os.sep).startswith(target.rstrip(os.sep) + os.sep)


def _is_excluded(walk: _Walk, absolute: str) -> bool:
    if walk.excluded is None:
        return False
    prefix = walk.root.rstrip(os.sep) + os.sep
    relative = (
        absolute[len(prefix) :] if absolute.startswith(prefix) else os.path.relpath(absolute, walk.root)
    )
    excluded = walk.excluded(relative.replace(os.sep, "/"))
    walk.left_out |= excluded
    return excluded

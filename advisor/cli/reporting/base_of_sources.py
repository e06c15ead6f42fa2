"""The folder that stands for the working directory before a change: of a commit, or named by the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from advisor.cli.reporting.earlier_sources import earlier_sources
from advisor.model.errors import UsageError


@dataclass(frozen=True)
class Base:
    """The working directory and the project's root before the change, the folder that all of it lies in, and
    what that is called.
    """

    working: Path
    project: Path
    top: Path
    shown: str

    def place_of(self, path: Path) -> Path:
        """Where a file or folder stood before the change. Raises UsageError for what the base cannot have."""
        place = Path(os.path.normpath(self.working / os.path.relpath(path, Path.cwd())))
        if not place.is_relative_to(self.top):
            raise UsageError(f"{path}: lies outside of what is compared with {self.shown}.")
        return place


@contextmanager
def base_of_sources(revision: str | None, folder: str | None, project: Path) -> Iterator[Base]:
    """What the working directory, in a project with this root, is compared with.

    Raises UsageError where both a revision and a folder are named, and for those that do not exist.
    """
    if revision is not None and folder is not None:
        raise UsageError("--base and --base-folder both say what to compare with; give one of them.")
    working = Path.cwd()
    if folder is not None:
        yield _of_folder(Path(folder), working, project)
        return
    with earlier_sources(working, revision or "HEAD") as earlier:
        inside = project.is_relative_to(earlier.top)
        place = earlier.place_of(project if inside else earlier.top)
        yield Base(earlier.place_of(working), place, earlier.folder, earlier.shown)


def _of_folder(folder: Path, working: Path, project: Path) -> Base:
    if not folder.is_dir():
        raise UsageError(
            f"{folder}: no such folder; --base-folder names an earlier copy of the working directory."
        )
    absolute = folder.absolute()
    depth = len(working.relative_to(project).parts) if working.is_relative_to(project) else 0
    project = absolute.parents[depth - 1] if depth else absolute
    return Base(absolute, project, project, str(folder))

"""The folder that a server is for: paths outside of it are refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.settings.file_discovery import find_files


class Workspace:
    """A folder, and paths given by a client, who may name what it likes."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UsageError(f"{root}: no such folder; --root names the workspace to serve.")
        self.root = root.resolve()

    def path(self, given: str) -> str:
        """A path from the root, as commands take it. Raises UsageError for one that leads out or nowhere."""
        if not given or "\0" in given:
            raise UsageError("a path is empty or holds a character that no path can.")
        place = self.root / given
        if not place.resolve().is_relative_to(self.root):
            raise UsageError(f"{given}: lies outside of the workspace, and only what is in it is looked at.")
        if not place.exists():
            raise UsageError(f"{given}: no such file or folder in the workspace.")
        shown = os.path.relpath(os.path.normpath(place), self.root).replace(os.sep, "/")
        # A name that begins like an option is none.
        return f"./{shown}" if shown.startswith("-") else shown

    def paths(self, given: Iterable[str]) -> list[str]:
        """Paths from the root, `.` where none is given; what lies below folders must be inside as well."""
        found = [self.path(one) for one in given] or ["."]
        for file in find_files([self.root / one for one in found]).files:
            if not file.resolve().is_relative_to(self.root):
                name = os.path.relpath(file, self.root)
                raise UsageError(f"{name}: is a link that leads out of the workspace; name other paths.")
        return found

    def kernel(self, given: str) -> str:
        """`PATH::KERNEL` with the path from the root."""
        path, separator, name = given.partition("::")
        return f"{self.path(path)}{separator}{name}"

    def text(self, path: str) -> str | None:
        """The text of a file by its path from the root; None where it cannot be read as UTF-8."""
        place = self.root / path
        try:
            inside = place.resolve().is_relative_to(self.root)
            return place.read_bytes().decode("utf-8") if inside else None
        except (OSError, UnicodeDecodeError):
            return None


def is_single_file(paths: Sequence[str]) -> bool:
    """Whether paths are one Python file."""
    return len(paths) == 1 and paths[0].endswith(".py")

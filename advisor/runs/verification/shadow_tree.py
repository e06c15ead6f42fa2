"""A copy of a project with some files changed: everything else is links to the original."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

# What the program itself keeps in a project; a copy starts without.
_OWN = ".advisor"


class ShadowTree:
    """A folder that reads like a project's, with other texts in the place of some files.

    `texts` are the changed files by path from `root`. A context manager: the folder is gone afterwards. Only
    folders on the way to a changed file are made again; raises OSError where links cannot be made.
    """

    def __init__(self, root: Path, texts: Mapping[str, str]) -> None:
        # A project within a package is imported under the package's name, so the copy begins above it.
        top = root.resolve()
        while (top / "__init__.py").is_file() and top != top.parent:
            top = top.parent
        self._top, self._inside = top, root.resolve().relative_to(top)
        self._texts = {(self._inside / path).as_posix(): text for path, text in texts.items()}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        self._folder = tempfile.TemporaryDirectory(prefix="advisor-copy-")
        copy = Path(self._folder.name).resolve() / (self._top.name or "project")
        copy.mkdir()
        _link(self._top, copy, self._texts)
        return copy / self._inside

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _link(original: Path, copy: Path, texts: Mapping[str, str]) -> None:
    below: dict[str, dict[str, str]] = {}
    for path, text in texts.items():
        first, _, rest = path.partition("/")
        below.setdefault(first, {})[rest] = text
    for entry in os.scandir(original):
        if entry.name not in below and entry.name not in (_OWN, "__pycache__"):
            (copy / entry.name).symlink_to(entry.path)
    for name, inner in below.items():
        if "" in inner:
            (copy / name).write_bytes(inner[""].encode("utf-8"))
        else:
            (copy / name).mkdir()
            _link(original / name, copy / name, inner)

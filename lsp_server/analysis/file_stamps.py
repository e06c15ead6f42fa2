"""Whether files have changed since they were read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


class Stamps:
    """The states of some files when this was made; `files` names them, also those that are not there yet."""

    def __init__(self, files: Callable[[], Iterable[Path]]) -> None:
        self._files = files
        self._seen = self._now()

    def changed(self) -> bool:
        """Whether one of the files was written, made or removed since."""
        return self._now() != self._seen

    def _now(self) -> list[tuple[Path, tuple[int, int] | None]]:
        return [(file, _stamp(file)) for file in self._files()]


def files_below(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder that fit a pattern, sorted."""
    return sorted(folder.rglob(pattern)) if folder.is_dir() else [folder]


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - for every edit
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size

"""The state of a file on the disk, to be compared with an earlier one without reading the file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# A file written this shortly ago may be written again without a change of its time.
_RACY_NANOSECONDS = 50_000_000


class FileStamp(NamedTuple):
    """When a file was last written, in nanoseconds since the epoch, and its size in bytes."""

    modified: int
    size: int

    @classmethod
    def of(cls, file: str | Path) -> FileStamp | None:
        """The present state of a file, None where there is none."""
        try:
            found = os.stat(file)  # noqa: PTH116 - a hundred times for each edit
        except OSError:
            return None
        return cls(found.st_mtime_ns, found.st_size)

    @property
    def racy(self) -> bool:
        """Whether the file was written so shortly ago that another write might leave the same stamp."""
        return time.time_ns() - self.modified < _RACY_NANOSECONDS


Stamps = tuple[tuple[str, FileStamp | None], ...]


def stamps_of(files: Iterable[str | Path]) -> Stamps:
    """The present states of files, with their paths: two of these are equal as long as nothing was written,
    made or removed among the files.
    """
    return tuple((str(file), FileStamp.of(file)) for file in files)

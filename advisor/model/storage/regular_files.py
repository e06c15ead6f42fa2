"""Files of a workspace read as files: neither a pipe that nobody writes to nor a device without an end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

# No source has a hundredth of it; a file with holes can be as large as its author likes.
MOST_BYTES = 64 * 1024**2
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)


def content_of(file: Path | str) -> bytes:
    """The bytes of a regular file. Raises OSError for anything else and for more than MOST_BYTES."""
    descriptor = os.open(file, _FLAGS)
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - it is open already
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is a pipe, a device or another thing that is no file")
        if status.st_size > MOST_BYTES:
            raise OSError(
                errno.EFBIG, f"it has {status.st_size:,} bytes, and at most {MOST_BYTES:,} are read"
            )
        return stream.read(MOST_BYTES)

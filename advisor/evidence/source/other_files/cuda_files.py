"""Files of CUDA C++ that a program names, whose text it may hand to CuPy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_NAMED = re.compile(rb"""['"/]([\w.-]+\.cuh?)['"]""")


def named_cuda_files(file: Path, words: bytes, root: Path) -> Iterator[Path]:
    """The files whose names stand in literals of `file`, which has these bytes, that lie in its folder or one
    below, or in those of the root.
    """
    names = {PurePosixPath(one.decode()).name for one in _NAMED.findall(words)}
    seen: set[Path] = set()
    for name in sorted(names):
        for folder in dict.fromkeys((file.parent, root)):
            for found in sorted([folder / name, *folder.glob(f"*/{name}")]):
                if found not in seen and found.is_file():
                    seen.add(found)
                    yield found


def cuda_file_text(file: Path) -> str | None:
    """The text of such a file; None where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None

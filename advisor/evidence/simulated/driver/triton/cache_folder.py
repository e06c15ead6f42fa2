"""Where Triton keeps the kernels that it compiles, told without importing it."""

from __future__ import annotations

import os
from pathlib import Path

_VARIABLE = "TRITON_CACHE_DIR"


def cache_folder(temporary: Path) -> Path:
    """The folder of Triton's cache, for processes that may write to few places.

    Where there is none yet Triton is told to take one in a temporary folder.
    """
    named = os.environ.get(_VARIABLE)
    home = os.environ.get("TRITON_HOME") or str(Path.home())
    found = Path(named) if named else Path(home) / ".triton" / "cache"
    if not found.is_dir():
        found = temporary / "triton"
        found.mkdir(exist_ok=True)
        os.environ[_VARIABLE] = str(found)
    return found

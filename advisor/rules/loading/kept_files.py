"""Pickles in the user's own cache folder: what is read from there is trusted, so never give a workspace."""

from __future__ import annotations

import contextlib
import os
import pickle
import tempfile
from pathlib import Path

from advisor.model.processes.gc_paused import gc_paused


def read_kept(file: Path) -> object:
    """What was kept in a file, None where there is nothing; a damaged file is thrown away."""
    try:
        data = file.read_bytes()
        with gc_paused():
            return pickle.loads(data)
    except FileNotFoundError:
        return None
    except Exception:  # whatever a damaged pickle raises
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        return None


def write_kept(file: Path, data: bytes, pattern: str, most: int) -> None:
    """Write a file at once, and leave the latest `most` of those of the pattern."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(file)
        older = sorted(file.parent.glob(pattern), key=lambda one: one.stat().st_mtime)[:-most]
        for one in older:
            one.unlink(missing_ok=True)
    except OSError:
        return

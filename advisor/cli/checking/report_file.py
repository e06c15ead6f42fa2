"""Where a report goes: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.text.visible_text import harmless


def check_target(target: Path, sources: Iterable[Path], option: str = "--output") -> None:
    """Raise UsageError when writing `target`, which `option` names, would destroy source code or
    cannot work.
    """
    if target.is_dir():
        raise UsageError(f"{option} {target}: is a folder.")
    if not target.parent.is_dir():
        raise UsageError(f"{option} {target}: the folder {target.parent} does not exist.")
    if not target.exists():
        return
    if target.suffix in (".py", ".pyi", ".ipynb", ".toml", ".rules"):
        raise UsageError(f"{option} {target}: refusing to overwrite a source file with a report.")
    if any(source.exists() and target.samefile(source) for source in sources):
        raise UsageError(f"{option} {target}: refusing to overwrite a file that is being checked.")


def write_atomically(target: Path, text: str) -> None:
    """Write `text` to `target` in UTF-8; when that fails it holds what it held before."""
    data = text.encode("utf-8", errors="replace")
    real = target.resolve()
    try:
        if real.exists() and not real.is_file():  # a device or a pipe
            real.write_bytes(data)
            return
        handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).chmod(real.stat().st_mode & 0o777 if real.exists() else 0o666 & ~_umask())
            Path(name).replace(real)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None


def write_to_stdout(text: str, for_machines: bool, is_painted: bool = False) -> None:
    """Write a report; formats that programs read go out in UTF-8 whatever the terminal's encoding is.

    In a text for people what a terminal would obey is shown as an escape, unless it `is_painted`: then who
    made it has done so, and the colours are the program's own.
    """
    if sys.stdout is None:
        return
    if not (for_machines or is_painted):
        text = harmless(text)
    if for_machines and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.write(text if not text or text.endswith("\n") else text + "\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

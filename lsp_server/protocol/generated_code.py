"""What attrs writes for the types of the protocol, compiled once and not again at each start.

lsprotocol declares over 500 classes, and attrs writes and compiles the methods of each when it is imported:
half of the time that this takes, and a fifth of the server's whole start.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import sys
from builtins import compile as compiled
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType
from typing import Any

_DIGEST = 32


def beside_modules() -> Path:
    """The file beside the compiled modules of this package, one for each form of code that Pythons have."""
    module = Path(importlib.util.cache_from_source(__file__))
    return module.with_name(f"{module.stem}-{importlib.util.MAGIC_NUMBER.hex()}.kept")


@contextmanager
def generated_code_kept(file: Path) -> Iterator[None]:
    """Let attrs take what it would compile from a file, where it is known, until the end.

    What is new is kept there, unless Python is told to write no code. Code is found by the text that it was
    compiled from, so that another version of attrs or lsprotocol finds none. Whoever can write the file can
    have anything run: it has to lie where Python's own compiled modules lie.
    """
    import attr._make as making

    kept = _Kept(file)
    # The module's own name goes before the builtin one.
    making.__dict__["compile"] = kept.compile
    try:
        yield
    finally:
        del making.__dict__["compile"]
        kept.save()


class _Kept:
    """Code by the digest of its text and the name of its file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known = _read(file)
        self._used: dict[bytes, CodeType] = {}

    def compile(self, source: Any, filename: Any, mode: str, *rest: Any, **more: Any) -> Any:
        """What the builtin function gives."""
        if not isinstance(source, str) or not isinstance(filename, str) or mode != "exec" or rest or more:
            return compiled(source, filename, mode, *rest, **more)
        digest = hashlib.blake2b(f"{filename}\n{source}".encode(), digest_size=_DIGEST).digest()
        code = self._known.get(digest)
        if code is None:
            code = compiled(source, filename, mode)
        self._used[digest] = code
        return code

    def save(self) -> None:
        """Write what was used, where any of it was new."""
        if sys.dont_write_bytecode or self._used.keys() <= self._known.keys():
            return
        data = marshal.dumps(self._used)
        new = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(hashlib.blake2b(data, digest_size=_DIGEST).digest() + data)
            new.replace(self._file)


def _read(file: Path) -> dict[bytes, CodeType]:
    """What was kept; nothing where there is no such file, or only a part of one."""
    try:
        data = file.read_bytes()
    except OSError:
        return {}
    digest, data = data[:_DIGEST], data[_DIGEST:]
    # Half a file must not get to `marshal`, which may end the process on what it cannot read.
    if hashlib.blake2b(data, digest_size=_DIGEST).digest() != digest:
        return {}
    found = marshal.loads(data)
    return found if isinstance(found, dict) else {}

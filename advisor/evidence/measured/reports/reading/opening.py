"""Opening a report: plain or gzipped, in the encodings that shells write, with a limit for bombs."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from advisor.model.errors import UsageError

_HEAD = 65_536
_GZIP = b"\x1f\x8b"
# Traces shrink to a tenth or a twentieth; a file that grows more than this was made to fill a memory.
_MOST_GROWTH = 200
_HARMLESS = 256 * 1024**2


class _Measured(io.RawIOBase):
    """A decompressed stream that ends with an error once it has grown beyond reason."""

    def __init__(self, stream: gzip.GzipFile, path: Path) -> None:
        self._stream, self._path, self._read = stream, path, 0
        self._most = max(_HARMLESS, path.stat().st_size * _MOST_GROWTH)

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """How many bytes were put into `buffer`. Raises UsageError for a damaged or an endless stream."""
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UsageError(f"{self._path}: the compressed file is damaged or cut off: {error}.") from None
        self._read += len(data)
        if self._read > self._most:
            raise UsageError(
                f"{self._path}: the compressed file grows to more than {_MOST_GROWTH} times its size; "
                "it is not read."
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream below too."""
        self._stream.close()
        super().close()


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed where it is gzipped. Raises UsageError where it cannot be read."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield io.BufferedReader(_Measured(unpacked, path), 1 << 16)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}.") from None


def head_of(path: Path) -> bytes:
    """The first bytes of a file, decompressed. Raises UsageError for one that cannot be read or is empty."""
    with opened(path) as stream:
        head = stream.read(_HEAD)
    if not head.strip(b"\0 \t\r\n"):
        raise UsageError(f"{path}: the file is empty.")
    return head


def encoding_of(head: bytes) -> str:
    """The encoding of a text that begins so: PowerShell's `>` writes UTF-16, most other programs UTF-8."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8-sig"


def decoded(head: bytes) -> str:
    """The beginning of a file as text, with marks where it is none."""
    return head.decode(encoding_of(head), errors="replace")


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """The lines of a text file. Raises UsageError where it is no text or cannot be read."""
    encoding = encoding_of(head_of(path))
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding=encoding, newline="")
        try:
            yield text
        except UnicodeError:
            raise UsageError(f"{path}: the file is not text in UTF-8 or UTF-16.") from None
        finally:
            text.detach()

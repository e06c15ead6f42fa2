"""Messages as they lie in a stream: a header that tells their length, an empty line, and their bytes."""

from __future__ import annotations

import asyncio

# No editor sends more at once; memory for a length that somebody made up must not be asked for.
MOST_BYTES = 256 * 1024 * 1024
_LENGTH = b"content-length"


class BrokenFrame(Exception):
    """A header from which nobody can tell where the next message begins."""


async def next_body(reader: asyncio.StreamReader) -> bytes | None:
    """The bytes of the next message, None at the end of the stream. Raises BrokenFrame."""
    while True:
        length = await _length(reader)
        if length is None:
            return None
        if length >= 0:
            try:
                return await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                return None


async def _length(reader: asyncio.StreamReader) -> int | None:
    """The length that the next header tells, -1 where it tells none, None at the end of the stream."""
    length = -1
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            raise BrokenFrame("A line of a header has no end.") from None
        if not line:
            return None
        if not line.strip():
            return length
        name, _, value = line.partition(b":")
        # The names of fields are compared as those of HTTP, whose case says nothing.
        if name.strip().lower() == _LENGTH:
            length = _read_length(value.strip())


def _read_length(value: bytes) -> int:
    shown = value[:40].decode("ascii", "replace")
    if not value.isdigit():
        raise BrokenFrame(f"Content-Length is not a number: {shown!r}.")
    if len(value) > len(str(MOST_BYTES)) or int(value) > MOST_BYTES:
        raise BrokenFrame(
            f"Content-Length is {shown}; messages of more than {MOST_BYTES:,} bytes are refused."
        )
    return int(value)

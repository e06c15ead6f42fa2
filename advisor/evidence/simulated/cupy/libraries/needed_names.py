"""The libraries that a compiled module of CuPy needs, and the functions that it takes from others.

Read from the file (System V ABI, https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html), for the
loader asks for all of them before the module's own code runs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MAGIC = b"\x7fELF\x02\x01"
_DYNAMIC_SYMBOLS, _DYNAMIC = 11, 6
_NEEDED = 1
_SECTION, _SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")


@dataclass(frozen=True)
class Needs:
    """The names of libraries, and of functions that are defined elsewhere."""

    libraries: tuple[str, ...]
    functions: tuple[str, ...]


def needs(file: Path) -> Needs:
    """What a shared object of 64 bits needs; nothing for another file."""
    content = file.read_bytes()
    if not content.startswith(_MAGIC):
        return Needs((), ())
    sections = list(_sections(content))
    libraries: list[str] = []
    functions: list[str] = []
    for kind, offset, size, link in sections:
        if kind not in (_DYNAMIC, _DYNAMIC_SYMBOLS):
            continue
        strings = sections[link][1]
        if kind == _DYNAMIC:
            for tag, value in struct.iter_unpack("<qQ", content[offset : offset + size]):
                if tag == _NEEDED:
                    libraries.append(_text(content, strings + value))
        else:
            for name, _, _, section, _, _ in _SYMBOL.iter_unpack(content[offset : offset + size]):
                if name and section == 0:
                    functions.append(_text(content, strings + name))
    return Needs(tuple(libraries), tuple(functions))


def _sections(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Kind, offset, size and the number of the section it refers to, of each section."""
    (begin,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for number in range(count):
        _, kind, _, _, offset, length, link, *_ = _SECTION.unpack_from(content, begin + number * size)
        yield kind, offset, length, link


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()

"""The lines of Triton's PTX as the program's author knows them.

Two things stand between: functions of Triton itself, such as `tl.sum`, are inlined with lines of their own;
and LLVM counts the lines of an inline assembler text on from the line that it belongs to, so that its second
instruction has the number of the next line of the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', re.MULTILINE)
_LOC = re.compile(
    r"^(\s*)\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*?\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?", re.MULTILINE
)
_BEGIN, _END = "// begin inline asm", "// end inline asm"

_Place = tuple[str, str, str]


def with_program_lines(ptx: str, library: tuple[str, ...], file: str | None = None) -> str:
    """The PTX with places outside of `library`, the names of Triton's folder, wherever there are any.

    The kernel lies in `file`: Triton knows a kernel by its text, so code that it kept may name another one.
    """
    ptx = _in_file(ptx, file) if file is not None else ptx
    own = {number for number, path in _files(ptx).items() if not path.startswith(library)}
    lines = _Lines(own)
    return "\n".join(one for one in (lines.line(text) for text in ptx.split("\n")) if one is not None)


def _files(ptx: str) -> Mapping[str, str]:
    found = _FILE.finditer(ptx)
    return {one[1]: f"{one[2]}/{one[3]}" if one[3] else one[2] for one in found}


def _in_file(ptx: str, file: str) -> str:
    """The PTX with a path for the file in which its first place, that of the kernel, lies."""
    first = _LOC.search(ptx)
    if first is None:
        return ptx
    declared = re.compile(rf"^(\s*\.file\s+{first[2]}\s+).*$", re.MULTILINE)
    return declared.sub(lambda found: f'{found[1]}"{file}"', ptx)


@dataclass(frozen=True)
class _Chain:
    """A place and the call that it was inlined into."""

    place: _Place
    outer: _Chain | None = None

    def outside(self, own: set[str]) -> _Place:
        """The innermost place in one of the files; the outermost where there is none."""
        if self.place[0] in own or self.outer is None:
            return self.place
        return self.outer.outside(own)


class _Lines:
    """The lines of a text, one after the other."""

    def __init__(self, own: set[str]) -> None:
        self._own = own
        self._known: dict[_Place, _Chain] = {}
        self._within, self._placed = False, False

    def line(self, text: str) -> str | None:
        """The line as it shall be, None for one to leave out."""
        if _BEGIN in text or _END in text:
            self._within, self._placed = _BEGIN in text, False
            return text
        found = _LOC.match(text)
        if found is None:
            return text
        if self._within and self._placed:
            return None
        self._placed = True
        place = (found[2], found[3], found[4])
        outer = self._chain((found[5], found[6], found[7])) if found[5] else None
        self._known[place] = chain = _Chain(place, outer)
        return f"{found[1]}.loc\t{' '.join(chain.outside(self._own))}"

    def _chain(self, place: _Place) -> _Chain:
        return self._known.setdefault(place, _Chain(place))

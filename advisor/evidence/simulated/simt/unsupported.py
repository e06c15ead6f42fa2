"""What the SIMT machine does not execute, in words of the source."""

from __future__ import annotations

import re
from pathlib import PurePath

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction

_LENGTH = re.compile(r"\d+")


class Unsupported(Exception):
    """An instruction that the machine does not execute; `line` is that of the PTX text, `what` names it with
    its place in the source.
    """

    def __init__(self, item: Instruction, reason: str = "") -> None:
        place = ""
        if item.location is not None:
            inner = item.location
            place = f" at {PurePath(inner.file).name}:{inner.line}"
        why = f": {reason}" if reason else ""
        self.what = f"{item.name}{place}"
        super().__init__(f"unsupported PTX instruction {self.what} (line {item.text_line} of the PTX){why}")
        self.instruction = item.name
        self.line = item.text_line


def plain_name(mangled: str) -> str:
    """The name of a function that a mangled one stands for, without its module; other names as they are.

    Itanium C++ ABI, "Nested names": each part stands behind its length.
    """
    if not mangled.startswith("_Z"):
        return mangled
    at, parts = 3 if mangled.startswith("_ZN") else 2, []
    while found := _LENGTH.match(mangled, at):
        at = found.end() + int(found[0])
        parts.append(mangled[found.end() : at])
    return parts[-1] if parts else mangled

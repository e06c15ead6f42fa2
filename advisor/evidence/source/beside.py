"""Other files beside one that is being edited, as they were when they were last read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from advisor.evidence.source.module_parts import PartNames, words_in
from advisor.program.syntax.gate import launched_names, may_hold_device_code

Stamp: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Neighbour:
    """Another file as it was last read: whether it may hold kernels, what it launches, and all its words."""

    stamp: Stamp | None
    device: bool
    launches: frozenset[str]
    names: PartNames


def read_neighbour(file: Path) -> Neighbour:
    """What a file says by its words; nothing where it cannot be read."""
    stamp = stamp_of(str(file))
    try:
        data = file.read_bytes()
    except OSError:
        return Neighbour(stamp, False, frozenset(), PartNames())
    device = may_hold_device_code(data)
    return Neighbour(
        stamp, device, launched_names(data), PartNames(words=words_in(data.decode(errors="replace")))
    )


def stamp_of(path: str) -> Stamp | None:
    """When a file was written and its size, None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a hundred times for each edit
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size

"""The other files of the workspace while one is edited, as they were when they were last read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.evidence.source.module_parts import PartNames, words_in
from advisor.model.storage.file_stamp import FileStamp
from advisor.program.syntax.gate import launched_names, may_hold_device_code


@dataclass(frozen=True)
class OtherFile:
    """Another file as it was last read: whether it may hold kernels, what it launches, and all its words."""

    stamp: FileStamp | None
    device: bool
    launches: frozenset[str]
    names: PartNames


def read_other_file(file: Path) -> OtherFile:
    """What a file says by its words; nothing where it cannot be read."""
    stamp = FileStamp.of(file)
    try:
        data = file.read_bytes()
    except OSError:
        return OtherFile(stamp, False, frozenset(), PartNames())
    device = may_hold_device_code(data)
    return OtherFile(
        stamp, device, launched_names(data), PartNames(words=words_in(data.decode(errors="replace")))
    )

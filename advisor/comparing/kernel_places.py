"""Whether the kernels of a run are still in the source as they were, and where."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from advisor.errors import SourceProblem
from advisor.history.fingerprint import Fingerprint
from advisor.history.identity import Definition, functions
from advisor.text import read_source

State: TypeAlias = Literal["same", "changed", "gone", "unknown"]


@dataclass(frozen=True)
class Place:
    """Where a kernel is told to be: `path` from the working folder, `line` 0 where none is known.

    `moved` is by how many lines the definition moved down since; `text` is the file's, None unless the kernel
    is the same as then.
    """

    path: str
    line: int
    state: State
    moved: int = 0
    text: str | None = None


class KernelPlaces:
    """Looks kernels up in the files of a project; each file is read once.

    `root` is the folder that fingerprints' paths are relative to, `shown_from` that of reported paths.
    """

    def __init__(self, root: Path, shown_from: Path) -> None:
        self._root, self._shown_from = root, shown_from
        self._texts: dict[str, str | None] = {}

    def place(self, one: Fingerprint, elsewhere: str = "") -> Place:
        """The place of a fingerprint's kernel; `elsewhere` stands for the path of one that no file has."""
        who = one.identity
        if who.path is None:
            return Place(elsewhere, one.line or 0, "unknown")
        shown = self.shown(who.path)
        text = self._text(who.path)
        found = [definition for definition in functions(text or "") if definition.name == who.name]
        if text is None or not found:
            return Place(shown, one.line or 0, "gone")
        if who.source_hash is None:
            return Place(shown, one.line or found[0].line, "unknown")
        same = next((definition for definition in found if definition.source_hash == who.source_hash), None)
        if same is None:
            return Place(shown, one.line or found[0].line, "changed")
        return Place(shown, same.line, "same", _moved(same, one), text)

    def shown(self, path: str) -> str:
        """A fingerprint's path as findings name it."""
        try:
            return os.path.relpath(self._root / path, self._shown_from).replace(os.sep, "/")
        except ValueError:  # on another drive
            return (self._root / path).as_posix()

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            file = self._root / path
            try:
                self._texts[path] = read_source(file, path).text if file.is_file() else None
            except (SourceProblem, OSError):
                self._texts[path] = None
        return self._texts[path]


def _moved(definition: Definition, one: Fingerprint) -> int:
    return definition.line - one.line if one.line else 0

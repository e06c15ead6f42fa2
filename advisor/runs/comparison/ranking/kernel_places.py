"""Where the kernels of a run stand in the source, and whether they are still as they were."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from advisor.model.errors import SourceProblem
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.history.identity import Definition, functions
from advisor.model.records import Record
from advisor.model.text.source_text import read_source
from advisor.runs.comparison.ranking.committed_text import committed_text

State: TypeAlias = Literal["same", "changed", "gone", "unknown"]


@dataclass(frozen=True)
class Place:
    """Where a kernel is told to be: `path` from the working folder, `line` 0 where none is known.

    `state` tells of the source as it is now. `text` is the file's that holds the kernel as it was then: the
    present one, or that of the run's commit; None where neither does. `line` is in it, and `moved` by how
    many lines the definition lies further down in it than the fingerprint says.
    """

    path: str
    line: int
    state: State
    moved: int = 0
    text: str | None = None


class KernelPlaces:
    """Looks kernels up in the files of a project; each file is read once.

    `root` is the folder that fingerprints' paths are relative to, `shown_from` that of reported paths.
    `analysed` keeps what the source of a file tells, by path and text.
    """

    def __init__(self, root: Path, shown_from: Path) -> None:
        self.analysed: dict[tuple[str, str], list[Record]] = {}
        self._root, self._shown_from = root, shown_from
        self._present: dict[str, str | None] = {}
        self._chosen: dict[tuple[int | None, float, str], str | None] = {}

    def place(self, one: Fingerprint, run: Run) -> Place:
        """The place of a run's fingerprint; the run's label stands for the path of a kernel in no file."""
        who = one.identity
        if who.path is None:
            return Place(run.facts.label or run.facts.command, one.line or 0, "unknown")
        shown = self.shown(who.path)
        state = self._state(one, self._now(who.path))
        text = self._text(run, who.path)
        found = _same(one, text)
        if found is None:
            return Place(shown, one.line or 0, state)
        return Place(shown, found.line, state, found.line - one.line if one.line else 0, text)

    def shown(self, path: str) -> str:
        """A fingerprint's path as findings name it."""
        try:
            return os.path.relpath(self._root / path, self._shown_from).replace(os.sep, "/")
        except ValueError:  # on another drive
            return (self._root / path).as_posix()

    def state(self, one: Fingerprint) -> State:
        """Whether the source has a kernel still as it was."""
        path = one.identity.path
        return "unknown" if path is None else self._state(one, self._now(path))

    def _state(self, one: Fingerprint, text: str | None) -> State:
        if text is None or not _named(one, text):
            return "gone"
        if one.identity.source_hash is None:
            return "unknown"
        return "changed" if _same(one, text) is None else "same"

    def _text(self, run: Run, path: str) -> str | None:
        """The text, present or of the run's commit, that holds most of the run's kernels as they were."""
        key = (run.id, run.facts.started, path)
        if key not in self._chosen:
            those = [one for one in run.fingerprints if one.identity.path == path]
            text = self._now(path)
            if _number_same(those, text) < len(those):
                then = committed_text(self._root, path, run.facts.commit)
                text = max((text, then), key=lambda one: _number_same(those, one))
            self._chosen[key] = text
        return self._chosen[key]

    def _now(self, path: str) -> str | None:
        if path not in self._present:
            file = self._root / path
            try:
                self._present[path] = read_source(file, path).text if file.is_file() else None
            except (SourceProblem, OSError):
                self._present[path] = None
        return self._present[path]


def _named(one: Fingerprint, text: str | None) -> list[Definition]:
    return [definition for definition in functions(text or "") if definition.name == one.identity.name]


def _same(one: Fingerprint, text: str | None) -> Definition | None:
    """The definition with the text that was run; None too where it is not known which that was."""
    known = one.identity.source_hash
    return next((found for found in _named(one, text) if known and found.source_hash == known), None)


def _number_same(those: Sequence[Fingerprint], text: str | None) -> int:
    return sum(_same(one, text) is not None for one in those)

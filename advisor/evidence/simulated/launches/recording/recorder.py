"""Writes the launches of a running program to the record, a few at a time."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.driver.executor import ArgumentNote, LaunchNote, Place
from advisor.evidence.simulated.launches.defects import FoundDefect
from advisor.evidence.simulated.launches.function_text import definition, read_source
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.recording.array_statements import ArrayStatements
from advisor.evidence.simulated.launches.recording.kept_counts import KeptCounts
from advisor.evidence.simulated.launches.store import CUDA_SOURCE, CopyRow, LaunchRow, LaunchStore
from advisor.evidence.simulated.simt.counts import Statistics

# Launches are written when this long has passed since the last time; a killed program loses at most these.
_SECONDS_BETWEEN = 0.2


class Recorder:
    """Listens to outcomes of launches; `close` writes what is left."""

    def __init__(self, store: LaunchStore, run: int, child: bool = False) -> None:
        self._store = store
        self._run = run
        self._root = store.root.resolve()
        self._waiting: list[tuple[LaunchRow, int | None]] = []
        self._counts = KeptCounts(store)
        self._written = 0.0
        self._lock = threading.Lock()
        self._process = os.getpid()
        # Child processes are often ended without a word, so each of their launches is written at once.
        self._between = 0.0 if child else _SECONDS_BETWEEN
        self.launches = 0
        self.of_libraries: Counter[str] = Counter()
        self.of_cuda_source: Counter[tuple[str, str, int]] = Counter()
        self.defects: list[tuple[str, FoundDefect]] = []
        self.problems: dict[str, str] = {}
        self._copies: set[object] = set()
        self.statements = ArrayStatements(self.relative)

    def __call__(self, outcome: Outcome) -> None:
        """Note one launch."""
        if os.getpid() != self._process:
            self._store.after_fork()
            self._process, self._waiting, self._between = os.getpid(), [], 0.0
            self.statements = ArrayStatements(self.relative)
        self.statements.launched(outcome)
        if outcome.note.library:
            self._of_library(outcome)
            return
        row = self._row(outcome)
        with self._lock:
            self.launches += 1
            self.defects += [(outcome.note.function, defect) for defect in outcome.defects]
            if row.is_cuda_source:
                self.of_cuda_source[row.kernel, row.path, row.line] += 1
            if outcome.problem:
                self.problems.setdefault(outcome.note.function, outcome.problem)
            counts = self._counts.number(row, outcome, self._with_counts)
            self._waiting.append((row, counts))
            if time.monotonic() - self._written >= self._between:
                self._write()

    def _of_library(self, outcome: Outcome) -> None:
        """Count a launch of a library's own kernel; only that it could not run is of interest."""
        with self._lock:
            self.of_libraries[outcome.note.library] += 1
            if outcome.problem:
                self.problems.setdefault(outcome.note.function, outcome.problem)

    def copied(self, note: LaunchNote, defect: FoundDefect) -> None:
        """Note a defect of a copy to the host, with the launch that it belongs to; once for each place."""
        path, _, _ = self._definition(note)
        key = (note.function, path, defect.path, defect.line, defect.array)
        with self._lock:
            if key in self._copies:
                return
            self._copies.add(key)
            self.defects.append((note.function, defect))
            shown = replace(defect, path=self.relative(defect.path))
            kernel = _kernel_name(note)
            self._store.add_copy(self._run, CopyRow(kernel, path, note.order, shown.as_data()))

    def read(self, size: int, place: Place) -> None:
        """Note a copy to the host by an array library."""
        self.statements.read(size, place)

    def close(self) -> None:
        """Write the launches that wait, and what statements let array libraries do."""
        with self._lock:
            self._write()
            statements = self.statements.rows()
            if statements:
                self._store.add_array_statements(self._run, statements)

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._store.add(self._run, waiting)
        self._written = time.monotonic()

    def _with_counts(self, row: LaunchRow, outcome: Outcome) -> LaunchRow:
        """The launch with what was counted and found, and why it could not run."""
        statistics = _with_paths(outcome.statistics, self.relative) if outcome.statistics else None
        defects = [
            replace(one, path=self.relative(one.path), other_path=self.relative(one.other_path))
            for one in outcome.defects
        ]
        return replace(
            row,
            statistics=statistics.as_data() if statistics else None,
            defects=[defect.as_data() for defect in defects],
            problem=outcome.problem,
        )

    def _row(self, outcome: Outcome) -> LaunchRow:
        note = outcome.note
        path, line, text_hash = self._definition(note)
        return LaunchRow(
            number=note.order,
            kernel=_kernel_name(note),
            path=path,
            line=line,
            function_hash=text_hash,
            launch_path=self.relative(note.launch_file) if note.launch_file else None,
            launch_line=note.launch_line,
            grid=note.grid,
            block=note.block,
            dynamic_shared=note.dynamic_shared,
            arguments=[_argument(one) for one in note.arguments],
            stream=note.stream,
            started=time.time() - outcome.seconds,
            seconds=outcome.seconds,
        )

    def _definition(self, note: LaunchNote) -> tuple[str, int, str]:
        """Path, first line and hash of the text of a kernel; empty ones without a file."""
        if note.file is None or note.line is None:
            return "", 0, f"{CUDA_SOURCE}{note.text_hash}" if note.text_hash else ""
        if note.text_hash:
            return self.relative(note.file), note.line, f"{CUDA_SOURCE}{note.text_hash}"
        text = read_source(Path(note.file))
        known = definition(text, note.line) if text is not None else None
        return self.relative(note.file), note.line, known[1] if known else ""

    def relative(self, path: str) -> str:
        """A path relative to the root where it lies inside."""
        try:
            return Path(path).resolve().relative_to(self._root).as_posix()
        except (ValueError, OSError):
            return path


def _kernel_name(note: LaunchNote) -> str:
    return note.function.replace(".<locals>", "")


def _argument(note: ArgumentNote) -> dict[str, Any]:
    return {name: value for name, value in asdict(note).items() if name not in ("address",)}


def _with_paths(counted: Statistics, relative: Callable[[str], str]) -> Statistics:
    return replace(
        counted,
        accesses=[replace(one, path=relative(one.path)) for one in counted.accesses],
        branches=[replace(one, path=relative(one.path)) for one in counted.branches],
    )

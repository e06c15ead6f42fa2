"""The history of a project: runs and the fingerprints of their kernels."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.model.errors import UsageError
from advisor.model.history import queries
from advisor.model.history.addresses import VARIABLE, database_at, is_of_server
from advisor.model.history.database import Transaction
from advisor.model.history.fingerprint import Fingerprint, KernelRun, Run, RunFacts
from advisor.model.history.processes import is_alive, this_process
from advisor.model.history.rows import (
    READ_COLUMNS,
    RUN_COLUMNS,
    fingerprint_row,
    kernel_row,
    known,
    read_fingerprint,
    read_run,
    run_row,
    to_json,
)
from advisor.model.records import Source, Value

if TYPE_CHECKING:
    from advisor.model.settings.config import Config

_MOST_MARKS = 500
# Where the latest of something is asked for, so many of a kernel's last fingerprints are looked at: of ten
# million the answer takes as long as of ten thousand.
_LOOKED_AT = 1_000
_ALL = 2**62


@dataclass(frozen=True)
class TimePoint:
    """The time of a kernel in a run: what a trend is drawn of. `mean` is in milliseconds."""

    run: int
    started: float
    commit: str | None
    device: str
    source: Source
    name: str
    path: str | None
    source_hash: str | None
    grid: str | None
    block: str | None
    launches: int
    mean: float


def history_of(settings: Config) -> HistoryStore:
    """The history that the environment (ADVISOR_HISTORY) or the configuration names, else the project's own.

    Nothing is opened yet. Raises UsageError for an address that no history can have.
    """
    return HistoryStore(settings.root, os.environ.get(VARIABLE) or settings.history)


class HistoryStore:
    """Writes and reads the history of a project; several processes may write at once.

    `address` is a database that `database_at` knows, "" for the project's own file. What is written stays: a
    store that is damaged, full, locked, out of reach or of a newer version raises AdvisorError (UsageError
    for a newer version) and is left as it is. Reading where nothing was written finds nothing.
    """

    def __init__(self, root: Path, address: str = "") -> None:
        self.root = root
        self.is_on_server = is_of_server(address)
        self.database = database_at(root, address)

    @property
    def name(self) -> str:
        """What messages call it, without secrets."""
        return self.database.name

    def exists(self) -> bool:
        """Whether anything was kept here."""
        return self.database.exists()

    def begin(self, facts: RunFacts) -> int:
        """The number of a new run."""
        with self.database.transaction() as at:
            number = at.insert(queries.INSERT_RUN, (*run_row(facts), this_process()))
            self.database.hold(number)
        return number

    def add(self, run: int, fingerprint: Fingerprint) -> None:
        """Keep one more fingerprint, on the disk when this returns."""
        with self.database.transaction() as at:
            _insert_fingerprints(at, run, [fingerprint])

    def end(
        self,
        run: int,
        metrics: Mapping[str, Value] | None = None,
        notes: Sequence[str] = (),
        host: Mapping[str, Any] | None = None,
        status: str = "done",
    ) -> None:
        """Note how a run ended, and what was found of it as a whole."""
        with self.database.transaction() as at:
            _end(at, run, metrics or {}, notes, host or {}, status)
        if status != "running":
            self.database.release(run)

    def add_run(self, run: Run) -> int:
        """The number under which a whole run is kept; all of it or nothing."""
        with self.database.transaction() as at:
            number = at.insert(queries.INSERT_RUN, (*run_row(run.facts), this_process()))
            _insert_fingerprints(at, number, run.fingerprints)
            _end(at, number, run.metrics, run.notes, run.host, run.status)
            return number

    def runs(self, kind: str | None = None, device: str | None = None, most: int | None = None) -> list[Run]:
        """The runs without their fingerprints, the latest first; `most` of them at most."""
        wanted = [(name, value) for name, value in (("kind", kind), ("device", device)) if value is not None]
        where = " AND ".join(f"{name} = ?" for name, _ in wanted) or "1 = 1"
        query = f"SELECT {RUN_COLUMNS} FROM runs WHERE {where} ORDER BY id DESC LIMIT ?"
        values = [*(value for _, value in wanted), _ALL if most is None else most]
        return self._runs(self.database.rows(query, values))

    def run(self, number: int) -> Run:
        """A run with its fingerprints; raises UsageError for a number that no run has."""
        return replace(self.facts_of(number), fingerprints=tuple(self.fingerprints([number])[number]))

    def facts_of(self, number: int) -> Run:
        """A run without its fingerprints; raises UsageError for a number that no run has."""
        rows = self.database.rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE id = ?", [number])
        if not rows:
            raise UsageError(f"There is no run {number} in {self.name}.{self._what_exists()}")
        return self._runs(rows)[0]

    def find(self, text: str) -> int:
        """The number of the run that a text names: a number, `latest`, `latest~1` (the one before it), a
        label, or the beginning of a commit; of several the latest.

        `latest` counts profiles and imports that ended well. Raises UsageError, with what exists, for others.
        """
        number = self._by_number(text) or self._by_age(text) or self._by_name(text)
        if number is None:
            raise UsageError(f"No run is called `{text}`.{self._what_exists()}")
        return number

    def _by_number(self, text: str) -> int | None:
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            return None
        rows = self.database.rows("SELECT id FROM runs WHERE id = ?", [int(text)])
        return rows[0][0] if rows else None

    def _by_age(self, text: str) -> int | None:
        name, _, back = text.partition("~")
        if name != "latest" or (back and not (back.isascii() and back.isdigit() and len(back) < 16)):
            return None
        wanted = "status = 'done' AND kind <> 'recording'"
        query = f"SELECT id FROM runs WHERE {wanted} ORDER BY id DESC LIMIT 1 OFFSET ?"
        rows = self.database.rows(query, [int(back or 0)])
        return rows[0][0] if rows else None

    def _by_name(self, text: str) -> int | None:
        rows = self.database.rows("SELECT max(id) FROM runs WHERE label = ?", [text])
        if rows and rows[0][0] is not None:
            return int(rows[0][0])
        if len(text) < 4 or not all(letter in "0123456789abcdef" for letter in text):
            return None
        query = "SELECT max(id) FROM runs WHERE commit_id >= ? AND commit_id < ?"
        rows = self.database.rows(query, [text, f"{text}g"])
        return None if not rows or rows[0][0] is None else int(rows[0][0])

    def _what_exists(self) -> str:
        runs = self.runs(most=5)
        if not runs:
            return " Nothing has been kept yet: `advisor profile` and `advisor import` do."
        shown = ", ".join(f"{run.id} ({run.facts.label or run.facts.kind})" for run in runs)
        return f" The latest are {shown}."

    def fingerprints(self, runs: Sequence[int]) -> dict[int, list[Fingerprint]]:
        """The fingerprints of runs by the runs' numbers, each in the order in which they were kept."""
        found: dict[int, list[Fingerprint]] = {run: [] for run in runs}
        wanted = list(found)
        for start in range(0, len(wanted), _MOST_MARKS):
            part = wanted[start : start + _MOST_MARKS]
            marks = ",".join("?" * len(part))
            query = (
                f"SELECT f.run, {READ_COLUMNS} FROM fingerprints f JOIN kernels k ON k.id = f.kernel"
                f" WHERE f.run IN ({marks}) ORDER BY f.id"
            )
            for row in self.database.rows(query, part):
                found[row[0]].append(read_fingerprint(row[1:]))
        return found

    def kernel_runs(self, path: str) -> dict[str, list[KernelRun]]:
        """By name, the measurements on GPUs of a file's kernels, the latest first: of each text, device and
        command the latest run.
        """
        found: dict[str, list[KernelRun]] = {}
        query = "SELECT id, name FROM kernels WHERE path = ? AND source = 'measured'"
        for kernel, name in self.database.rows(query, [path]):
            rows = self.database.rows(queries.MEASURED_RUNS, [kernel, _LOOKED_AT])
            found.setdefault(name, []).extend(KernelRun(*row) for row in rows)
        return {name: sorted(those, key=lambda one: -one.run) for name, those in found.items() if those}

    def of_kernel(self, path: str | None, name: str, run: int, source: Source) -> tuple[Fingerprint, ...]:
        """The fingerprints of a kernel in a run, one for each shape of its launches."""
        rows = self.database.rows(queries.OF_KERNEL, [path or "", name, source, run])
        return tuple(map(read_fingerprint, rows))

    def latest(self) -> list[Run]:
        """What is known last of every kernel: runs, the latest first, each with the fingerprints of kernels
        that no later run of the same device and source has. Runs that keep none of theirs are left out.
        """
        found: dict[int, list[Fingerprint]] = {}
        for run, *row in self.database.rows(queries.LATEST):
            found.setdefault(run, []).append(read_fingerprint(row))
        runs: list[Run] = []
        wanted = list(found)
        for start in range(0, len(wanted), _MOST_MARKS):
            part = wanted[start : start + _MOST_MARKS]
            marks = ",".join("?" * len(part))
            query = f"SELECT {RUN_COLUMNS} FROM runs WHERE id IN ({marks}) ORDER BY id DESC"
            runs += self._runs(self.database.rows(query, part))
        return [replace(run, fingerprints=tuple(found[run.id or 0])) for run in runs]

    def run_before(self, run: Run, source: Source) -> int | None:
        """The number of the run that a kept one is compared with: an earlier one of its device and source
        that ended well and has one of its kernels. One of the same label comes first, then the latest.
        """
        key = [run.id, run.facts.device, run.id, source, run.facts.label]
        rows = self.database.rows(queries.BEFORE, key)
        return int(rows[0][0]) if rows else None

    def times(
        self, name: str | None = None, path: str | None = None, most: int | None = None
    ) -> list[TimePoint]:
        """The times of a kernel, of a file's kernels or of all in every run, oldest first; quick, as no JSON
        is read. Of each kernel, device and source the latest `most`.
        """
        wanted = [(key, value) for key, value in (("name", name), ("path", path)) if value is not None]
        where = " AND ".join(f"{key} = ?" for key, _ in wanted) or "1 = 1"
        kernels = self.database.rows(f"SELECT id FROM kernels WHERE {where}", [value for _, value in wanted])
        limit = _ALL if most is None else most
        rows = [row for (kernel,) in kernels for row in self.database.rows(queries.TIMES, [kernel, limit])]
        rows.sort(key=lambda row: (row[1], row[0]))
        return [TimePoint(*row[1:]) for row in rows]

    def latest_of_shapes(self, one: Fingerprint, device: str, most: int) -> list[Fingerprint]:
        """For each shape of its launches the latest times of the same text of a kernel on a device; `most`
        shapes at most, the latest first.
        """
        text = one.identity.source_hash or ""
        key = [*kernel_row(one), device, _LOOKED_AT, text]
        latest = [row[0] for row in self.database.rows(queries.LATEST_OF_SHAPES, key)][:most]
        marks = ",".join("?" * len(latest))
        query = (
            f"SELECT {READ_COLUMNS} FROM fingerprints f JOIN kernels k ON k.id = f.kernel"
            f" WHERE f.id IN ({marks}) ORDER BY f.id DESC"
        )
        return [read_fingerprint(row) for row in self.database.rows(query, latest)] if latest else []

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def _runs(self, rows: Sequence[Sequence[Any]]) -> list[Run]:
        """The runs of rows of RUN_COLUMNS; one that nobody records any more was broken off."""
        recording = self.database.recording() if any(row[10] == "running" for row in rows) else None
        found = []
        for row in rows:
            number, status, process = row[0], row[10], row[14]
            is_recorded = is_alive(process) if recording is None else number in recording
            found.append(read_run(row, "broken off" if status == "running" and not is_recorded else status))
        return found


def _insert_fingerprints(at: Transaction, run: int, those: Sequence[Fingerprint]) -> None:
    # In one order for all, so that no two processes wait for each other.
    kernels = sorted({kernel_row(one) for one in those}, key=str)
    at.execute_many(queries.INSERT_KERNEL, [(*kernel, run) for kernel in kernels])
    rows = [(run, *kernel_row(one), run, *fingerprint_row(one)) for one in those]
    at.execute_many(queries.INSERT_FINGERPRINT, rows)


def _end(
    at: Transaction,
    run: int,
    metrics: Mapping[str, Value],
    notes: Sequence[str],
    host: Mapping[str, Any],
    status: str,
) -> None:
    values = (time.time(), status, to_json(known(metrics)), to_json(notes), to_json(host), run)
    at.execute(queries.END_RUN, values)

"""The history of a project in `.advisor/history.sqlite`: runs and the fingerprints of their kernels."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from advisor.model.errors import AdvisorError, UsageError
from advisor.model.history.fingerprint import Fingerprint, KernelRun, Run, RunFacts
from advisor.model.history.processes import is_alive, this_process
from advisor.model.history.queries import BEFORE, LATEST, LATEST_OF_DEVICE, MEASURED_OF_PATH, OF_KERNEL
from advisor.model.history.rows import (
    FINGERPRINT_COLUMNS,
    RUN_COLUMNS,
    fingerprint_row,
    known,
    read_fingerprint,
    read_run,
    run_row,
    to_json,
)
from advisor.model.history.schema import has_tables, open_file
from advisor.model.records import Source, Value

FOLDER = ".advisor"
FILE = "history.sqlite"
_MOST_MARKS = 500


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


class HistoryStore:
    """Writes and reads the history of a project; several processes may write at once.

    What is written stays: a store that is damaged, full, locked or of a newer version raises AdvisorError
    (UsageError for a newer version) and is left as it is. Reading where nothing was written finds nothing.
    """

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self.root = root
        self.file = (folder or root / FOLDER) / FILE
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    def exists(self) -> bool:
        """Whether anything was kept here."""
        return self.file.is_file()

    def begin(self, facts: RunFacts) -> int:
        """The number of a new run."""
        with self._writing() as connection:
            return self._insert_run(connection, facts)

    def add(self, run: int, fingerprint: Fingerprint) -> None:
        """Keep one more fingerprint, on the disk when this returns."""
        with self._writing() as connection:
            self._insert_fingerprints(connection, run, [fingerprint])

    def end(
        self,
        run: int,
        metrics: Mapping[str, Value] | None = None,
        notes: Sequence[str] = (),
        host: Mapping[str, Any] | None = None,
        status: str = "done",
    ) -> None:
        """Note how a run ended, and what was found of it as a whole."""
        with self._writing() as connection:
            _end(connection, run, metrics or {}, notes, host or {}, status)

    def add_run(self, run: Run) -> int:
        """The number under which a whole run is kept; all of it or nothing."""
        with self._writing() as connection:
            number = self._insert_run(connection, run.facts)
            self._insert_fingerprints(connection, number, run.fingerprints)
            _end(connection, number, run.metrics, run.notes, run.host, run.status)
            return number

    def runs(self, kind: str | None = None, device: str | None = None, most: int | None = None) -> list[Run]:
        """The runs without their fingerprints, the latest first; `most` of them at most."""
        wanted = [(name, value) for name, value in (("kind", kind), ("device", device)) if value is not None]
        where = " AND ".join(f"{name} = ?" for name, _ in wanted) or "1"
        query = f"SELECT {RUN_COLUMNS} FROM runs WHERE {where} ORDER BY id DESC LIMIT ?"
        values = [*(value for _, value in wanted), -1 if most is None else most]
        return [_run(row) for row in self._read(query, values)]

    def run(self, number: int) -> Run:
        """A run with its fingerprints; raises UsageError for a number that no run has."""
        return replace(self.facts_of(number), fingerprints=tuple(self.fingerprints([number])[number]))

    def facts_of(self, number: int) -> Run:
        """A run without its fingerprints; raises UsageError for a number that no run has."""
        rows = self._read(f"SELECT {RUN_COLUMNS} FROM runs WHERE id = ?", [number])
        if not rows:
            raise UsageError(f"There is no run {number} in {self.file}.{self._what_exists()}")
        return _run(rows[0])

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
        rows = self._read("SELECT id FROM runs WHERE id = ?", [int(text)])
        return rows[0][0] if rows else None

    def _by_age(self, text: str) -> int | None:
        name, _, back = text.partition("~")
        if name != "latest" or (back and not (back.isascii() and back.isdigit() and len(back) < 16)):
            return None
        wanted = "status = 'done' AND kind <> 'recording'"
        query = f"SELECT id FROM runs WHERE {wanted} ORDER BY id DESC LIMIT 1 OFFSET ?"
        rows = self._read(query, [int(back or 0)])
        return rows[0][0] if rows else None

    def _by_name(self, text: str) -> int | None:
        rows = self._read("SELECT max(id) FROM runs WHERE label = ?", [text])
        if rows and rows[0][0] is not None:
            return int(rows[0][0])
        if len(text) < 4 or not all(letter in "0123456789abcdef" for letter in text):
            return None
        query = "SELECT max(id) FROM runs WHERE commit_id >= ?1 AND commit_id < ?1 || 'g'"
        rows = self._read(query, [text])
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
            query = f"SELECT run, {FINGERPRINT_COLUMNS} FROM fingerprints WHERE run IN ({marks}) ORDER BY id"
            for row in self._read(query, part):
                found[row[0]].append(read_fingerprint(row[1:]))
        return found

    def kernel_runs(self, path: str) -> dict[str, list[KernelRun]]:
        """By name, the measurements on GPUs of a file's kernels, the latest first: of each text, device and
        command the latest run.
        """
        found: dict[str, list[KernelRun]] = {}
        for name, *row in self._read(MEASURED_OF_PATH, {"path": path}):
            found.setdefault(name, []).append(KernelRun(*row))
        return found

    def of_kernel(self, path: str | None, name: str, run: int, source: Source) -> tuple[Fingerprint, ...]:
        """The fingerprints of a kernel in a run, one for each shape of its launches."""
        key = {"path": path, "name": name, "run": run, "source": source}
        return tuple(map(read_fingerprint, self._read(OF_KERNEL, key)))

    def latest(self) -> list[Run]:
        """What is known last of every kernel: runs, the latest first, each with the fingerprints of kernels
        that no later run of the same device and source has. Runs that keep none of theirs are left out.
        """
        found: dict[int, list[Fingerprint]] = {}
        devices = self._read("SELECT DISTINCT device FROM runs", [])
        queries = [(LATEST_OF_DEVICE, list(row)) for row in devices] if len(devices) > 1 else [(LATEST, [])]
        rows = [row for query, values in queries for row in self._read(query, values)]
        for path, name, source, run in rows:
            found.setdefault(run, []).extend(self.of_kernel(path, name, run, source))
        return [
            replace(self.facts_of(run), fingerprints=tuple(found[run])) for run in sorted(found, reverse=True)
        ]

    def run_before(self, run: Run, source: Source) -> int | None:
        """The number of the run that a kept one is compared with: an earlier one of its device and source
        that ended well and has one of its kernels. One of the same label comes first, then the latest.
        """
        key = {"run": run.id, "device": run.facts.device, "label": run.facts.label, "source": source}
        rows = self._read(BEFORE, key)
        return int(rows[0][0]) if rows else None

    def times(self, name: str | None = None, path: str | None = None) -> list[TimePoint]:
        """The times of a kernel, of a file's kernels or of all in every run, oldest first; quick, as no JSON
        is read.
        """
        wanted = [(key, value) for key, value in (("name", name), ("path", path)) if value is not None]
        where = "".join(f" AND f.{key} = ?" for key, _ in wanted)
        query = (
            "SELECT f.run, r.started, r.commit_id, r.device, f.source, f.name, f.path, f.source_hash, f.grid,"
            " f.block, f.launches, f.mean_ms FROM fingerprints f JOIN runs r ON r.id = f.run"
            f" WHERE f.mean_ms IS NOT NULL{where} ORDER BY f.run, f.id"
        )
        return [TimePoint(*row) for row in self._read(query, [value for _, value in wanted])]

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _insert_run(self, connection: sqlite3.Connection, facts: RunFacts) -> int:
        cursor = connection.execute(
            "INSERT INTO runs (kind, label, command, started, device, executed_on, toolchain, commit_id,"
            " dirty, status, metrics, notes, host, process)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '{}', '[]', '{}', ?)",
            (*run_row(facts), this_process()),
        )
        return int(cursor.lastrowid or 0)

    def _insert_fingerprints(
        self, connection: sqlite3.Connection, run: int, those: Sequence[Fingerprint]
    ) -> None:
        marks = ", ".join("?" * (1 + len(FINGERPRINT_COLUMNS.split(","))))
        connection.executemany(
            f"INSERT INTO fingerprints (run, {FINGERPRINT_COLUMNS}) VALUES ({marks})",
            [(run, *fingerprint_row(one)) for one in those],
        )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or nothing."""
        if self._connection is not None and not self._writable:
            self.close()
        with self._told():
            if self._connection is None:
                self._connection, self._writable = open_file(self.file, write=True), True
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _read(self, query: str, values: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        with self._told():
            if self._connection is None:
                if not self.exists():
                    return []
                self._connection, self._writable = open_file(self.file, write=False), False
            if not has_tables(self._connection):
                return []
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A block whose failures of the file are told in one sentence."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise AdvisorError(f"The history {self.file} cannot be used: {error}.") from error


def _run(row: Sequence[Any]) -> Run:
    status, process = row[10], row[14]
    return read_run(row, "broken off" if status == "running" and not is_alive(process) else status)


def _end(
    connection: sqlite3.Connection,
    run: int,
    metrics: Mapping[str, Value],
    notes: Sequence[str],
    host: Mapping[str, Any],
    status: str,
) -> None:
    connection.execute(
        "UPDATE runs SET ended = ?, status = ?, metrics = ?, notes = ?, host = ? WHERE id = ?",
        (time.time(), status, to_json(known(metrics)), to_json(notes), to_json(host), run),
    )

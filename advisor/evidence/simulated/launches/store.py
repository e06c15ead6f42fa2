"""The record of launches in `.advisor/launches.sqlite`: runs, their launches, and what was counted."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from advisor.model.errors import UsageError
from advisor.model.storage.own_folder import require_inside
from advisor.model.storage.write_ahead_log import use_write_ahead_log

FOLDER = ".advisor"
FILE = "launches.sqlite"
# What the hash of a text of CUDA C++ begins with.
CUDA_SOURCE = "cuda "
_VERSION = 1
_SECONDS_TO_WAIT = 30.0

# Connections that a forked process got from its parent; closing them would disturb the parent's.
_of_parents: list[sqlite3.Connection | None] = []

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, command TEXT, device TEXT, executed_on TEXT, started REAL, ended REAL,
    status TEXT, inputs TEXT
);
CREATE TABLE IF NOT EXISTS programs (run INTEGER REFERENCES runs(id), program TEXT);
CREATE TABLE IF NOT EXISTS launches (
    id INTEGER PRIMARY KEY, run INTEGER REFERENCES runs(id), number INTEGER, kernel TEXT, path TEXT,
    line INTEGER, function_hash TEXT, launch_path TEXT, launch_line INTEGER, grid TEXT, block TEXT,
    dynamic_shared INTEGER, arguments TEXT, stream INTEGER, started REAL, seconds REAL,
    counts INTEGER REFERENCES counts(id)
);
CREATE TABLE IF NOT EXISTS counts (id INTEGER PRIMARY KEY, statistics TEXT, defects TEXT, problem TEXT);
CREATE TABLE IF NOT EXISTS copies (
    run INTEGER REFERENCES runs(id), kernel TEXT, path TEXT, number INTEGER, defect TEXT
);
CREATE TABLE IF NOT EXISTS array_statements (
    run INTEGER REFERENCES runs(id), path TEXT, line INTEGER, text_hash TEXT, counts TEXT
);
CREATE INDEX IF NOT EXISTS launches_of_path ON launches (path);
"""

_LAUNCHES = (
    "SELECT run, number, kernel, path, line, function_hash, launch_path, launch_line, grid, block,"
    " dynamic_shared, arguments, stream, started, seconds, counts FROM launches"
    " WHERE path = ? AND kernel = ? AND run = ? ORDER BY number"
)

# What another record holds, with numbers behind the last ones here.
_ADOPTED = (
    "INSERT INTO runs SELECT id + :runs, command, device, executed_on, started, ended, status, inputs"
    " FROM other.runs ORDER BY id",
    "INSERT INTO programs SELECT run + :runs, program FROM other.programs",
    "INSERT INTO counts SELECT id + :counts, statistics, defects, problem FROM other.counts",
    "INSERT INTO launches (run, number, kernel, path, line, function_hash, launch_path, launch_line, grid,"
    " block, dynamic_shared, arguments, stream, started, seconds, counts)"
    " SELECT run + :runs, number, kernel, path, line, function_hash, launch_path, launch_line, grid, block,"
    " dynamic_shared, arguments, stream, started, seconds, counts + :counts FROM other.launches ORDER BY id",
    "INSERT INTO copies SELECT run + :runs, kernel, path, number, defect FROM other.copies",
)

# Statistics, defects and problem.
_Counts = tuple[dict[str, Any] | None, list[dict[str, Any]], str | None]
_NO_COUNTS: _Counts = (None, [], None)


@dataclass(frozen=True)
class LaunchRow:
    """One launch as it was recorded; `path` is relative to the root of the project.

    `arguments` hold names, types, dtypes, shapes and strides, no contents. `statistics` and `defects` are
    what the SIMT machine found, None where the launch ran on a GPU or its counts are not kept; `problem` says
    why it was not executed. `counts` is the number of the counts, the same for launches that have the same.
    """

    number: int
    kernel: str
    path: str
    line: int
    function_hash: str
    launch_path: str | None
    launch_line: int | None
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int
    arguments: list[dict[str, Any]]
    stream: int
    started: float
    seconds: float
    statistics: dict[str, Any] | None = None
    defects: list[dict[str, Any]] = field(default_factory=list)
    problem: str | None = None
    counts: int | None = None

    @property
    def is_cuda_source(self) -> bool:
        """Whether the kernel is one of CUDA C++, of whose source nothing but a hash is known."""
        return self.function_hash.startswith(CUDA_SOURCE)


@dataclass(frozen=True)
class CopyRow:
    """What was wrong with a copy to the host of memory that the launch of a kernel had."""

    kernel: str
    path: str
    number: int
    defect: dict[str, Any]


@dataclass
class StatementCounts:
    """What a statement let an array library do in a run.

    `evaluations` is how often it began, `launches` are the library's kernels, `bytes` what these loaded and
    stored in global memory, `elementwise_bytes` the part of element-wise operations and `intermediate_bytes`
    that of arrays which one of these stored and another one of the same evaluation loaded. `intermediates`
    are the most such arrays of one evaluation, `elementwise` the operations that handed them on, `elements`
    those of the largest array. `reads` are copies of a few bytes to the host behind new launches, of which
    there were `launches_before_reads`.
    """

    evaluations: int = 0
    launches: int = 0
    bytes: int = 0
    elementwise_bytes: int = 0
    intermediate_bytes: int = 0
    intermediates: int = 0
    elementwise: int = 0
    elements: int = 0
    reads: int = 0
    launches_before_reads: int = 0


@dataclass(frozen=True)
class ArrayStatementRow:
    """A statement that used an array library: its file, from the root, its first line, a hash of its text."""

    path: str
    line: int
    text_hash: str
    counts: StatementCounts


@dataclass(frozen=True)
class ProgramRow:
    """What `advisor run` was given: a file or with `module` a module's name, its arguments, and the working
    folder, relative to the root where it lies inside.
    """

    target: str
    arguments: tuple[str, ...]
    module: bool
    folder: str


@dataclass(frozen=True)
class RunRow:
    """One run of a program: its command line, the device advice was for, and how it ended."""

    id: int
    command: str
    device: str
    executed_on: str
    started: float
    ended: float | None
    status: str


class LaunchStore:
    """Writes and reads the launches of a project; several processes may write at once."""

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self.root = root
        self.file = (folder or root / FOLDER) / FILE
        self._connection: sqlite3.Connection | None = None
        self._waiting: list[tuple[int, LaunchRow, int | None]] = []

    def exists(self) -> bool:
        """Whether anything was recorded here."""
        return self.file.is_file()

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                require_inside(self.file)
                self.file.parent.mkdir(parents=True, exist_ok=True)
                (self.file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
                connection = sqlite3.connect(
                    self.file, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
                )
                use_write_ahead_log(connection, _SECONDS_TO_WAIT)
                connection.execute("PRAGMA synchronous=NORMAL")
                if int(connection.execute("PRAGMA user_version").fetchone()[0]) not in (0, _VERSION):
                    raise UsageError(f"{self.file} was written by another version; remove it and run again.")
                connection.executescript(_TABLES)
                connection.execute(f"PRAGMA user_version={_VERSION}")
            except (OSError, sqlite3.Error) as error:
                raise UsageError(f"{self.file} cannot be used: {error}") from error
            self._connection = connection
        return self._connection

    def begin_run(self, command: str, device: str, executed_on: str) -> int:
        """The number of a new run."""
        cursor = self._connect().execute(
            "INSERT INTO runs (command, device, executed_on, started, status) VALUES (?, ?, ?, ?, 'running')",
            (command, device, executed_on, time.time()),
        )
        return int(cursor.lastrowid or 0)

    def note_program(self, run: int, program: ProgramRow) -> None:
        """Note what a run ran, so that it can be run again."""
        self._connect().execute("INSERT INTO programs VALUES (?, ?)", (run, json.dumps(asdict(program))))

    def programs(self, paths: Sequence[str]) -> list[tuple[RunRow, ProgramRow | None, frozenset[str]]]:
        """The runs that launched kernels of files, or from them, the latest first: what each ran (None in
        old records), and the names of those kernels.
        """
        marks = ", ".join("?" * len(paths))
        query = (
            "SELECT run, kernel, (SELECT program FROM programs WHERE programs.run = launches.run)"
            f" FROM launches WHERE path IN ({marks}) OR launch_path IN ({marks}) GROUP BY run, kernel"
        )
        kernels: dict[int, set[str]] = {}
        noted: dict[int, ProgramRow | None] = {}
        for run, kernel, program in self._connect().execute(query, [*paths, *paths]):
            kernels.setdefault(run, set()).add(kernel)
            noted[run] = _program(program)
        runs = {run.id: run for run in self.runs()}
        return [(runs[one], noted[one], frozenset(kernels[one])) for one in sorted(kernels, reverse=True)]

    def kernel_files(self, run: int) -> list[str]:
        """The files of the kernels that a run launched."""
        query = "SELECT DISTINCT path FROM launches WHERE run = ? ORDER BY path"
        return [path for (path,) in self._connect().execute(query, (run,))]

    def end_run(self, run: int, status: str, inputs: dict[str, str] | None = None) -> None:
        """Note how a run ended, and the hashes of the files that it imported by their paths."""
        self._connect().execute(
            "UPDATE runs SET ended = ?, status = ?, inputs = ? WHERE id = ?",
            (time.time(), status, json.dumps(inputs), run),
        )

    def last_inputs(self, command: str, device: str) -> dict[str, str] | None:
        """Files and hashes of a command's latest run for a device where it ended well, else None."""
        row = (
            self._connect()
            .execute(
                "SELECT inputs, status FROM runs WHERE command = ? AND device = ? ORDER BY id DESC LIMIT 1",
                (command, device),
            )
            .fetchone()
        )
        if row is None or row[1] != "done" or row[0] is None:
            return None
        found = json.loads(row[0])
        return found if isinstance(found, dict) else None

    def add_counts(self, row: LaunchRow) -> int:
        """The number under which the counts of a launch are kept, for launches that are alike."""
        cursor = self._connect().execute(
            "INSERT INTO counts (statistics, defects, problem) VALUES (?, ?, ?)",
            (json.dumps(row.statistics), json.dumps(row.defects), row.problem),
        )
        return int(cursor.lastrowid or 0)

    def add(self, run: int, rows: Sequence[tuple[LaunchRow, int | None]]) -> None:
        """Add launches with the numbers of their counts, all or none."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT INTO launches (run, number, kernel, path, line, function_hash, launch_path,"
                " launch_line, grid, block, dynamic_shared, arguments, stream, started, seconds, counts)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_values(run, row, counts) for row, counts in rows],
            )

    def add_copy(self, run: int, copy: CopyRow) -> None:
        """Add what is wrong with a copy to the host."""
        self._connect().execute(
            "INSERT INTO copies VALUES (?, ?, ?, ?, ?)",
            (run, copy.kernel, copy.path, copy.number, json.dumps(copy.defect)),
        )

    def add_array_statements(self, run: int, rows: Sequence[ArrayStatementRow]) -> None:
        """Add what statements let an array library do."""
        self._connect().executemany(
            "INSERT INTO array_statements VALUES (?, ?, ?, ?, ?)",
            [(run, one.path, one.line, one.text_hash, json.dumps(asdict(one.counts))) for one in rows],
        )

    def array_statements(self, path: str) -> tuple[RunRow, list[ArrayStatementRow]] | None:
        """The latest run in which statements of a file used an array library, with those of all its files."""
        query = "SELECT max(run) FROM array_statements WHERE path = ?"
        (run,) = self._connect().execute(query, (path,)).fetchone()
        if run is None:
            return None
        query = "SELECT path, line, text_hash, counts FROM array_statements WHERE run = ?"
        rows = [
            ArrayStatementRow(where, line, text_hash, StatementCounts(**json.loads(counts)))
            for where, line, text_hash, counts in self._connect().execute(query, (run,))
        ]
        return next(one for one in self.runs() if one.id == run), rows

    def _defects_of_copies(self, path: str, kernel: str, run: int) -> dict[int, list[dict[str, Any]]]:
        """What was wrong with copies, by the number of the launch."""
        query = "SELECT number, defect FROM copies WHERE path = ? AND kernel = ? AND run = ?"
        found: dict[int, list[dict[str, Any]]] = {}
        for number, defect in self._connect().execute(query, (path, kernel, run)):
            found.setdefault(number, []).append(json.loads(defect))
        return found

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connect()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def content(self) -> bytes:
        """The whole record as bytes, for `adopt`; the file is closed."""
        self._connect().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()
        return self.file.read_bytes()

    def adopt(self, content: bytes) -> None:
        """Add the runs of another record behind those that are here, all or none."""
        connection = self._connect()
        with tempfile.TemporaryDirectory(prefix="advisor-") as folder:
            file = Path(folder) / FILE
            file.write_bytes(content)
            connection.execute("ATTACH DATABASE ? AS other", (str(file),))
            try:
                with self._transaction():
                    last = {
                        table: int(
                            connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0]
                        )
                        for table in ("runs", "counts")
                    }
                    for statement in _ADOPTED:
                        connection.execute(statement, last)
            finally:
                connection.execute("DETACH DATABASE other")

    def launch_count(self, run: int) -> int:
        """How many launches a run has so far."""
        query = "SELECT count(*) FROM launches WHERE run = ?"
        return int(self._connect().execute(query, (run,)).fetchone()[0])

    def runs(self) -> list[RunRow]:
        """All runs, the latest last."""
        query = "SELECT id, command, device, executed_on, started, ended, status FROM runs ORDER BY id"
        return [RunRow(*row) for row in self._connect().execute(query)]

    def latest(
        self, paths: Sequence[str], device: str | None = None
    ) -> dict[tuple[str, str], list[tuple[RunRow, LaunchRow]]]:
        """The launches of the latest run of each kernel in the files, by path and qualified name; with a
        device those of the latest run for it.
        """
        found: dict[tuple[str, str], list[tuple[RunRow, LaunchRow]]] = {}
        runs = {run.id: run for run in self.runs()}
        counts: dict[int, _Counts] = {}
        for path in paths:
            for kernel, run in self._latest_runs(path, device):
                copies = self._defects_of_copies(path, kernel, run)
                for row in self._connect().execute(_LAUNCHES, (path, kernel, run)):
                    number = row[-1]
                    if number is not None and number not in counts:
                        counts[number] = self._counts(number)
                    launch = _row(row, counts.get(number, _NO_COUNTS))
                    # Several processes of a run may number their launches alike.
                    launch = replace(launch, defects=[*launch.defects, *copies.pop(launch.number, ())])
                    found.setdefault((launch.path, launch.kernel), []).append((runs[run], launch))
        return found

    def _latest_runs(self, path: str, device: str | None) -> list[tuple[str, int]]:
        """The kernels of a file, each with the number of the latest run that launched it, for a device."""
        query = (
            "SELECT kernel, max(run) FROM launches JOIN runs ON runs.id = run"
            " WHERE path = ?1 AND (?2 IS NULL OR device = ?2) GROUP BY kernel ORDER BY min(launches.id)"
        )
        return self._connect().execute(query, (path, device)).fetchall()

    def _counts(self, number: int) -> _Counts:
        query = "SELECT statistics, defects, problem FROM counts WHERE id = ?"
        statistics, defects, problem = self._connect().execute(query, (number,)).fetchone()
        return (
            json.loads(statistics) if statistics else None,
            json.loads(defects) if defects else [],
            problem,
        )

    def after_fork(self) -> None:
        """Let the next use open the file again. SQLite allows no other use of a parent's connection."""
        _of_parents.append(self._connection)
        self._connection = None

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _values(run: int, row: LaunchRow, counts: int | None) -> tuple[Any, ...]:
    return (
        run, row.number, row.kernel, row.path, row.line, row.function_hash, row.launch_path,
        row.launch_line, json.dumps(row.grid), json.dumps(row.block), row.dynamic_shared,
        json.dumps(row.arguments), row.stream, row.started, row.seconds, counts,
    )  # fmt: skip


def _program(text: str | None) -> ProgramRow | None:
    if text is None:
        return None
    data = json.loads(text)
    return ProgramRow(data["target"], tuple(data["arguments"]), data["module"], data["folder"])


def _row(row: tuple[Any, ...], counted: _Counts) -> LaunchRow:
    number, kernel, path, line, text_hash, launch_path, launch_line, grid, block, shared = row[1:11]
    arguments, stream, started, seconds, counts = row[11:]
    statistics, defects, problem = counted
    return LaunchRow(
        number=number,
        kernel=kernel,
        path=path,
        line=line,
        function_hash=text_hash,
        launch_path=launch_path,
        launch_line=launch_line,
        grid=tuple(json.loads(grid)),
        block=tuple(json.loads(block)),
        dynamic_shared=shared,
        arguments=json.loads(arguments),
        stream=stream,
        started=started,
        seconds=seconds,
        statistics=statistics,
        defects=defects,
        problem=problem,
        counts=counts,
    )

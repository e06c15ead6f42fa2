"""The tables of the history, and opening its file."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from advisor.model.errors import UsageError
from advisor.model.storage.write_ahead_log import use_write_ahead_log

VERSION = 1
_SECONDS_TO_WAIT = 30.0

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, label TEXT NOT NULL, command TEXT NOT NULL,
    started REAL NOT NULL, ended REAL, device TEXT NOT NULL, executed_on TEXT NOT NULL,
    toolchain TEXT NOT NULL, commit_id TEXT, dirty INTEGER, status TEXT NOT NULL, metrics TEXT NOT NULL,
    notes TEXT NOT NULL, host TEXT NOT NULL, process TEXT
);
CREATE TABLE IF NOT EXISTS fingerprints (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, path TEXT,
    line INTEGER, source_hash TEXT, types TEXT NOT NULL, grid TEXT, block TEXT,
    dynamic_shared INTEGER NOT NULL, source TEXT NOT NULL, launches INTEGER NOT NULL, mean_ms REAL,
    timing TEXT NOT NULL, metrics TEXT NOT NULL, lines TEXT NOT NULL, ranges TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_by_label ON runs (label);
CREATE INDEX IF NOT EXISTS runs_by_commit ON runs (commit_id);
CREATE INDEX IF NOT EXISTS fingerprints_of_run ON fingerprints (run);
CREATE INDEX IF NOT EXISTS fingerprints_of_kernel ON fingerprints (path, name, run, source);
CREATE INDEX IF NOT EXISTS fingerprints_by_name ON fingerprints (name, run);
"""


def open_file(file: Path, write: bool) -> sqlite3.Connection:
    """A connection to a history, whose tables are made where `write` is set and they are missing.

    Raises UsageError for a file of a newer version, OSError and sqlite3.Error for one that cannot be used.
    """
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        ignore = file.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    try:
        return _connection(str(file), file, write)
    except sqlite3.OperationalError:
        if write:
            raise
        # The log of an SQLite file needs a folder that can be written; without one the file is read as it is.
        return _connection(f"file:{quote(str(file))}?mode=ro&immutable=1", file, write)


def has_tables(connection: sqlite3.Connection) -> bool:
    """Whether there are tables yet; between the first two steps of a writer there are none."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0]) > 0


def _connection(name: str, file: Path, write: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=_SECONDS_TO_WAIT, isolation_level=None, uri=name.startswith("file:")
    )
    try:
        _require_version(connection, file)
        if write:
            use_write_ahead_log(connection, _SECONDS_TO_WAIT)
            # With a write-ahead log what is kept outlives the end of any process.
            connection.execute("PRAGMA synchronous=NORMAL")
            _make_tables(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_version(connection: sqlite3.Connection, file: Path) -> int:
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise UsageError(
            f"{file} was written by a newer version of Kernel Advisor (format {found}; this one knows "
            f"{VERSION}). Use that version; the file was left as it is."
        )
    return found


def _make_tables(connection: sqlite3.Connection, file: Path) -> None:
    """Make what is missing in one transaction, so that two processes may begin at once."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _require_version(connection, file) != VERSION:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

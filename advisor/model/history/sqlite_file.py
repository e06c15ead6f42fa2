"""A history in a file of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from advisor.model.errors import AdvisorError
from advisor.model.history.database import FOLDER, storable
from advisor.model.history.schema import VERSION, Dialect, require_known, statements
from advisor.model.storage.own_folder import require_inside
from advisor.model.storage.write_ahead_log import use_write_ahead_log

_SECONDS_TO_WAIT = 30.0
_DIALECT = Dialect(key="INTEGER PRIMARY KEY AUTOINCREMENT", text="TEXT")


class SqliteFile:
    """A file that is made with the first transaction; several processes may write at once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._writable = False

    @property
    def name(self) -> str:
        """The file."""
        return str(self._file)

    def exists(self) -> bool:
        """Whether the file is there."""
        return self._file.is_file()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a query finds."""
        with self._told():
            if self._connection is None:
                if not self.exists():
                    return []
                self._connection, self._writable = _open(self._file, write=False), False
            if not _version(self._connection):
                return []  # between the first two steps of a writer there are no tables
            return self._connection.execute(query, storable(values)).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """All of it is kept, or nothing."""
        with self._told():
            self.prepare()
            assert self._connection is not None
            with _begun(self._connection):
                yield _Transaction(self._connection)

    def prepare(self) -> None:
        """Open the file for writing, with this version's tables."""
        if self._connection is not None and not self._writable:
            self.close()
        with self._told():
            if self._connection is None:
                self._connection, self._writable = _open(self._file, write=True), True

    def hold(self, run: int) -> None:
        """Nothing: a process of this machine is known by its number."""

    def release(self, run: int) -> None:
        """Nothing, as above."""

    def recording(self) -> None:
        """None: not known."""

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise AdvisorError(f"The history {self.name} cannot be used: {error}.") from error


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, query: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(query, storable(values))

    def execute_many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(query, map(storable, rows))

    def insert(self, query: str, values: Sequence[Any]) -> int:
        return int(self._connection.execute(query, storable(values)).lastrowid or 0)


def _open(file: Path, write: bool) -> sqlite3.Connection:
    """A connection to a history of this version; its tables are made where `write` is set and there are none.

    Raises UsageError for a file of a newer version, OSError and sqlite3.Error for one that cannot be used.
    """
    if write:
        require_inside(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        ignore = file.parent / ".gitignore"
        if file.parent.name == FOLDER and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    try:
        return _connection(str(file), file, write)
    except sqlite3.OperationalError:
        if write:
            raise
        # The log of an SQLite file needs a folder that can be written; without one the file is read as it is.
        return _as_it_is(file)


def _connection(name: str, file: Path, write: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=_SECONDS_TO_WAIT, isolation_level=None)
    try:
        found = require_known(_version(connection), str(file))
        if write or found not in (0, VERSION):
            use_write_ahead_log(connection, _SECONDS_TO_WAIT)
            # With a write-ahead log what is kept outlives the end of any process.
            connection.execute("PRAGMA synchronous=NORMAL")
            _make_tables(connection, file)
            if found not in (0, VERSION):
                # What the earlier tables took is given back, unless somebody else reads meanwhile.
                with suppress(sqlite3.OperationalError):
                    connection.execute("VACUUM")
    except BaseException:
        connection.close()
        raise
    return connection


def _as_it_is(file: Path) -> sqlite3.Connection:
    """A connection that only reads; tables of an earlier version become this one's in a copy in memory."""
    name = f"file:{quote(str(file))}?mode=ro&immutable=1"
    connection = sqlite3.connect(name, isolation_level=None, uri=True)
    try:
        if require_known(_version(connection), str(file)) in (0, VERSION):
            return connection
        copy = sqlite3.connect(":memory:", isolation_level=None)
        with closing(connection):
            connection.backup(copy)
        _make_tables(copy, file)
    except BaseException:
        connection.close()
        raise
    return copy


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(connection: sqlite3.Connection, file: Path) -> None:
    """Make what is missing in one transaction, so that two processes may begin at once."""
    with _begun(connection):
        found = require_known(_version(connection), str(file))
        if found != VERSION:
            for statement in statements(found, _DIALECT):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")


@contextmanager
def _begun(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

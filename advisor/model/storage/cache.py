"""A content-addressed store on disk for results that are costly to compute and cheap to check."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from advisor.model.storage.own_folder import require_inside
from advisor.model.storage.write_ahead_log import use_write_ahead_log

_NAME = "results.sqlite3"
_FORMAT = 1
_MOST_ENTRIES = 20_000
# A kernel's code has about 100 kB.
_MOST_CODES = 2_000
_BUSY_SECONDS = 5.0
_CHUNK = 500

_Result = TypeVar("_Result")


def user_cache_folder() -> Path | None:
    """The folder for this user's cached data by the platform's convention, None when there is no home."""
    try:
        if sys.platform == "win32":
            root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            root = Path.home() / "Library" / "Caches"
        else:
            root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return root / "kernel-advisor"


class Cache:
    """JSON values by key, in one SQLite file below `folder`; never pickles: the folder may be anybody's.

    Losing the store costs time only: a file that is damaged or of another format is thrown away without a
    word, and where nothing can be written the cache stays empty. Safe for threads and concurrent processes.
    """

    def __init__(self, folder: Path, most_entries: int = _MOST_ENTRIES) -> None:
        self._file = folder / _NAME
        self._most = most_entries
        self._lock = threading.Lock()

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values of those keys that are present."""
        wanted = list(dict.fromkeys(keys))
        if not wanted or not self._file.exists():
            return {}
        found = self._attempt(lambda connection: self._read(connection, wanted))
        return found or {}

    def put_many(self, values: Mapping[str, Any]) -> None:
        """Store JSON values, all or none; the entries longest unused make room when there are too many."""
        if values:
            rows = [(key, json.dumps(value, separators=(",", ":"))) for key, value in values.items()]
            self._attempt(lambda connection: self._write(connection, rows))

    def _attempt(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result | None:
        """The result of `work`; a damaged file is removed and the work tried once more with a new one."""
        with self._lock:
            for _ in range(2):
                try:
                    with contextlib.closing(self._connect()) as connection:
                        return work(connection)
                except sqlite3.OperationalError:
                    # Locked for too long, read-only, disk full: the file is sound, so leave it alone.
                    return None
                except (sqlite3.DatabaseError, ValueError):
                    self._remove()
                except OSError:
                    return None
        return None

    def _connect(self) -> sqlite3.Connection:
        require_inside(self._file)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        ignore = self._file.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        connection = sqlite3.connect(self._file, timeout=_BUSY_SECONDS)
        try:
            use_write_ahead_log(connection, _BUSY_SECONDS)
            connection.execute("PRAGMA synchronous=NORMAL")
            if connection.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
                self._create(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self, connection: sqlite3.Connection) -> None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA user_version").fetchone()[0] == _FORMAT:
                return
            connection.execute("DROP TABLE IF EXISTS result")
            connection.execute(
                "CREATE TABLE result"
                " (key TEXT PRIMARY KEY, value TEXT NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
            )
            connection.execute(f"PRAGMA user_version={_FORMAT}")

    def _read(self, connection: sqlite3.Connection, keys: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            rows = connection.execute(f"SELECT key, value FROM result WHERE key IN ({marks})", part)
            found.update((key, json.loads(value)) for key, value in rows)
        with contextlib.suppress(sqlite3.OperationalError), connection:
            now = _clock(connection)
            connection.executemany("UPDATE result SET used = ? WHERE key = ?", [(now, key) for key in found])
        return found

    def _write(self, connection: sqlite3.Connection, rows: list[tuple[str, str]]) -> None:
        with connection:
            now = _clock(connection)
            connection.executemany(
                "INSERT OR REPLACE INTO result VALUES (?, ?, ?)", [(key, value, now) for key, value in rows]
            )
            count = connection.execute("SELECT count(*) FROM result").fetchone()[0]
            if count > self._most:
                connection.execute(
                    "DELETE FROM result WHERE key IN (SELECT key FROM result ORDER BY used LIMIT ?)",
                    (count - self._most * 3 // 4,),
                )

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)


def _clock(connection: sqlite3.Connection) -> int:
    """A number that grows with each use of the store; unlike the time of day it never goes back."""
    return int(connection.execute("SELECT coalesce(max(used), 0) + 1 FROM result").fetchone()[0])


def workers_cache_folder(of_sender: Path | None) -> Path | None:
    """The folder in which a worker keeps results for those who send it work, None where they keep none."""
    folder = user_cache_folder() if of_sender is not None else None
    return folder / "results" if folder is not None else None


def user_code_folder() -> Path | None:
    """The folder of the user's own store for what is trusted when read back; None without a home."""
    folder = user_cache_folder()
    return folder / "code" if folder is not None else None


def code_store(folder: Path) -> Cache:
    """A store for code in a folder that is the user's own."""
    return Cache(folder, _MOST_CODES)


def user_cache() -> Cache | None:
    """The user's own store for what is trusted when read back, such as code; None without a home."""
    folder = user_code_folder()
    return code_store(folder) if folder is not None else None

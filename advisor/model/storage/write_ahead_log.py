"""SQLite's write-ahead log, switched on by several processes at once."""

from __future__ import annotations

import sqlite3
import time

_PAUSE_S = 0.01


def use_write_ahead_log(connection: sqlite3.Connection, seconds: float) -> None:
    """Switch a database to its write-ahead log, waiting up to `seconds` for others that do so.

    A connection's own time limit does not hold here: of processes that make a database together some are told
    at once that it is locked. Raises sqlite3.OperationalError when it is locked for longer.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(_PAUSE_S)
        else:
            return

"""Databases that several processes make at the same moment: none is told that it is locked."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from advisor.model.storage.write_ahead_log import use_write_ahead_log


def test_who_comes_second_waits(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    first = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    first.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.1, lambda: first.execute("COMMIT")).start()
    second = sqlite3.connect(file, timeout=0.0, isolation_level=None)
    use_write_ahead_log(second, 10.0)
    assert second.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    first.close()
    second.close()


def test_a_lock_that_stays_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    first = sqlite3.connect(file, isolation_level=None)
    first.execute("BEGIN EXCLUSIVE")
    second = sqlite3.connect(file, timeout=0.0, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_write_ahead_log(second, 0.05)
    first.close()
    second.close()


def test_what_is_no_database_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    file.write_text("no database" * 100)
    connection = sqlite3.connect(file)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        use_write_ahead_log(connection, 60.0)
    connection.close()

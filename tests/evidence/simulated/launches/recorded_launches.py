"""Reads the record of a project as the file that it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any


def recorded(project: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of the record of a project."""
    with sqlite3.connect(project / ".advisor" / "launches.sqlite") as connection:
        rows = connection.execute(query).fetchall()
    connection.close()
    return rows

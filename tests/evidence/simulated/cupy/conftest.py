"""Programs with CuPy, run as a user runs them; nothing of it is tested where CuPy is not installed."""

from __future__ import annotations

import importlib.util
import sqlite3
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from advisor_command import AdvisorCommand, Outcome


@pytest.fixture(scope="session")
def cupy_command(tmp_path_factory: pytest.TempPathFactory) -> AdvisorCommand:
    """The command, with caches that all of these tests share: CuPy compiles each kernel once."""
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("cupy is not installed (pip install 'kernel-advisor[cupy]')")
    home = tmp_path_factory.mktemp("cupy_home")
    return AdvisorCommand(home, caches=home / "cache")


@pytest.fixture
def run_program(cupy_command: AdvisorCommand, tmp_path: Path) -> Callable[..., Outcome]:
    """Runs a program's text as main.py in a project of its own."""

    def run(text: str, *arguments: str) -> Outcome:
        (tmp_path / "pyproject.toml").touch()
        (tmp_path / "main.py").write_text(dedent(text))
        return cupy_command("run", "main.py", *arguments, cwd=tmp_path)

    return run


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[str], list[tuple[Any, ...]]]:
    """Rows of the record of the program's project."""

    def read(query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(tmp_path / ".advisor" / "launches.sqlite")
        rows = connection.execute(query).fetchall()
        connection.close()
        return rows

    return read

"""Files that can be run: Python files, but no notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.settings.config import Config
from advisor.model.settings.file_discovery import find_files
from advisor.model.text.notebooks import is_notebook


def refuse_notebooks(paths: Iterable[str | Path], command: str) -> None:
    """Raise UsageError where a notebook is named for a command that runs code."""
    for path in paths:
        if is_notebook(str(path)):
            raise UsageError(
                f"{path}: `advisor {command}` runs code, and notebooks are only read. Name a Python file; "
                "`jupyter nbconvert --to script` makes one of a notebook."
            )


def python_files(paths: list[Path], settings: Config) -> list[Path]:
    """The Python files at and below paths, without notebooks. Raises UsageError where there are none."""
    found = find_files(paths, settings.exclude, settings.root)
    if not found.files and found.problems:
        raise UsageError("\n".join(f"{one.path}: {one.message}" for one in found.problems))
    return [file for file in found.files if not is_notebook(file.name)]

"""The edit that a search offers: as a unified diff, and written to the files."""

from __future__ import annotations

import ast
import difflib
import stat
from collections.abc import Mapping
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.errors import AdvisorError
from advisor.text import read_source


def unified_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What an edit changes; `after` has the changed files only."""
    lines: list[str] = []
    for path, text in sorted(after.items()):
        parts = (before[path].splitlines(keepends=True), text.splitlines(keepends=True))
        lines += difflib.unified_diff(*parts, f"a/{path}", f"b/{path}")
    return "".join(lines)


def write_edit(root: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Nothing; the files hold their new texts afterwards.

    Raises AdvisorError, and writes nothing, where one of them has changed meanwhile, is read-only, is not
    plain UTF-8, or would not be Python any more.
    """
    for path, text in after.items():
        reason = _obstacle(root / path, path, before[path], text)
        if reason is not None:
            raise AdvisorError(f"{path} is left as it is: {reason}.")
    for path, text in after.items():
        write_atomically(root / path, text)


def _obstacle(file: Path, path: str, before: str, after: str) -> str | None:
    if read_source(file, path).text != before:
        return "it has changed since it was read"
    if before.encode("utf-8") != file.read_bytes():
        return "it is not plain UTF-8"
    if not file.stat().st_mode & stat.S_IWUSR:
        return "it is read-only"
    try:
        ast.parse(after)
    except SyntaxError as error:
        return f"the edit would break it (line {error.lineno})"
    return None

"""New texts for source files: shown as differences, and written all together or not at all."""

from __future__ import annotations

import ast
import difflib
import stat
from collections.abc import Mapping
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.errors import SourceProblem
from advisor.text import decode_source


def unified_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What an edit changes; `after` has the changed files only."""
    lines: list[str] = []
    for path, text in sorted(after.items()):
        parts = (before[path].splitlines(keepends=True), text.splitlines(keepends=True))
        lines += difflib.unified_diff(*parts, f"a/{path}", f"b/{path}")
    return "".join(lines)


def write_sources(root: Path, before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """A sentence for each file that must not be written; nothing is written unless there is none.

    A file has to hold still what was read of it, as plain UTF-8 and writable, and to be Python afterwards.
    """
    refused = {}
    for path, text in after.items():
        reason = _obstacle(root / path, path, before[path]) or _syntax(text)
        if reason is not None:
            refused[path] = f"{path} is left as it is: {reason}."
    for path, text in after.items() if not refused else ():
        write_atomically(root / path, text)
    return refused


def _obstacle(file: Path, path: str, text: str) -> str | None:
    """Why a file must not be written, None where it may be."""
    try:
        data = file.read_bytes()
        if decode_source(data, path).text != text:
            return "it has changed since it was read"
        if text.encode("utf-8") != data:
            return "it is not plain UTF-8"
        if not file.stat().st_mode & stat.S_IWUSR:
            return "it is read-only"
    except (OSError, SourceProblem) as error:
        return str(error)
    return None


def _syntax(text: str) -> str | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"the edit would break it (line {error.lineno})"
    return None

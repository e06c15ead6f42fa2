"""New texts for source files: shown as differences, and written all together or not at all."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Mapping
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.model.errors import SourceProblem
from advisor.model.processes.interruption import uninterrupted
from advisor.model.storage.regular_files import content_of
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.writing import CannotBeWritten, changed_cells, with_joined_text
from advisor.model.text.source_text import decode_source
from advisor.model.text.syntax_trees import syntax_tree


def unified_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What an edit changes; `after` has the changed files only. Of a notebook each cell is a text."""
    lines: list[str] = []
    for path, text in sorted(after.items()):
        for name, old, new in _texts(path, before[path], text):
            parts = (old.splitlines(keepends=True), new.splitlines(keepends=True))
            lines += difflib.unified_diff(*parts, f"a/{name}", f"b/{name}")
    return "".join(lines)


def _texts(path: str, before: str, after: str) -> list[tuple[str, str, str]]:
    if not is_notebook(path):
        return [(path, before, after)]
    return [
        (f"{path}:cell {number}", f"{old}\n", f"{new}\n") for number, old, new in changed_cells(before, after)
    ]


def write_sources(root: Path, before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """A sentence for each file that must not be written; nothing is written unless there is none.

    A file has to hold still what was read of it, as plain UTF-8 and writable, and to be Python afterwards.
    """
    refused, contents = {}, {}
    for path, text in after.items():
        try:
            reason = _obstacle(root, root / path, path, before[path]) or _syntax(text)
            contents[path] = text if reason else _content(root / path, path, text)
        except CannotBeWritten as error:
            reason = str(error)
        if reason is not None:
            refused[path] = f"{path} is left as it is: {reason}."
    # A fix may change several files, and is no fix with a part of them.
    with uninterrupted():
        for path, text in contents.items() if not refused else ():
            write_atomically(root / path, text)
    return refused


def _content(file: Path, path: str, text: str) -> str:
    """What to write for a text: itself, or the notebook whose cells it is."""
    return with_joined_text(file.read_bytes(), path, text) if is_notebook(path) else text


def _obstacle(root: Path, file: Path, path: str, text: str) -> str | None:
    """Why a file must not be written, None where it may be."""
    try:
        if file.is_relative_to(root) and not file.resolve().is_relative_to(root.resolve()):
            return "a link in its path leads out of the project"
        data = content_of(file)
        if decode_source(data, path).text != text:
            return "it has changed since it was read"
        if not is_notebook(path) and text.encode("utf-8") != data:
            return "it is not plain UTF-8"
        if not file.stat().st_mode & stat.S_IWUSR:
            return "it is read-only"
    except (OSError, SourceProblem) as error:
        return str(error)
    return None


def _syntax(text: str) -> str | None:
    try:
        syntax_tree(text)
    except SyntaxError as error:
        return f"the edit would break it (line {error.lineno})"
    return None

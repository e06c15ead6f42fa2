"""Where in the user's files a text of CUDA C++ stands."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.kernels.cuda_texts import KERNEL_WORD

_SUFFIXES = (".cu", ".cuh", ".cpp", ".h", ".hpp", ".txt")
_MOST_FILES = 200


@dataclass(frozen=True)
class TextPlace:
    """A whole path, and the line of the file at which the text stands, line by line.

    So many lines of the text come `before`: they stand nowhere, such as definitions made for each run.
    """

    file: str
    line: int
    before: int = 0

    def line_of(self, line: int) -> int | None:
        """The line of the file for a line of the text, both from 1."""
        return self.line + line - 1 - self.before if line > self.before else None


def text_place(code: str, caller: str | None) -> TextPlace | None:
    """The place of a text in the file that uses it, another module of the program, or a file beside it.

    None for a text that is put together while the program runs.
    """
    for file in _python_files(code, caller):
        place = _in_python(code, file)
        if place is not None:
            return place
    if caller is None:
        return None
    folder = Path(caller).parent
    for number, path in enumerate(sorted([*folder.glob("*.*"), *folder.glob("*/*.*")])):
        if number == _MOST_FILES:
            return None
        before = _before(code, _read(str(path))) if path.suffix in _SUFFIXES else None
        if before is not None:
            return TextPlace(str(path.resolve()), 1, before)
    return None


def _before(code: str, part: str | None) -> int | None:
    """How many lines of a text come before a part of it that has kernels; None where it is no such part."""
    if part == code:
        return 0
    if part is None or KERNEL_WORD not in part:
        return None
    at = code.find(part)
    # The part's lines are the text's only where it begins with one.
    return code.count("\n", 0, at) if at == 0 or (at > 0 and code[at - 1] == "\n") else None


def _python_files(code: str, caller: str | None) -> Iterator[str]:
    """The caller's file, then the files of other modules, outside of libraries, that have a line of it."""
    if caller is not None:
        yield caller
    lines = [line for line in code.splitlines() if line.strip()]
    longest = max(lines, key=len, default="")
    if not longest:
        return
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and file != caller and _has(file, longest):
            yield file


def _has(file: str, part: str) -> bool:
    """Whether a file of the program, and of no library, has a part of a line."""
    library = "site-packages" in file or file.startswith((sys.base_prefix, sys.prefix))
    return not library and part in (_read(file) or "")


@lru_cache(maxsize=64)
def _read(file: str) -> str | None:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def _in_python(code: str, file: str) -> TextPlace | None:
    """Where a literal with this value stands whose lines are lines of the file."""
    text = _read(file)
    if text is None:
        return None
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            place = _in_literal(code, node, text.splitlines())
            if place is not None:
                return TextPlace(str(Path(file).resolve()), *place)
    return None


def _in_literal(code: str, literal: ast.Constant, lines: Sequence[str]) -> tuple[int, int] | None:
    """The line and the lines before of a text that is a part of a literal, or that a literal is a part of."""
    value = str(literal.value)
    if code in value:
        first, wanted, before = literal.lineno + value.count("\n", 0, value.index(code)), code, 0
    else:
        # A literal that begins with the end of its own line is found without it.
        part = value.removeprefix("\n")
        found = _before(code, part)
        if found is None:
            return None
        first, wanted, before = literal.lineno + len(value) - len(part), part, found
    expected = wanted.splitlines()
    here = lines[first - 1 : first - 1 + len(expected)]
    return (first, before) if len(here) == len(expected) and all(map(_holds, here, expected)) else None


def _holds(line: str, part: str) -> bool:
    return part in line

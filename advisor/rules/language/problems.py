"""Errors in rule files: place, caret, one sentence, and a suggestion; all of them at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import grammar_folder
from advisor.model.errors import AdvisorError
from advisor.model.text.source_text import Span

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_MOST_SHOWN = 300
_LONGEST_NAME = 100
_MOST_ERRORS = 200
_LONGEST_FILE = 250_000


@dataclass(frozen=True, slots=True)
class RuleError:
    """One error: a stable code, its place, the sentence, what to do, and the line as written."""

    code: str
    path: str
    span: Span
    sentence: str
    help: str = ""
    source_line: str = ""

    def __str__(self) -> str:
        number = str(self.span.line)
        margin = " " * len(number)
        width = max(self.span.end_column - self.span.column, 1) if self.span.end_line == self.span.line else 1
        width = max(min(width, len(self.source_line) - self.span.column + 1), 1)
        before = max(self.span.column - 1, 0)
        # Of a very long line the part around the place is shown.
        start = max(before - _MOST_SHOWN // 2, 0) if len(self.source_line) > _MOST_SHOWN else 0
        shown, width = self.source_line[start : start + _MOST_SHOWN], min(width, _MOST_SHOWN // 2)
        lines = [
            f"error[{self.code}]: {self.sentence}",
            f"{margin}--> {self.path}:{self.span.line}:{self.span.column}",
            f"{number} | {shown}",
            f"{margin} | {' ' * (before - start)}{'^' * width}",
        ]
        if self.help:
            lines.append(f"{margin} = help: {self.help}")
        return "\n".join(lines)


class RuleErrors(AdvisorError):
    """Every error of every rule file that was read."""

    def __init__(self, errors: Sequence[RuleError]) -> None:
        self.errors = sorted(errors, key=lambda error: (error.path, error.span.line, error.span.column))
        count = f"{len(self.errors)} error{'' if len(self.errors) == 1 else 's'} in rule files"
        super().__init__("\n\n".join([*map(str, self.errors), count]))


@cache
def _sentences() -> dict[str, dict[str, str]]:
    text = (grammar_folder() / "errors.toml").read_text("utf-8")
    loaded: dict[str, dict[str, str]] = tomllib.loads(text)
    return loaded


def _cut(value: object) -> object:
    """A long name without its end."""
    long = isinstance(value, str) and len(value) > _LONGEST_NAME
    return f"{str(value)[:_LONGEST_NAME]}…" if long else value


class Complaints:
    """Collects the errors of one file; the sentences come from grammar/errors.toml."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path, self.lines = path, lines
        self.errors: list[RuleError] = []

    def copy(self) -> Complaints:
        """The same errors, to which further ones may be added apart."""
        other = Complaints(self.path, self.lines)
        other.errors = list(self.errors)
        return other

    @property
    def full(self) -> bool:
        """Whether there are so many errors that no more are noted."""
        return len(self.errors) >= _MOST_ERRORS

    def add(self, code: str, span: Span, **fields: object) -> None:
        """Note an error with the sentence and help of `code`, filled in with `fields`."""
        if self.full:
            return
        entry = _sentences()[code]
        fields = {name: value if name == "hint" else _cut(value) for name, value in fields.items()}
        line = self.lines[span.line - 1] if 0 < span.line <= len(self.lines) else ""
        help_text = entry.get("help", "").format(**fields) if "help" in entry else ""
        self.errors.append(
            RuleError(code, self.path, span, entry["say"].format(**fields), help_text.strip(), line)
        )


def with_newlines(text: str) -> str:
    """The text with newlines for line ends; a carriage return alone is one where nothing else ends lines."""
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def too_long(path: str, text: str) -> Complaints | None:
    """The complaint about a file that is too long to be read, None where it is not."""
    if len(text) <= _LONGEST_FILE:
        return None
    complaints = Complaints(path, [""])
    complaints.add("E114", Span(1), size=len(text), limit=_LONGEST_FILE)
    return complaints

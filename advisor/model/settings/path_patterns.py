"""Glob patterns on POSIX paths, for `exclude`, `per-file-ignores` and overrides by path."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path


def path_matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test of a relative POSIX path: whether any of `patterns` matches it or a folder above it.

    A pattern without a slash matches a file or folder of that name at any depth; one with a slash is
    anchored at the root. `*` and `?` stay within one name, `**` spans any number of folders.
    """
    if not patterns:
        return lambda _: False
    expression = re.compile("|".join(_as_expression(pattern) for pattern in patterns))
    return lambda path: expression.fullmatch(path) is not None


@lru_cache(maxsize=1024)
def matches_path(pattern: str, path: str) -> bool:
    """Whether a single pattern matches a path, as `path_matcher` says it."""
    return path_matcher((pattern,))(path)


def path_below(root: Path, file: Path) -> str | None:
    """The path of a file from a root, which patterns are matched with; None where it lies elsewhere.

    Neither need be written without `..`, and the root may be given by a link.
    """
    absolute = Path(os.path.abspath(file))  # noqa: PTH100 - a link in the path stays as it is written
    for folder in (root, root.resolve()):
        if absolute.is_relative_to(folder):
            return absolute.relative_to(folder).as_posix()
    return None


def _as_expression(pattern: str) -> str:
    stripped = pattern.removeprefix("./").strip("/")
    anchored = "/" in stripped or pattern.startswith(("/", "./"))
    return ("" if anchored else "(?:.*/)?") + _translate(stripped) + "(?:/.*)?"


def _translate(pattern: str) -> str:
    parts: list[str] = []
    rest = pattern
    while rest:
        if rest.startswith("**/"):
            parts.append("(?:.*/)?")
            rest = rest[3:]
        elif rest.startswith("**"):
            parts.append(".*")
            rest = rest[2:]
        elif rest[0] in "*?":
            parts.append("[^/]*" if rest[0] == "*" else "[^/]")
            rest = rest[1:]
        else:
            text, rest = _character_set(rest)
            parts.append(text)
    return "".join(parts)


def _character_set(rest: str) -> tuple[str, str]:
    found = re.match(r"\[(!?)([^\]\[/\\]+)\]", rest)
    if not found:
        return re.escape(rest[0]), rest[1:]
    # Hyphens make ranges, as in the shell; a range that runs backwards is taken literally.
    text = f"[{'^' if found[1] else ''}{found[2].replace('^', chr(92) + '^')}]"
    try:
        re.compile(text)
    except re.error:
        return re.escape(rest[0]), rest[1:]
    return text, rest[found.end() :]

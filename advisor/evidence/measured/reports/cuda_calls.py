"""Kinds of calls and copies by the names of reports; the table is knowledge/imports/calls.toml."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any, Literal, TypeAlias

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CallKind: TypeAlias = Literal["launch", "synchronise", "allocate", "copy"]
Direction: TypeAlias = Literal["htod", "dtoh", "dtod"]
CALL_KINDS: tuple[CallKind, ...] = ("launch", "synchronise", "allocate", "copy")
DIRECTIONS: tuple[Direction, ...] = ("htod", "dtoh", "dtod")


@cache
def _table() -> dict[str, Any]:
    path = knowledge_folder() / "imports" / "calls.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return table


@cache
def call_kind(name: str) -> CallKind | None:
    """What a call to the runtime or the driver does, None for any other call."""
    for kind in CALL_KINDS:
        if any(re.match(pattern, name) for pattern in _table()[kind]):
            return kind
    return None


@cache
def communicates(kernel: str) -> bool:
    """Whether a kernel of this name exchanges data with other GPUs."""
    return any(re.match(pattern, kernel) for pattern in _table()["communicate"])


@cache
def is_of_library(kernel: str) -> bool:
    """Whether a kernel of this name belongs to a library, not to the program that calls it."""
    table = _table()
    patterns = (one for names in table["libraries"].values() for one in names)
    return any(re.match(pattern, kernel) for pattern in (*table["communicate"], *patterns))


@cache
def place_named(text: str) -> str:
    """The name of a range without what numbers it."""
    for pattern in _table()["numbering"]:
        text = re.sub(pattern, "", text)
    return text


@cache
def direction(text: str) -> Direction | None:
    """The direction that a report calls by this word or number, None for copies within the host."""
    for one in DIRECTIONS:
        if text in _table()["directions"][one]:
            return one
    return None


@cache
def direction_in(text: str) -> Direction | None:
    """The direction in a longer text such as `[CUDA memcpy HtoD]`, None where it names none."""
    for word in re.findall(r"[A-Za-z]+(?:-to-[A-Za-z]+)?", text):
        if not word.isdigit() and (found := direction(word)):
            return found
    return None


@cache
def is_pageable(text: str) -> bool:
    """Whether a word or number of a report means memory that is not page-locked."""
    return bool(text in _table()["memory"]["pageable"])

"""A notebook's JSON text: the cells with the places of their sources, so that these alone can be replaced.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from advisor.model.errors import SourceProblem

FORMAT = 4
_LANGUAGES = frozenset({"python", "ipython", "python3", "ipython3"})
_SPACE = re.compile(r"[ \t\r\n]*")
_Value = tuple[Any, int]
_Reader = Callable[[int], _Value]


class Item(NamedTuple):
    """A string in the JSON text, with the offsets of its quotes (the end is exclusive)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class StoredCell:
    """A cell as the file holds it. `number` counts all cells of the file from 1.

    `items` are the strings of its source, `start` and `end` the offsets of the source's value; `line` is the
    file's line of the first of them, and `spread` says whether each line of the source has a line of the file
    to itself, one after the other.
    """

    number: int
    is_python: bool
    source: str
    items: tuple[Item, ...]
    start: int
    end: int
    line: int
    spread: bool


class OtherLanguage(SourceProblem):
    """A notebook whose code is not Python."""


def decode_notebook(data: bytes, path: str) -> str:
    """The JSON text of a notebook's bytes; raises SourceProblem where they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceProblem(path, line, f"is not a notebook: {error}") from None


def read_cells(text: str, path: str) -> tuple[StoredCell, ...]:
    """The cells of a notebook's JSON text; raises SourceProblem for what is no notebook of Python code."""
    try:
        content = _Walk(text).notebook()
    except json.JSONDecodeError as error:
        raise SourceProblem(path, error.lineno, f"is not a notebook: not valid JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise SourceProblem(path, 1, f"is not a notebook: {type(error).__name__} in its JSON") from None
    fault = _fault(content)
    if fault:
        raise SourceProblem(path, 1, fault)
    language = _language(content.get("metadata"))
    if language not in _LANGUAGES:
        raise OtherLanguage(path, 1, f"is a notebook for {language}, not for Python")
    return tuple(_cells(content["cells"], text, path))


def _fault(content: object) -> str:
    """Why this is no notebook that can be read, empty where it is one."""
    if not isinstance(content, dict):
        return "is not a notebook: its JSON is no object"
    version = content.get("nbformat")
    if "worksheets" in content or (isinstance(version, int) and version < FORMAT):
        advice = "`jupyter nbconvert --to notebook --inplace` brings it to format 4"
        return f"is a notebook of format {version}, and only format 4 is read; {advice}"
    if not isinstance(version, int):
        return "is not a notebook: it has no `nbformat`"
    if version > FORMAT:
        return f"is a notebook of format {version}, and only format 4 is read"
    return "" if isinstance(content.get("cells"), list) else "is not a notebook: it has no `cells`"


def _language(metadata: object) -> str:
    """The language of the notebook's kernel, Python where the file says nothing."""
    told = metadata if isinstance(metadata, dict) else {}
    info, kernel = (_object(told.get(name)) for name in ("language_info", "kernelspec"))
    language = info.get("name") or kernel.get("language") or "python"
    return str(language).lower()


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _cells(found: list[Any], text: str, path: str) -> list[StoredCell]:
    cells: list[StoredCell] = []
    line, seen = 1, 0
    for number, (cell, start) in enumerate(found, 1):
        source = cell.get("source") if isinstance(cell, dict) else None
        if not isinstance(source, _Source) or not isinstance(cell.get("cell_type"), str):
            line += text.count("\n", seen, start)
            raise SourceProblem(path, line, f"is not a notebook: cell {number} has no type or no source")
        place = source.items[0].start if source.items else source.start
        line, seen = line + text.count("\n", seen, place), place
        cells.append(_cell(number, cell, source, line, text))
    return cells


def _cell(number: int, cell: dict[str, Any], source: _Source, line: int, text: str) -> StoredCell:
    language = _object(_object(cell.get("metadata")).get("vscode")).get("languageId", "python")
    items = source.items
    spread = all(one.text.count("\n") == 1 and one.text.endswith("\n") for one in items[:-1]) and all(
        text.count("\n", one.start, other.start) == 1 for one, other in pairwise(items)
    )
    return StoredCell(
        number,
        cell["cell_type"] == "code" and language in _LANGUAGES,
        "".join(item.text for item in items),
        items,
        source.start,
        source.end,
        line,
        spread and not (items and "\n" in items[-1].text[:-1]),
    )


@dataclass(frozen=True)
class _Source:
    items: tuple[Item, ...]
    start: int
    end: int


class _Walk:
    """Steps through the JSON text where places are wanted and lets the decoder take all the rest."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()

    def notebook(self) -> Any:
        """The content: each cell with the offset where it begins, each source with its items' places."""
        start = self._space(0)
        content, end = self._object(start, {"cells": lambda at: self._array(at, self._cell)})
        end = self._space(end)
        if end != len(self._text):
            raise json.JSONDecodeError("more follows behind the object", self._text, end)
        return content

    def _cell(self, at: int) -> _Value:
        skipped = {"outputs": self._skipped, "attachments": self._skipped, "source": self._source}
        cell, end = self._object(at, skipped)
        return (cell, at), end

    def _skipped(self, at: int) -> _Value:
        return None, self._any(at)[1]

    def _source(self, at: int) -> _Value:
        if self._text[at : at + 1] == "[":
            items, end = self._array(at, self._item)
        else:
            item, end = self._item(at)
            items = [item]
        if not isinstance(items, list) or not all(isinstance(item.text, str) for item in items):
            return None, end
        return _Source(tuple(items), at, end), end

    def _item(self, at: int) -> _Value:
        value, end = self._any(at)
        return Item(value, at, end), end

    def _any(self, at: int) -> _Value:
        return self._decoder.raw_decode(self._text, at)

    def _object(self, at: int, readers: Mapping[str, _Reader]) -> _Value:
        """An object, the values of some keys read by their own readers; any other value as it is."""
        if self._text[at : at + 1] != "{":
            return self._any(at)
        found: dict[str, Any] = {}
        at = self._space(at + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise json.JSONDecodeError("a key is expected", self._text, at)
            key, at = self._any(at)
            at = self._space(self._past(":", self._space(at)))
            found[key], at = readers.get(key, self._any)(at)
            at = self._next(at, "}")
        return found, at + 1

    def _array(self, at: int, reader: _Reader) -> _Value:
        """An array, its values read by a reader; any other value as it is."""
        if self._text[at : at + 1] != "[":
            return self._any(at)
        found = []
        at = self._space(at + 1)
        while self._text[at : at + 1] != "]":
            value, at = reader(at)
            found.append(value)
            at = self._next(at, "]")
        return found, at + 1

    def _next(self, at: int, end: str) -> int:
        """Where the next member begins, or the closing bracket stands."""
        at = self._space(at)
        if self._text[at : at + 1] == end:
            return at
        at = self._space(self._past(",", at))
        if self._text[at : at + 1] == end:
            raise json.JSONDecodeError("a value is expected", self._text, at)
        return at

    def _past(self, sign: str, at: int) -> int:
        if self._text[at : at + 1] != sign:
            raise json.JSONDecodeError(f"`{sign}` is expected", self._text, at)
        return at + 1

    def _space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

"""Reading configuration tables: each key's type and range, and what to say when a value is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from advisor.findings import SEVERITIES
from advisor.records import SOURCES
from advisor.selectors import suggestion


@dataclass
class Settings:
    """What configuration tables set so far; later tables override single keys of earlier ones."""

    values: dict[str, object] = field(default_factory=dict)
    packs: tuple[str, ...] = ()
    levels: dict[str, str] = field(default_factory=dict)
    params: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass
class Reader:
    """One configuration table: `place` begins its messages, `lines` are the file's for line numbers, and
    `table` is the path of the table in the file. Problems are collected as sentences, none is raised.
    """

    place: str
    content: Mapping[str, object]
    lines: Sequence[str]
    table: tuple[str, ...]
    problems: list[str] = field(default_factory=list)

    def read_into(self, settings: Settings) -> None:
        """Adds the table's keys to `settings`, and a sentence to `problems` for each that is wrong."""
        for key, value in self.content.items():
            reader = _KEYS.get(key)
            if reader is None:
                self.complain((key,), f"unknown key `{key}`.{suggestion(key, _KEYS)}")
            else:
                reader(self, settings, key, value)

    def complain(self, path: tuple[str, ...], message: str) -> None:
        """Adds a problem at the key `path` (below the table)."""
        line = line_of_key(self.lines, (*self.table, *path))
        self.problems.append(f"{self.place}{f':{line}' if line else ''}: {message}")

    def text(self, path: tuple[str, ...], value: object) -> str | None:
        """`value` when it is a text; else None and a problem."""
        if isinstance(value, str):
            return value
        self.complain(path, f"`{'.'.join(path)}` must be a text in quotes, not {_kind(value)}.")
        return None

    def texts(self, path: tuple[str, ...], value: object) -> tuple[str, ...] | None:
        """`value` when it is a list of texts; else None and a problem."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.complain(path, f"`{'.'.join(path)}` must be a list of texts, not {_kind(value)}.")
        return None

    def mapping(self, path: tuple[str, ...], value: object) -> Mapping[str, object]:
        """`value` when it is a table; else an empty one and a problem."""
        if isinstance(value, dict):
            return value
        self.complain(path, f"`{'.'.join(path)}` must be a table, not {_kind(value)}.")
        return {}

    def choice(self, path: tuple[str, ...], value: object, choices: Sequence[str]) -> str | None:
        """`value` when it is one of `choices`; else None and a problem."""
        text = self.text(path, value)
        if text is None or text in choices:
            return text
        allowed = ", ".join(choices)
        self.complain(
            path, f"`{'.'.join(path)}` must be one of {allowed}, not `{text}`.{suggestion(text, choices)}"
        )
        return None


def line_of_key(lines: Sequence[str], path: tuple[str, ...]) -> int | None:
    """The 1-based line that sets the key `path` of a TOML text, as far as a look at single lines tells."""
    table: tuple[str, ...] = ()
    longest = 0
    deepest: int | None = None
    for number, line in enumerate(lines, 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            table = _split_key(header[1])
            if table == path:
                return number
            if longest < len(table) and table == path[: len(table)]:
                longest, deepest = len(table), number
            continue
        if assignment := re.match(r"\s*((?:[\w.-]|\"[^\"]*\"|'[^']*')+)\s*=", line):
            key = (*table, *_split_key(assignment[1]))
            if key == path:
                return number
            if longest < len(key) and key == path[: len(key)]:
                longest, deepest = len(key), number
    return deepest


def _split_key(text: str) -> tuple[str, ...]:
    parts = re.findall(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)", text)
    return tuple(double or single or bare for double, single, bare in parts)


def _kind(value: object) -> str:
    names = {bool: "a truth value", int: "a number", float: "a number", str: "a text", dict: "a table"}
    if isinstance(value, list):
        others = [item for item in value if not isinstance(item, str)]
        return f"a list with {_kind(others[0])} in it" if others else "a list"
    return names.get(type(value), "a date or time")


def _read_text(reader: Reader, settings: Settings, key: str, value: object) -> None:
    text = reader.text((key,), value)
    if text is not None:
        settings.values[key.replace("-", "_")] = text


def _read_texts(reader: Reader, settings: Settings, key: str, value: object) -> None:
    texts = reader.texts((key,), value)
    if texts is not None:
        settings.values[key.replace("-", "_")] = texts


def _read_choice(*choices: str) -> Callable[[Reader, Settings, str, object], None]:
    def read(reader: Reader, settings: Settings, key: str, value: object) -> None:
        text = reader.choice((key,), value, choices)
        if text is not None:
            settings.values[key.replace("-", "_")] = text

    return read


def _read_seconds(reader: Reader, settings: Settings, key: str, value: object) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
        settings.values[key.replace("-", "_")] = float(value)
    else:
        reader.complain((key,), f"`{key}` must be a number of seconds above 0.")


def _read_packs(reader: Reader, settings: Settings, key: str, value: object) -> None:
    settings.packs = reader.texts((key,), value) or ()


def _read_ignores(reader: Reader, settings: Settings, key: str, value: object) -> None:
    known = cast("dict[str, tuple[str, ...]]", settings.values.setdefault("per_file_ignores", {}))
    for pattern, selectors in reader.mapping((key,), value).items():
        texts = reader.texts((key, pattern), selectors)
        if texts is not None:
            known[pattern] = texts


def _read_rules(reader: Reader, settings: Settings, key: str, value: object) -> None:
    for rule, changes in reader.mapping((key,), value).items():
        for name, change in reader.mapping((key, rule), changes).items():
            if name == "level":
                level = reader.choice((key, rule, name), change, (*SEVERITIES, "off"))
                if level is not None:
                    settings.levels[rule] = level
            elif name == "params":
                _read_params(reader, settings, rule, change)
            else:
                hint = suggestion(name, ("level", "params"))
                reader.complain((key, rule, name), f"unknown key `{name}` of rule `{rule}`.{hint}")


def _read_params(reader: Reader, settings: Settings, rule: str, value: object) -> None:
    params = settings.params.setdefault(rule, {})
    path = ("rules", rule, "params")
    for name, quantity in reader.mapping(path, value).items():
        if isinstance(quantity, (int, float)) and not isinstance(quantity, bool):
            params[name] = str(quantity)
        elif (text := reader.text((*path, name), quantity)) is not None:
            params[name] = text


_KEYS: dict[str, Callable[[Reader, Settings, str, object], None]] = {
    "device": _read_text,
    "evidence": _read_choice(*SOURCES),
    "select": _read_texts,
    "extend-select": _read_texts,
    "ignore": _read_texts,
    "fail-level": _read_choice(*SEVERITIES),
    "exclude": _read_texts,
    "per-file-ignores": _read_ignores,
    "cache-dir": _read_text,
    "packs": _read_packs,
    "workload-seconds": _read_seconds,
    "rules": _read_rules,
}

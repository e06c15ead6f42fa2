"""Reading configuration tables: each key's type and range, and what to say when a value is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import cast

from advisor.model.findings import SEVERITIES
from advisor.model.records import SOURCES
from advisor.model.settings.selectors import suggestion


@dataclass
class Settings:
    """What configuration tables set so far; later tables override single keys of earlier ones.

    `places` says where the items of lists stand that name something, by key and item (`packs/house`).
    """

    values: dict[str, object] = field(default_factory=dict)
    packs: tuple[str, ...] = ()
    levels: dict[str, str] = field(default_factory=dict)
    params: dict[str, dict[str, str]] = field(default_factory=dict)
    overrides: list[dict[str, object]] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)


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
        """Add the table's keys to `settings`, and a sentence to `problems` for each that is wrong."""
        for key, value in self.content.items():
            reader = _KEYS.get(key)
            if reader is None:
                self.complain((key,), f"unknown key `{key}`.{suggestion(key, _KEYS)}")
            else:
                reader(self, settings, key, value)

    def complain(self, path: tuple[str, ...], message: str) -> None:
        """Add a problem at the key `path` (below the table)."""
        line = line_of_key(self.lines, (*self.table, *path))
        self.problems.append(f"{self.place}{f':{line}' if line else ''}: {message}")

    def place_of_item(self, key: str, item: str) -> str:
        """Where an item of a list stands: the file with the line, or the option."""
        first = line_of_key(self.lines, (*self.table, key)) or 0
        quoted = (f'"{item}"', f"'{item}'")
        lines = range(max(first - 1, 0), len(self.lines))
        line = next((one + 1 for one in lines if any(each in self.lines[one] for each in quoted)), first)
        return f"{self.place}:{line}" if line else self.place

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
        settings.places |= {f"{key}/{text}": reader.place_of_item(key, text) for text in texts}


def _read_choice(*choices: str) -> Callable[[Reader, Settings, str, object], None]:
    def read(reader: Reader, settings: Settings, key: str, value: object) -> None:
        text = reader.choice((key,), value, choices)
        if text is not None:
            settings.values[key.replace("-", "_")] = text

    return read


def _leave(reader: Reader, settings: Settings, key: str, value: object) -> None:
    """Accept a key that is another command's."""
    del reader, settings, key, value


def _read_seconds(reader: Reader, settings: Settings, key: str, value: object) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
        settings.values[key.replace("-", "_")] = float(value)
    else:
        reader.complain((key,), f"`{key}` must be a number of seconds above 0.")


def _read_count(reader: Reader, settings: Settings, key: str, value: object) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        settings.values[key.replace("-", "_")] = value
    else:
        reader.complain((key,), f"`{key}` must be a whole number above 0.")


def _read_switch(reader: Reader, settings: Settings, key: str, value: object) -> None:
    if isinstance(value, bool):
        settings.values[key.replace("-", "_")] = value
    else:
        reader.complain((key,), f"`{key}` must be true or false.")


def _read_packs(reader: Reader, settings: Settings, key: str, value: object) -> None:
    settings.packs = reader.texts((key,), value) or ()
    settings.places |= {f"{key}/{pack}": reader.place_of_item(key, pack) for pack in settings.packs}


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


def _read_overrides(reader: Reader, settings: Settings, key: str, value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        reader.complain(
            (key,), f"`{key}` must be tables, each headed `[[{'.'.join((*reader.table, key))}]]`."
        )
        return
    places = [
        number
        for number, line in enumerate(reader.lines, 1)
        if re.match(rf"\s*\[\[\s*{re.escape('.'.join((*reader.table, key)))}\s*\]\]", line)
    ]
    for number, given in enumerate(value):
        line = places[number] if number < len(places) else 1
        found = _override(reader, given, line)
        if found is not None:
            settings.overrides.append(found)


def _read_device(reader: Reader, settings: Settings, key: str, value: object) -> None:
    _read_text(reader, settings, key, value)
    settings.values["device_named"] = True


def _read_policy(reader: Reader, settings: Settings, key: str, value: object) -> None:
    known = cast("dict[str, str | float]", settings.values.setdefault("policy", {}))
    for name, given in reader.mapping((key,), value).items():
        if name in _LIMITS_OF_GAIN:
            if isinstance(given, int | float) and not isinstance(given, bool) and given >= 1:
                known[name] = float(given)
            else:
                reader.complain((key, name), f"`{key}.{name}` must be a number from 1, not `{given}`.")
            continue
        level = reader.choice((key, name), given, ("off", SEVERITIES[0], "same"))
        if level is not None:
            known[name] = level


# How many times as fast, in [tool.advisor.policy].
_LIMITS_OF_GAIN = ("negligible-gain", "considerable-gain")


_OVERRIDE_TEXTS = ("rule", "device", "path", "kernel", "level", "reason", "until")


def _override(reader: Reader, given: Mapping[str, object], line: int) -> dict[str, object] | None:
    """The fields of one override, None where something is wrong with it, which is told."""
    problems = []
    for name, value in given.items():
        if name not in (*_OVERRIDE_TEXTS, "params"):
            problems.append(f"unknown key `{name}`.{suggestion(name, (*_OVERRIDE_TEXTS, 'params'))}")
        elif name != "params" and not isinstance(value, str | date):
            problems.append(f"`{name}` must be a text in quotes, not {_kind(value)}.")
    for name in ("rule", "reason"):
        if not given.get(name):
            problems.append(f"`{name}` is missing.")
    level, params = given.get("level"), given.get("params", {})
    if level is not None and level not in (*SEVERITIES, "off"):
        problems.append(f"`level` must be one of {', '.join((*SEVERITIES, 'off'))}, not `{level}`.")
    if not isinstance(params, dict):
        problems.append("`params` must be a table.")
    elif level is None and not params:
        problems.append("neither `level` nor `params` is given, so nothing is changed.")
    until = str(given.get("until", ""))
    if until and not _is_date(until):
        problems.append(f"`until` must be a date as 2027-06-30, not `{until}`.")
    reader.problems += [f"{reader.place}:{line}: overrides: {problem}" for problem in problems]
    if problems or not isinstance(params, dict):
        return None
    texts = {name: str(given[name]) for name in _OVERRIDE_TEXTS if name in given}
    return {**texts, "params": {name: str(value) for name, value in params.items()}, "line": line}


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


_KEYS: dict[str, Callable[[Reader, Settings, str, object], None]] = {
    "device": _read_device,
    "evidence": _read_choice(*SOURCES),
    "select": _read_texts,
    "extend-select": _read_texts,
    "ignore": _read_texts,
    "fail-level": _read_choice(*SEVERITIES),
    "exclude": _read_texts,
    "per-file-ignores": _read_ignores,
    "cache-dir": _read_text,
    "history": _read_text,
    "packs": _read_packs,
    "workload-seconds": _read_seconds,
    "synthesis": _read_switch,
    "synthesis-seconds": _read_seconds,
    "report-causes": _read_count,
    "metric-providers": _read_texts,
    "rules": _read_rules,
    "overrides": _read_overrides,
    "policy": _read_policy,
    # Read by `advisor budget`, which knows what a budget may say.
    "budgets": _leave,
}

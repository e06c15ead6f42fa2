"""A report's metrics mapped to the vocabulary's, by the tables in knowledge/imports."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from advisor.data_files import knowledge_folder
from advisor.measured.reports.formulas import evaluate, names_in
from advisor.measured.reports.printed_units import in_base_unit
from advisor.measured.reports.report import Quantity
from advisor.records import Value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Entity: TypeAlias = Literal["run", "kernel", "line"]
ENTITIES: tuple[Entity, ...] = ("run", "kernel", "line")
# The kinds of a report's units that may become a metric of that unit.
_KINDS = {
    "ratio": ("ratio", "count"), "count": ("count",), "ms": ("time",), "byte": ("byte", "count"),
    "sectors/request": ("count",), "flop/byte": ("count", "ratio"),
}  # fmt: skip
# Counters are taken in several passes and over time, so that a share may come out a little above its whole.
_SLACK = 1.05


@dataclass(frozen=True)
class Entry:
    """One metric of the vocabulary and where it comes from.

    `terms` are named lists of the report's metrics, the first that is there counts; `value` is the formula
    over them. A term of `optional` counts 0 where the report lacks it. With `choose` the metric is the name
    of the term with the least or the greatest value. `zero` are patterns of report metrics that must be
    there and 0. `total` says that launches add up; else the value is a launch's.
    """

    metric: str
    unit: str
    terms: Mapping[str, tuple[re.Pattern[str], ...]]
    value: str
    optional: frozenset[str] = frozenset()
    choose: Literal["", "least", "greatest"] = ""
    zero: tuple[re.Pattern[str], ...] = ()
    total: bool = False


@dataclass
class Mapped:
    """Metrics of the vocabulary, the report's names that went into them, and what could not be taken."""

    metrics: dict[str, Value] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)


@cache
def entries(tool: str, entity: Entity) -> tuple[Entry, ...]:
    """The table of one tool for one entity, in order: of two entries of one metric the first that gives it."""
    path = knowledge_folder() / "imports" / f"{tool}.toml"
    groups = tomllib.loads(path.read_text(encoding="utf-8")).get(entity, [])
    return tuple(_entry(group) for group in groups)


def _entry(group: Mapping[str, Any]) -> Entry:
    given = group["from"]
    terms = given if isinstance(given, Mapping) else {"x": given}
    patterns = {name: _patterns(names) for name, names in terms.items()}
    entry = Entry(
        metric=group["metric"],
        unit=group["unit"],
        terms=patterns,
        value=group.get("value", "x"),
        optional=frozenset(group.get("optional", ())),
        choose=group.get("choose", ""),
        zero=_patterns(group.get("zero", ())),
        total=group.get("total", False),
    )
    if not entry.choose and names_in(entry.value) != set(patterns):
        raise ValueError(f"{entry.metric}: the formula {entry.value} and its terms do not agree.")
    return entry


def _patterns(names: str | Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Names as patterns: one between slashes is a regular expression, another stands for itself."""
    texts = [names] if isinstance(names, str) else names
    return tuple(
        re.compile(text[1:-1]) if text.startswith("/") and text.endswith("/") else re.compile(re.escape(text))
        for text in texts
    )


def mapped(tool: str, entity: Entity, values: Mapping[str, Quantity]) -> Mapped:
    """What the values of one launch, line or run are in the vocabulary."""
    result = Mapped()
    for entry in entries(tool, entity):
        if entry.metric not in result.metrics:
            _apply(entry, values, result)
    return result


def is_total(tool: str, metric: str) -> bool:
    """Whether several launches of a kernel add up in a metric."""
    return any(entry.metric == metric and entry.total for entry in entries(tool, "kernel"))


def _apply(entry: Entry, values: Mapping[str, Quantity], result: Mapped) -> None:
    names = _names_of_terms(entry, tuple(values))
    zeros = _zeros(entry, values)
    if names is None or zeros is None:
        return
    chosen = {term: values[name] for term, name in names.items() if name is not None}
    if entry.unit == "text" and not entry.choose:
        found: Value | None = str(chosen["x"].value)
    else:
        found = _number(entry, chosen, names, result)
    if found is None:
        return
    result.metrics[entry.metric] = found
    result.used.update(name for name in names.values() if name is not None)
    result.used.update(zeros)


def _number(
    entry: Entry, chosen: Mapping[str, Quantity], names: Mapping[str, str | None], result: Mapped
) -> Value | None:
    numbers = {term: 0.0 for term in entry.optional}
    kinds = set()
    for term, quantity in chosen.items():
        base = in_base_unit(quantity)
        if base is None:
            result.refused[str(names[term])] = f"its unit `{quantity.unit}` is not known"
            return None
        numbers[term] = base[0]
        kinds.add(base[1])
    if entry.choose:
        return (min if entry.choose == "least" else max)(chosen, key=lambda term: numbers[term])
    if entry.value == "x" and not kinds <= set(_KINDS[entry.unit]):
        result.refused[str(names["x"])] = f"its unit `{chosen['x'].unit}` does not fit {entry.metric}"
        return None
    value = evaluate(entry.value, numbers)
    return None if value is None else _within(entry, value, names, result)


def _within(entry: Entry, value: float, names: Mapping[str, str | None], result: Mapped) -> float | None:
    if entry.unit == "ratio" and 1.0 < value <= _SLACK:
        return 1.0
    if value < 0.0 or (entry.unit == "ratio" and value > 1.0):
        for name in filter(None, names.values()):
            result.refused[name] = f"{value:g} is no value of {entry.metric}"
        return None
    return value


def _names_of_terms(entry: Entry, known: tuple[str, ...]) -> dict[str, str | None] | None:
    """The report's name of each term, None where one that is needed is not there."""
    found = _resolved(tuple(entry.terms.items()), known)
    if any(name is None and term not in entry.optional for term, name in found.items()):
        if not entry.choose:
            return None
        found = {term: name for term, name in found.items() if name is not None}
    return found if any(found.values()) else None


@cache
def _resolved(
    terms: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...], known: tuple[str, ...]
) -> dict[str, str | None]:
    return {term: _first(patterns, known) for term, patterns in terms}


def _first(patterns: Sequence[re.Pattern[str]], known: Sequence[str]) -> str | None:
    return next((name for one in patterns for name in known if one.fullmatch(name)), None)


def _zeros(entry: Entry, values: Mapping[str, Quantity]) -> list[str] | None:
    """The names of what must be 0 and is, None where something is not or nothing tells."""
    if not entry.zero:
        return []
    found = [name for name in values for one in entry.zero if one.fullmatch(name)]
    return found if found and not any(values[name].value for name in found) else None

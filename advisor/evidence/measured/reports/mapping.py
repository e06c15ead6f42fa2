"""A report's metrics mapped to the vocabulary's, by the tables in knowledge/imports."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from advisor.evidence.measured.reports.formulas import evaluate, names_in
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import Quantity
from advisor.model.data_files import knowledge_folder
from advisor.model.records import Value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Entity: TypeAlias = Literal["run", "kernel", "line"]
ENTITIES: tuple[Entity, ...] = ("run", "kernel", "line")
# The kinds of a report's units that may become a metric of that unit.
_KINDS = {
    "ratio": ("ratio", "count"), "count": ("count",), "ms": ("time",), "byte": ("byte", "count"),
    "byte/s": ("byte/s",), "sectors/request": ("count",), "flop/byte": ("count", "ratio"),
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
    """The table of one tool for one entity, in order: of several of one metric the first counts."""
    return tuple(_entry(group) for group in _table(tool).get(entity, []))


@cache
def shapes_are_judged(tool: str) -> bool:
    """Whether grids and blocks of a tool's reports mean to rules what they mean on NVIDIA's hardware."""
    return bool(_table(tool).get("shapes") != "identity")


def is_of_other_maker(tool: str, device: str) -> bool:
    """Whether a tool's table knows a GPU's name as one that is not NVIDIA's."""
    return any(re.match(pattern, device) for pattern in _table(tool).get("other_makers", ()))


@cache
def _table(tool: str) -> dict[str, Any]:
    path = knowledge_folder() / "imports" / f"{tool}.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return table


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


@cache
def stall_name(short: str) -> str:
    """The name of a reason to wait that a source page shortens."""
    path = knowledge_folder() / "imports" / "ncu.toml"
    return str(tomllib.loads(path.read_text(encoding="utf-8"))["stall_names"].get(short, short))


def mapped(tool: str, entity: Entity, values: Mapping[str, Quantity]) -> Mapped:
    """What the values of one launch, line or run are in the vocabulary."""
    result = Mapped()
    for entry, names, zeros in _plan(tool, entity, tuple(values)):
        if entry.metric not in result.metrics and not any(values[name].value for name in zeros):
            _apply(entry, names, values, result)
            if entry.metric in result.metrics:
                result.used.update(names.values(), zeros)
    return result


def over_launches(tool: str, metric: str) -> Literal["sum", "weighted", "mean"]:
    """How a kernel's metric comes from several launches: shares are weighted by the launches' times."""
    entry = next((one for one in entries(tool, "kernel") if one.metric == metric), None)
    if entry is not None and entry.total:
        return "sum"
    return "weighted" if entry is not None and entry.unit == "ratio" else "mean"


_Plan: TypeAlias = tuple[tuple[Entry, Mapping[str, str], tuple[str, ...]], ...]


@lru_cache(maxsize=64)
def _plan(tool: str, entity: Entity, known: tuple[str, ...]) -> _Plan:
    """The entries for which a report's names suffice, the name of each term, and those that must be 0."""
    found = []
    for entry in entries(tool, entity):
        names = {term: name for term, names in entry.terms.items() if (name := _first(names, known))}
        needed = set(entry.terms) - entry.optional
        zeros = tuple(name for name in known if any(one.fullmatch(name) for one in entry.zero))
        if names and needed <= set(names) and (zeros or not entry.zero):
            found.append((entry, names, zeros))
    return tuple(found)


@lru_cache(maxsize=4096)
def asked_for(tool: str, entity: Entity, name: str) -> bool:
    """Whether a tool's table makes something of a metric of this name."""
    return any(pattern.fullmatch(name) for pattern in _asked(tool, entity))


@cache
def _asked(tool: str, entity: Entity) -> tuple[re.Pattern[str], ...]:
    found = (
        pattern
        for entry in entries(tool, entity)
        for names in (*entry.terms.values(), entry.zero)
        for pattern in names
    )
    return tuple(dict.fromkeys(found))


def counters_beside(tool: str, unused: Collection[str], known: Collection[str]) -> dict[str, tuple[str, str]]:
    """For metrics of a report that nothing was made of alone: the one counter that they lack, and of what."""
    found: dict[str, tuple[str, str]] = {}
    for entry in entries(tool, "kernel"):
        here = {term: name for term, names in entry.terms.items() if (name := _first(names, tuple(known)))}
        missing = [term for term in entry.terms if term not in here and term not in entry.optional]
        lacking = _plain(entry.terms[missing[0]][0]) if len(missing) == 1 else None
        for name in here.values():
            if lacking and name in unused:
                found.setdefault(name, (lacking, entry.metric))
    return found


def _plain(pattern: re.Pattern[str]) -> str | None:
    """The only text that a pattern fits, None for one that fits several."""
    text = re.sub(r"\\(.)", r"\1", pattern.pattern)
    return text if re.escape(text) == pattern.pattern else None


def _first(patterns: Sequence[re.Pattern[str]], known: Sequence[str]) -> str | None:
    return next((name for one in patterns for name in known if one.fullmatch(name)), None)


def _apply(entry: Entry, names: Mapping[str, str], values: Mapping[str, Quantity], result: Mapped) -> None:
    chosen = {term: values[name] for term, name in names.items()}
    if entry.unit == "text" and not entry.choose:
        result.metrics[entry.metric] = str(chosen["x"].value)
        return
    numbers, kinds = dict.fromkeys(entry.optional, 0.0), set()
    for term, quantity in chosen.items():
        base = in_base_unit(quantity)
        if base is None:
            result.refused[names[term]] = f"its unit `{quantity.unit}` is not known"
            return
        numbers[term] = base[0]
        kinds.add(base[1])
    if entry.choose:
        choice = min if entry.choose == "least" else max
        result.metrics[entry.metric] = choice(chosen, key=lambda term: numbers[term])
    elif entry.value == "x" and not kinds <= set(_KINDS[entry.unit]):
        result.refused[names["x"]] = f"its unit `{chosen['x'].unit}` does not fit {entry.metric}"
    else:
        _put(entry, evaluate(entry.value, numbers), names, result)


def _put(entry: Entry, value: float | None, names: Mapping[str, str], result: Mapped) -> None:
    """Keep a value that its metric can have."""
    if value is None:
        return
    if entry.unit == "ratio" and 1.0 < value <= _SLACK:
        value = 1.0
    if value < 0.0 or (entry.unit == "ratio" and value > 1.0):
        result.refused |= dict.fromkeys(names.values(), f"{value:g} is no value of {entry.metric}")
    else:
        result.metrics[entry.metric] = value

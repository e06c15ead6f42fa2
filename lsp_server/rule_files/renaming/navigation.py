"""Where names are declared and where they are used, over all files of a rulebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.read_file import Reading
from lsp_server.rule_files.text.symbols import Name, Symbol

# Such names mean the same only within one file.
_LOCAL = ("let", "variable")
# What stands in a file that declares such a name: few files have to be looked through for their names.
_DECLARING = {
    "metric": r"\b{name}\s*:",
    "entity": r"\bentity\s+{name}\b",
    "rule": r"\b(?:rule|renamed|retired)\s+{name}\b",
    "definition": r"\bdefine\s+{name}\b",
}


@dataclass(frozen=True)
class Occurrence:
    """A name in one of the files."""

    file: Path
    reading: Reading
    name: Name


def occurrences(snapshot: Snapshot, symbol: Symbol, form: re.Pattern[str] | None = None) -> list[Occurrence]:
    """Every place of a name, in order of file and place; `form` bounds the files that are looked at."""
    entities = _entities(snapshot) if symbol.kind == "metric" else {}
    found = []
    for file, reading in snapshot.readings(symbol.name, form):
        for name in reading.names:
            if _means(name, symbol, entities, snapshot):
                found.append(Occurrence(file, reading, name))
    own = {one.file for one in found if one.name.role == "definition"}
    if symbol.kind in _LOCAL and len(own) > 1:
        return [one for one in found if one.file == snapshot.file]
    return found


def declarations(snapshot: Snapshot, symbol: Symbol) -> list[Occurrence]:
    """The places where a name is declared; of a rule that was renamed, where that is said."""
    form = _DECLARING.get(symbol.kind)
    pattern = re.compile(form.format(name=re.escape(symbol.name))) if form else None
    found = [one for one in occurrences(snapshot, symbol, pattern) if one.name.role == "definition"]
    rules = [one for one in found if _item_kind(one) not in ("renamed", "retired")]
    return rules or found


def symbol_at(snapshot: Snapshot, offset: int) -> tuple[Name, Symbol] | None:
    """The name at an offset and what it stands for; of a definition's variable the entity is found out."""
    name = snapshot.reading.name_at(offset)
    if name is None:
        return None
    symbol = name.symbol
    if symbol.kind == "metric" and not symbol.owner:
        known = _owners(name, symbol.name, _entities(snapshot), snapshot)
        if len(known) == 1:
            symbol = symbol._replace(owner=next(iter(known)))
    return name, symbol


def _entities(snapshot: Snapshot) -> Mapping[str, set[str]]:
    """The entities that each definition of the rulebook is called with."""
    calls: list[Reading] = []
    for name in dict.fromkeys(one.name for one in snapshot.book.definitions):
        calls += (reading for _, reading in snapshot.readings(name))
    return entities_of_definitions(dict.fromkeys(calls))


def entities_of_definitions(readings: Iterable[Reading]) -> Mapping[str, set[str]]:
    """The entities that each definition is called with, also through other definitions."""
    calls = [call for reading in readings for call in reading.calls]
    found: dict[str, set[str]] = {}
    while True:
        grown = False
        for call in calls:
            known = found.setdefault(call.name, set())
            more = {call.entity} if call.entity else found.get(call.inside, set())
            grown = grown or not more <= known
            known |= more
        if not grown:
            return found


def _means(name: Name, symbol: Symbol, entities: Mapping[str, set[str]], snapshot: Snapshot) -> bool:
    if name.symbol == symbol:
        return True
    if symbol.kind != "metric" or name.symbol != Symbol("metric", "", symbol.name):
        return False
    return symbol.owner in _owners(name, symbol.name, entities, snapshot)


def _owners(name: Name, metric: str, entities: Mapping[str, set[str]], snapshot: Snapshot) -> set[str]:
    """The entities whose metric a name in a definition may be."""
    having = {entity for entity, known in snapshot.book.metrics if known == metric}
    called = entities.get(name.inside, set())
    return having & called or having


def _item_kind(one: Occurrence) -> str:
    items: Iterator[str] = (
        item.kind for item in one.reading.items if item.start <= one.name.start < item.end
    )
    return next(items, "")

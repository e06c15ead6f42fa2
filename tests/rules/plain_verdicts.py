"""The meaning of rules, one row at a time: plain values, None for unknown, Kleene's logic.

Written from docs/rule-language.md alone; it shares no code with the columns that `advisor.rules` judges by.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from hypothesis import strategies as st
from random_rules import LITERALS, TEXTS, Node, RandomRule

from advisor.evidence.metrics.tables import Tables, build_tables
from advisor.model.records import Reading, Record
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook

_COMPARE = {
    "<": operators.lt, "<=": operators.le, ">": operators.gt, ">=": operators.ge,
    "=": operators.eq, "!=": operators.ne,
}  # fmt: skip
_CALCULATE = {"+": operators.add, "-": operators.sub, "*": operators.mul, "min": min, "max": max}


@dataclass(eq=False)
class Row:
    """A record: its entity, its metrics (None for unknown) and the row that owns it."""

    entity: str
    values: dict[str, Any]
    owner: Row | None = None


@dataclass
class World:
    """All rows, and the entities that no source looked for."""

    rows: list[Row] = field(default_factory=list)
    unseen: frozenset[str] = frozenset()

    def of(self, entity: str) -> list[Row]:
        return [row for row in self.rows if row.entity == entity]


Environment = dict[str, "Row | None"]


@dataclass
class Plain:
    """Gives the values of nodes of one rule in one world."""

    rule: RandomRule
    world: World

    def verdict(self, row: Row) -> str:
        here: Environment = {}
        for at, (name, _) in enumerate(self.rule.variables):
            here[name] = row if at == 0 else row.owner
        when = self.value(self.rule.when, here)
        if when is False or any(self.value(node, here) is True for node in self.rule.unless):
            return "silent"
        return "unknown" if when is None else "fires"

    def value(self, node: Node, here: Environment) -> Any:
        operator, *parts = node
        if operator == "literal":
            return LITERALS[parts[0]][parts[1]]
        if operator in ("text", "truth"):
            return parts[0]
        if operator == "param":
            return self.value(next(one.node for one in self.rule.params if one.name == parts[0]), {})
        if operator == "let":
            return self.value(next(one.node for one in self.rule.lets if one.name == parts[0]), here)
        if operator == "macro":
            body = next(one.node for one in self.rule.definitions if one.name == parts[0])
            return self.value(body, {"x": here[parts[1]]})
        if operator == "metric":
            return self._metric(*parts, here)
        if operator in ("some", "every", "no", "number"):
            return self._quantified(operator, *parts, here)
        if operator in ("and", "or"):
            return _connected((self.value(part, here) for part in parts), operator == "or")
        first = self.value(parts[0], here)
        if operator in ("known", "missing"):
            return (first is None) == (operator == "missing")
        if operator == "otherwise":
            return self.value(parts[1], here) if first is None else first
        if operator == "between":
            low, high = (self.value(part, here) for part in parts[1:])
            return _connected((_apply(">=", first, low), _apply("<=", first, high)), False)
        if first is None:
            return None
        if operator == "in":
            return first in parts[1:]
        if operator == "like":
            return fnmatchcase(first, parts[1])
        if operator in ("not", "neg", "abs"):
            return {"not": operators.not_, "neg": operators.neg, "abs": abs}[operator](first)
        return _apply(operator, first, self.value(parts[1], here))

    def _metric(self, variable: str, path: tuple[str, ...], name: str, here: Environment) -> Any:
        row = next(iter(self.world.of("device")), None) if variable == "device" else here[variable]
        for _ in path:
            row = None if row is None else row.owner
        return None if row is None else row.values.get(name)

    def _quantified(
        self, quantifier: str, entity: str, variable: str, owner: str, condition: Node, here: Environment
    ) -> Any:
        above = here[owner]
        if entity in self.world.unseen or above is None:
            return None
        rows = [row for row in self.world.of(entity) if row.owner is above]
        answers = [self.value(condition, {**here, variable: row}) for row in rows]
        if quantifier == "number":
            return None if None in answers else float(answers.count(True))
        if quantifier == "every":
            return _connected(answers, False)
        some = _connected(answers, True)
        return some if quantifier == "some" or some is None else not some


def _connected(answers: Iterable[bool | None], decisive: bool) -> bool | None:
    """`or` where true is decisive, `and` where false is."""
    found = list(answers)
    return decisive if decisive in found else None if None in found else not decisive


def _apply(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None or (operator == "/" and right == 0):
        return None
    if operator == "/":
        return left / right
    return (_COMPARE.get(operator) or _CALCULATE[operator])(left, right)


_VALUES = {
    "run": {"total": (0.0, 1.0, 4.0)},
    "kernel": {
        "registers": (0.0, 1.0, 2.0, 2.5, 4.0), "spilled": (0.0, 512.0, 1024.0),
        "share": (0.0, 0.25, 0.5, 1.0),
        "time": (0.0, 1.0, 2.0, 4.0), "debug": (True, False), "limiter": TEXTS,
    },
    "access": {
        "space": TEXTS, "sectors": (1.0, 4.0, 32.0), "ideal": (1.0, 4.0), "guarded": (True, False),
    },
    "device": {"sm_count": (1.0, 2.0, 108.0), "name": TEXTS},
}  # fmt: skip


@st.composite
def worlds(draw: st.DrawFn, known: bool = False) -> World:
    """Random worlds; with `known` ones without missing values, owners or tables."""

    def row(entity: str, owner: Row | None = None) -> Row:
        values = {
            name: draw(st.sampled_from(choices) if known else st.sampled_from((None, *choices)))
            for name, choices in _VALUES[entity].items()
        }
        return Row(entity, values, owner)

    runs = [row("run") for _ in range(draw(st.integers(1, 2)))]
    owners: list[Row | None] = [*runs, *([] if known else [None])]
    kernels = [row("kernel", draw(st.sampled_from(owners))) for _ in range(draw(st.integers(1, 4)))]
    owners = [*kernels, *([] if known else [None])]
    accesses = [row("access", draw(st.sampled_from(owners))) for _ in range(draw(st.integers(0, 5)))]
    devices = [row("device")] if known or draw(st.booleans()) else []
    unseen = frozenset({"access"}) if not known and not accesses and draw(st.booleans()) else frozenset()
    return World([*runs, *kernels, *accesses, *devices], unseen)


def tables_of(world: World, book: Rulebook) -> Tables:
    """The tables of a world, with one of each entity that was looked for."""
    records = []
    for at, row in enumerate(world.rows):
        owner = None if row.owner is None else f"r{world.rows.index(row.owner)}"
        record = Record(row.entity, f"r{at}", "a.py", Span(at + 1), f"r{at}", owner)
        record.readings = {name: Reading(value) for name, value in row.values.items() if value is not None}
        records.append(record)
    return build_tables(records, book.owner_entity(), {"access"} - world.unseen)

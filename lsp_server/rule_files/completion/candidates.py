"""The candidates for a place, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.rules.checking.vocabulary import SINGLETONS
from advisor.rules.language.chunks import CLAUSES, ITEMS
from advisor.rules.model import Metric, Rule, Rulebook
from advisor.rules.units import find_unit, format_value
from lsp_server.rule_files.completion.expected import END, accepted, words_for
from lsp_server.rule_files.completion.metric_uses import uses_of_metrics
from lsp_server.rule_files.completion.names_here import Sought, sought
from lsp_server.rule_files.completion.place import Place
from lsp_server.rule_files.explaining.describing import (
    entity_text,
    metric_line,
    metric_text,
    metrics_of,
    rule_text,
    unit_text,
    units_like,
)
from lsp_server.rule_files.explaining.meanings import meaning_of
from lsp_server.rule_files.text.expression_names import FUNCTIONS, QUANTIFIERS

_DOTTED = re.compile(r"([a-z_]\w*(?:\.[a-z_]\w*)*)\.\Z")
_FIELD = re.compile(r"\{([\w.]*)\Z")
_NUMBERED = re.compile(r"(.*?)\d+")
_UNITS_OF_METRICS = ("count", "ratio", "truth", "text")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What can be put in: its text, kind ("metric", "clause" …), one line beside it, and what it belongs to.

    What more there is to say of it `about` tells.
    """

    text: str
    kind: str
    detail: str = ""
    of: str = ""


def candidates(place: Place, book: Rulebook, file: Path) -> list[Candidate]:
    """What can stand at a place of a file, best first, each text once."""
    found: dict[str, Candidate] = {}
    for one in _candidates(place, book, file):
        found.setdefault(one.text, one)
    return list(found.values())


def about(kind: str, of: str, name: str, book: Rulebook) -> str:
    """The Markdown about a candidate, "" where there is nothing to say."""
    if kind == "metric":
        metric = book.metric(of, name)
        return metric_text(metric, book) if metric is not None else ""
    if kind == "rule":
        rule = book.rule(name)
        return rule_text(rule) if rule is not None else ""
    if kind == "entity":
        return entity_text(name, book)
    if kind == "unit":
        return unit_text(name)
    groups = {"clause": "clauses", "item": "items", "function": "functions", "word": "words"}
    return meaning_of(name, groups[kind]) if kind in groups else ""


def _candidates(place: Place, book: Rulebook, file: Path) -> Iterator[Candidate]:
    if place.silent:
        return
    if place.text_before is not None:
        yield from _in_text(place, book)
        return
    written = place.reading.text[: place.begin]
    dotted = _DOTTED.search(written, max(len(written) - 200, 0))
    if dotted is not None:
        yield from _attributes(dotted[1].split("."), place, book)
        return
    if place.item is None or (place.in_rule and place.clause is None):
        words, kind = (CLAUSES, "clause") if place.in_rule else (ITEMS, "item")
        if place.fresh or place.in_rule:
            yield from (Candidate(word, kind) for word in words)
        return
    yield from _by_grammar(place, book, file)


def _by_grammar(place: Place, book: Rulebook, file: Path) -> Iterator[Candidate]:
    following = accepted(place.begun, "clause" if place.clause is not None else "item")
    if place.before and place.before[-1].kind == "number" and _on_one_line(place):
        yield from _units_behind_number(place, book)
    terminals = frozenset({"NAME", "FUNCTION", "QUANTIFIER"}) if following is None else following
    if "NAME" in terminals or "RULE_ID" in terminals:
        yield from _named(sought(place), place, book, file)
    if "STRING" in terminals and not place.fresh:
        yield from (Candidate(f'"{value}"', "text") for value in _texts(place, book))
    for word in words_for(terminals):
        yield Candidate(word, "function" if word in FUNCTIONS else "word")
    if place.in_rule and place.fresh and (following is None or END in following):
        yield from (Candidate(word, "clause") for word in CLAUSES)
    if not place.in_rule and place.fresh and following is not None and END in following:
        yield from (Candidate(word, "item") for word in ITEMS)


def _named(what: Sought, place: Place, book: Rulebook, file: Path) -> Iterator[Candidate]:
    """The names of one sort."""
    if what.sort == "entity":
        yield from _entities(book, what.of)
    elif what.sort == "unit":
        for name in (*_UNITS_OF_METRICS, *units_like(None, book)):
            yield Candidate(name, "unit")
    elif what.sort == "variable":
        yield from _variables(place, singletons=False)
    elif what.sort == "new" and what.of:
        yield Candidate(_letter(what.of, place), "variable", f"a name for the {what.of}")
    elif what.sort == "rule":
        yield from (Candidate(rule.id, "rule", rule.title) for rule in book.rules)
    elif what.sort == "own id":
        yield Candidate(file.stem, "rule", "the name of the file")
    elif what.sort == "pattern":
        patterns = dict.fromkeys(pattern for rule in book.rules for pattern in rule.patterns)
        yield from (Candidate(pattern, "pattern") for pattern in sorted(patterns))
    elif what.sort == "param":
        yield from _params(book.rule(what.of))
    elif what.sort == "example":
        scope = place.scope()
        yield from _variables(place, singletons=True)
        yield from (Candidate(f"{name}1", "variable", one.entity) for name, one in scope.inner.items())
    elif what.sort == "value":
        yield from _values(place, book)


def _values(place: Place, book: Rulebook) -> Iterator[Candidate]:
    """What an expression can name."""
    scope = place.scope()
    yield from _variables(place, singletons=True)
    rule = book.rule(place.item.name.text) if place.item is not None and place.item.name is not None else None
    params = {one.text: one for one in _params(rule)}
    for name, symbol in scope.values.items():
        yield params.get(name) or Candidate(name, symbol.kind)
    yield from (Candidate(one.name, "definition", "definition") for one in book.definitions)


def _variables(place: Place, singletons: bool) -> Iterator[Candidate]:
    scope = place.scope()
    for name, bound in {**scope.inner, **scope.variables}.items():
        yield Candidate(name, "variable", bound.entity)
    if singletons:
        yield from (Candidate(name, "entity") for name in SINGLETONS if name not in scope.variables)


def _params(rule: Rule | None) -> Iterator[Candidate]:
    for param in rule.params if rule is not None else ():
        yield Candidate(param.name, "param", format_value(param.value, param.unit))


def _entities(book: Rulebook, of: str) -> Iterator[Candidate]:
    """The entities; `of` is one whose owner is meant."""
    owned = book.entities.get(of)
    names = [owned.owner] if owned is not None and owned.owner else list(book.entities)
    yield from (Candidate(name, "entity", book.entities[name].doc) for name in names)


def _attributes(parts: list[str], place: Place, book: Rulebook) -> Iterator[Candidate]:
    """The metrics and the owner of what a dotted name reaches."""
    scope = place.scope()
    bound = {**scope.inner, **scope.variables}
    stem = _NUMBERED.fullmatch(parts[0])
    entity = parts[0]
    if parts[0] in bound:
        entity = bound[parts[0]].entity
    elif stem is not None and stem[1] in bound:
        entity = bound[stem[1]].entity
    if len(parts) > 1:
        entity = parts[-1]
    if entity and entity not in book.entities:
        return
    yield from (
        Candidate(metric.name, "metric", metric_line(metric), metric.entity)
        for metric in sorted(metrics_of(entity, book), key=_by_use(book))
    )
    owner = book.entities[entity].owner if entity else None
    if owner:
        yield Candidate(owner, "entity", f"the {owner} it belongs to")


def _by_use(book: Rulebook) -> Callable[[Metric], int]:
    """What puts the metrics that most rules speak of first; those alike keep their order."""
    uses = uses_of_metrics(book)
    return lambda metric: -uses[metric.name]


def _in_text(place: Place, book: Rulebook) -> Iterator[Candidate]:
    """The names in braces of what a rule says; else the texts that a metric is known to have."""
    assert place.text_before is not None
    kind = place.clause.kind if place.clause is not None else ""
    field = _FIELD.search(place.text_before)
    in_condition = any(word.text == "when" for word in place.before)
    if kind in ("say", "why", "try") and not in_condition:
        if field is None:
            return
        *owners, _ = field[1].split(".")
        yield from _attributes(owners, place, book) if owners else _fields(place)
    elif kind in ("say", "when", "unless", "remark", "let", "given", "example"):
        yield from (Candidate(value, "text") for value in _texts(place, book))


def _fields(place: Place) -> Iterator[Candidate]:
    yield from _variables(place, singletons=False)
    yield from (Candidate(name, symbol.kind) for name, symbol in place.scope().values.items())


def _units_behind_number(place: Place, book: Rulebook) -> Iterator[Candidate]:
    metric = _metric_before(place, book)
    in_condition = place.clause is not None and place.clause.kind != "param"
    unit = metric.unit if metric is not None and in_condition else None
    yield from (Candidate(name, "unit") for name in units_like(unit, book))


def _texts(place: Place, book: Rulebook) -> list[str]:
    """The texts that examples give the metric before the cursor."""
    metric = _metric_before(place, book)
    if metric is None or metric.unit != find_unit("text"):
        return []
    found: dict[str, None] = {}
    for rule in book.rules:
        variables = dict(rule.variables)
        for example in rule.examples:
            for parts, value in example.values:
                entity = parts[-2] if len(parts) > 2 else variables.get(parts[0], "")
                if isinstance(value, str) and (entity, parts[-1]) == (metric.entity, metric.name):
                    found[value] = None
    return sorted(found)


def _metric_before(place: Place, book: Rulebook) -> Metric | None:
    """The metric that was last named in this clause before the cursor."""
    start = place.clause.start if place.clause is not None else place.item.start if place.item else 0
    for name in reversed(place.reading.names):
        symbol = name.symbol
        if start <= name.start and name.end <= place.begin and symbol.kind == "metric":
            return next((one for one in metrics_of(symbol.owner, book) if one.name == symbol.name), None)
    return None


def _on_one_line(place: Place) -> bool:
    return "\n" not in place.reading.text[place.before[-1].end : place.begin]


def _letter(entity: str, place: Place) -> str:
    """A letter for a variable that is not one yet."""
    scope = place.scope()
    taken = {*scope.variables, *scope.inner, *QUANTIFIERS}
    return next((letter for letter in entity if letter.isalpha() and letter not in taken), f"{entity}_")

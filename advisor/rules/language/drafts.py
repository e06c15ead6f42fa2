"""What a rule file says, before names and units are checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Expression
from advisor.rules.model import (
    Assignment,
    Citation,
    CountAfter,
    Entity,
    Example,
    Metric,
    Override,
    Param,
    RuleFix,
    Sentence,
    Suppress,
    Unless,
)


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text with the place of its quotes; `raw` is what stands between them, escapes and all."""

    text: str
    raw: str
    span: Span

    def place(self, start: int, end: int) -> Span:
        """The place of a stretch of `raw`; a text stands on one line."""
        line, column = self.span.line, self.span.column + 1
        return Span(line, column + start, line, column + end)


@dataclass(frozen=True, slots=True)
class ChangePlaces:
    """Where the parts of an override stand: its rule, what it changes, the value, and the last day."""

    rule: Span
    subject: Span
    value: Span
    until: Span


@dataclass
class RuleDraft:
    """The clauses of a rule as written, before names and units are checked.

    `former_spans` has each former name behind its parameter, with its place; `given` the values that examples
    share, each with the place of its name.
    """

    id: str
    title: str
    span: Span
    doc: str
    path: str
    broken: frozenset[str] = frozenset()
    clauses: dict[str, list[Span]] = field(default_factory=dict)
    variables: list[tuple[str, str]] = field(default_factory=list)
    variable_spans: list[tuple[Span, Span]] = field(default_factory=list)
    params: list[Param] = field(default_factory=list)
    param_spans: dict[str, Span] = field(default_factory=dict)
    former_spans: list[tuple[str, str, Span]] = field(default_factory=list)
    lets: list[tuple[str, Expression, Span]] = field(default_factory=list)
    when: Expression | None = None
    unless: list[Unless] = field(default_factory=list)
    doubts: list[Unless] = field(default_factory=list)
    once: Expression | None = None
    once_for: tuple[str, Span] | None = None
    words: dict[str, str] = field(default_factory=dict)
    advice: list[str] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    texts: list[WrittenText] = field(default_factory=list)
    gain: Expression | None = None
    gain_at_most: bool = False
    without: list[CountAfter] = field(default_factory=list)
    sources: list[Citation] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    see: list[str] = field(default_factory=list)
    fixes: list[RuleFix] = field(default_factory=list)
    given: list[tuple[Assignment, Span]] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    example_spans: list[tuple[Span, ...]] = field(default_factory=list)


@dataclass
class Macro:
    """A pure macro of one variable, as `define` writes it."""

    name: str
    variable: str
    body: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class SharedException:
    """An exception of several rules, as `except` writes it: where what they look at meets the condition.

    `rules` have each name with its place. `variable` stands for a rule's record of the `entity`, or, where
    none is named, for the record that the rule looks at first.
    """

    rules: tuple[tuple[str, Span], ...]
    variable: str
    entity: str | None
    entity_span: Span
    condition: Expression
    reason: str


@dataclass
class FileContent:
    """Everything one file declares."""

    path: str
    edition: tuple[float, Span] | None = None
    metrics: list[tuple[Metric, Span]] = field(default_factory=list)
    entities: list[tuple[Entity, Span]] = field(default_factory=list)
    definitions: list[Macro] = field(default_factory=list)
    rules: list[RuleDraft] = field(default_factory=list)
    overrides: list[tuple[Override, ChangePlaces]] = field(default_factory=list)
    suppressions: list[tuple[Suppress, ChangePlaces]] = field(default_factory=list)
    exceptions: list[SharedException] = field(default_factory=list)
    renamed: list[tuple[str, str, Span, Span]] = field(default_factory=list)
    retired: list[tuple[str, str, Span]] = field(default_factory=list)
    pack: tuple[str, str, Span] | None = None

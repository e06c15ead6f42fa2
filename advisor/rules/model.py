"""The rulebook as data: metrics, entities and rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from advisor.model.findings import Confidence, Safety, Severity
from advisor.model.records import Source
from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Expression, Reference, metrics_in
from advisor.rules.language.problems import RuleError
from advisor.rules.units import Unit

Verdict: TypeAlias = Literal["fires", "info", "silent", "unknown"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A declared metric: its unit, range (None where open), one sentence, and the evidence that tells it."""

    name: str
    entity: str
    unit: Unit
    low: float | None = None
    high: float | None = None
    doc: str = ""
    computed: Computed | None = None
    provided_by: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Computed:
    """How a metric follows from others: an expression over one record, which it calls `variable`."""

    variable: str
    expression: Expression
    file: str
    span: Span


@dataclass(frozen=True, slots=True)
class Entity:
    """A kind of thing that rules speak of, and the entity that owns it."""

    name: str
    owner: str | None
    doc: str


@dataclass(frozen=True, slots=True)
class Param:
    """A threshold: default, allowed range (None where open) and reason, in its unit's base unit.

    `former` are the names that it had before, by which configurations may go on calling it.
    """

    name: str
    value: float
    unit: Unit
    low: float | None = None
    high: float | None = None
    reason: str = ""
    former: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a rule comes from."""

    text: str
    at: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class RuleFix:
    """A remedy that a rule names."""

    title: str
    safety: Safety


@dataclass(frozen=True, slots=True)
class Unless:
    """An exception, or where a rule cannot be sure, and the reason for it."""

    condition: Expression
    reason: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message, said where its condition holds."""

    text: str
    condition: Expression


# A value of an example by its dotted name, None for missing.
Assignment: TypeAlias = tuple[tuple[str, ...], float | str | bool | None]


@dataclass(frozen=True, slots=True)
class CountAfter:
    """What the remedy of a rule makes of a count: the metric that it changes, and the value of it then."""

    count: Reference
    value: Expression


@dataclass(frozen=True, slots=True)
class Example:
    """An example inside a rule: all its values, those of `given` first, and the expected verdict."""

    verdict: Verdict
    name: str
    values: tuple[Assignment, ...]
    span: Span
    file: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, definitions already put in. `variables` maps each name of `for each` to its entity."""

    id: str
    title: str
    category: str
    path: str
    span: Span
    doc: str
    variables: tuple[tuple[str, str], ...]
    when: Expression
    unless: tuple[Unless, ...]
    doubts: tuple[Unless, ...]
    params: tuple[Param, ...]
    lets: tuple[tuple[str, Expression], ...]
    severity: Severity
    severity_when_assumed: Severity | None
    confidence: Confidence
    effort: str
    say: str
    why: str
    advice: tuple[str, ...]
    gain: Expression | None
    gain_at_most: bool
    sources: tuple[Citation, ...]
    patterns: tuple[str, ...]
    see: tuple[str, ...]
    fixes: tuple[RuleFix, ...]
    examples: tuple[Example, ...]
    deprecated: str = ""
    # Of the findings in one kernel the one with the largest number is reported; None reports all.
    once: Expression | None = None
    # What the message says beyond `say`, in this order.
    sentences: tuple[Sentence, ...] = ()
    # The counts that its remedy changes, or why no count says what it gains.
    without: tuple[CountAfter, ...] = ()
    without_nothing: str = ""

    @property
    def entity(self) -> str:
        """The entity the rule looks at."""
        return self.variables[0][1]

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """All its conditions, with the expressions that it has named."""
        exceptions = (item.condition for item in (*self.unless, *self.doubts))
        said = (item.condition for item in self.sentences)
        return (self.when, *exceptions, *said, *(value for _, value in self.lets))

    @property
    def former_params(self) -> dict[str, str]:
        """The parameters of today by the names that they had before."""
        return {name: param.name for param in self.params for name in param.former}

    @property
    def url(self) -> str:
        """The page to read, "" when no source names one."""
        return next((source.url for source in self.sources if source.url), "")

    @property
    def metrics_used(self) -> tuple[str, ...]:
        """The metrics of its conditions as entity.name, in order of appearance."""
        found: dict[str, None] = {}
        variables = dict(self.variables)
        for expression in (
            self.when,
            *(item.condition for item in (*self.unless, *self.doubts)),
            *(value for _, value in self.lets),
        ):
            for name in metrics_in(expression, variables):
                found.setdefault(name, None)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an override holds: patterns of the device's id, the path and the kernel's name; "" for all."""

    device: str = ""
    path: str = ""
    kernel: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The kinds of patterns that are given."""
        return tuple(name for name in ("device", "path", "kernel") if getattr(self, name))


_NO_PLACE = Span(1)


@dataclass(frozen=True, slots=True)
class Override:
    """One change of a rule: a param, the level or disabling, with its reason and the last day that it holds.

    `of_project` says that it stands in the project's configuration, not in a pack; `file` and `span` are its
    place; `unit` is that of the parameter as written, None where none was. `former` are the names that its
    parameter had before, where it is called so.
    """

    rule: str
    scope: Scope = Scope()
    params: tuple[tuple[str, float], ...] = ()
    level: Severity | None = None
    disabled: bool = False
    reason: str = ""
    until: str = ""
    of_project: bool = False
    file: str = ""
    span: Span = _NO_PLACE
    unit: Unit | None = None
    former: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """What is changed: the name of a parameter, or "level"."""
        return self.params[0][0] if self.params else "level"


@dataclass(frozen=True, slots=True)
class Suppress:
    """Matches of a rule that are accepted where a condition on them holds, until the last day given.

    `former` are the names that parameters had before, where the condition called them so.
    """

    rule: str
    condition: Expression
    reason: str
    until: str
    file: str
    span: Span
    former: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of rules: its name, version, where it lies, and what the paths of its files begin with."""

    name: str
    version: str
    folder: str
    prefix: str

    def file_of(self, path: str) -> Path | None:
        """The file that the rulebook calls `path`, None where it is none of this pack's."""
        file = Path(self.folder) / path[len(self.prefix) + 1 :]
        return file if path.startswith(f"{self.prefix}/") and file.is_file() else None


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition's name and place, and whether anything uses it."""

    name: str
    file: str
    span: Span
    used: bool


@dataclass
class Rulebook:
    """All that was loaded. `metrics` is by (entity, name).

    `renamed` gives the rules of today by their old names, `retired` the reasons why a rule is gone. `errors`
    are those of what was left out.
    """

    rules: tuple[Rule, ...] = ()
    metrics: dict[tuple[str, str], Metric] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    suppressions: tuple[Suppress, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    retired: dict[str, str] = field(default_factory=dict)
    definitions: tuple[Definition, ...] = ()
    packs: tuple[Pack, ...] = ()
    errors: tuple[RuleError, ...] = ()

    def owner_entity(self) -> dict[str, str | None]:
        """The owning entity of each entity; nobody may change it."""
        return self._owners

    @cached_property
    def _owners(self) -> dict[str, str | None]:
        return {name: entity.owner for name, entity in self.entities.items()}

    def rule(self, identifier: str) -> Rule | None:
        """The rule of that id, None when there is none."""
        return next((rule for rule in self.rules if rule.id == identifier), None)

    def metric(self, entity: str, name: str) -> Metric | None:
        """The declared metric, None when there is none."""
        return self.metrics.get((entity, name))

"""How loud findings are, by `knowledge/policy.toml` and what a project changes of it (decision 42)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES, Severity
from advisor.model.settings.selectors import suggestion
from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Reference
from advisor.rules.model import Rule, Rulebook

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Level: TypeAlias = Literal["off", "info", "same"]


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A metric that says that nobody waits for some code, the level that findings of some categories have
    there, those of the `excepted` rules left out, and the sentence that says why.

    `metric` is one of the kernel that a finding is about where it begins with `kernel.`, else one of the very
    thing that its rule looks at.
    """

    id: str
    metric: str
    level: Level
    categories: frozenset[str]
    because: str
    excepted: frozenset[str] = frozenset()

    def reference(self, rule: Rule, rulebook: Rulebook) -> Reference | None:
        """The metric as a rule reaches it; None for a rule that it does not concern."""
        if rule.category not in self.categories or rule.id in self.excepted:
            return None
        entity, _, name = self.metric.rpartition(".")
        way = _way_to_kernel(rule, rulebook) if entity == "kernel" else (rule.variables[0][0],)
        known = (entity or rule.entity, name) in rulebook.metrics
        return Reference((*way, name), Span(1)) if way is not None and known else None


@dataclass(frozen=True, slots=True)
class Policy:
    """The circumstances, and the level of findings that a rule itself is in doubt of."""

    doubt: Level
    circumstances: tuple[Circumstance, ...]

    def heeded_by(self, rule: Rule, rulebook: Rulebook) -> list[tuple[Reference, Circumstance]]:
        """The circumstances that may change the level of a rule's findings, with their metrics."""
        if rule.severity == SEVERITIES[-1]:
            return []
        every = ((one.reference(rule, rulebook), one) for one in self.circumstances if one.level != "same")
        return [(reference, one) for reference, one in every if reference is not None]


def lowered(severity: Severity, level: Level) -> Severity | None:
    """A severity under a level; None where nothing is told."""
    return None if level == "off" else SEVERITIES[0] if level == "info" else severity


@cache
def shipped_policy() -> Policy:
    """What `knowledge/policy.toml` says."""
    data = tomllib.loads((knowledge_folder() / "policy.toml").read_text("utf-8"))
    every = tuple(
        Circumstance(
            one["id"],
            one["metric"],
            one["level"],
            frozenset(one["categories"]),
            one["because"],
            frozenset(one.get("except", ())),
        )
        for one in data["circumstances"]
    )
    return Policy(data["doubt"], every)


def policy_for(changes: Mapping[str, str]) -> Policy:
    """The policy with the levels that a project gives some of its circumstances, or `doubt`.

    Raises UsageError for a circumstance that does not exist.
    """
    shipped = shipped_policy()
    known = {"doubt", *(one.id for one in shipped.circumstances)}
    for name in changes:
        if name not in known:
            raise UsageError(
                f"[tool.advisor.policy]: unknown circumstance `{name}`.{suggestion(name, known)}"
            )
    levels: dict[str, Level] = {name: _LEVELS[level] for name, level in changes.items()}
    return Policy(
        levels.get("doubt", shipped.doubt),
        tuple(replace(one, level=levels.get(one.id, one.level)) for one in shipped.circumstances),
    )


_LEVELS: dict[str, Level] = {"off": "off", "info": "info", "same": "same"}


def _way_to_kernel(rule: Rule, rulebook: Rulebook) -> tuple[str, ...] | None:
    variables = {entity: name for name, entity in reversed(rule.variables)}
    if "kernel" in variables:
        return (variables["kernel"],)
    if rulebook.owner_entity().get(rule.entity) == "kernel":
        return rule.variables[0][0], "kernel"
    return None

"""How loud findings are, by `knowledge/policy.toml` and what a project changes of it (decision 42)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES, Finding, Gain, Severity
from advisor.model.remedies import Remedy
from advisor.model.settings.selectors import suggestion
from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Reference
from advisor.rules.model import Rule, Rulebook

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# The limits of gains, as a configuration calls them.
NEGLIGIBLE, CONSIDERABLE = "negligible-gain", "considerable-gain"
Level: TypeAlias = Literal["off", "info", "same"]


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A metric that says that nobody waits for some code, the level that findings of some categories have
    there, those of the `excepted` rules left out, and the sentence that says why. Errors keep their level but
    for those of the `errors` rules.

    `metric` is one of the kernel that a finding is about where it begins with `kernel.`, else one of the very
    thing that its rule looks at.
    """

    id: str
    metric: str
    level: Level
    categories: frozenset[str]
    because: str
    excepted: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()

    def reference(self, rule: Rule, rulebook: Rulebook) -> Reference | None:
        """The metric as a rule reaches it; None for a rule that it does not concern."""
        if not self._concerns(rule):
            return None
        entity, _, name = self.metric.rpartition(".")
        way = _way_to_kernel(rule, rulebook) if entity == "kernel" else (rule.variables[0][0],)
        known = (entity or rule.entity, name) in rulebook.metrics
        return Reference((*way, name), Span(1)) if way is not None and known else None

    def _concerns(self, rule: Rule) -> bool:
        if rule.severity == SEVERITIES[-1]:
            return rule.id in self.errors
        return rule.category in self.categories and rule.id not in self.excepted


@dataclass(frozen=True, slots=True)
class GainPolicy:
    """From which gains on a finding of some categories is a warning, and up to which only info.

    `devices` are the ids of those to ask for where nobody names one.
    """

    negligible: float
    considerable: float
    categories: frozenset[str]
    devices: tuple[str, ...]

    def level_of(self, finding: Finding) -> tuple[Severity, str] | None:
        """Another severity for a finding with the reason, None where its own holds.

        Only what is certain by the counts decides: that the most which it may gain is negligible, or not
        considerable while what it probably gains is negligible; or that the least is considerable. What the
        project or a circumstance has decided stays.
        """
        gain, remedy = finding.gain, finding.remedy
        if gain is None or finding.category not in self.categories:
            return None
        if remedy is not None and remedy.keeps_level:
            return None
        if finding.severity == "warning":
            most = _most(gain, remedy)
            if most is not None and most < self.negligible:
                return "info", _saves(gain, most)
            probably = gain.is_predicted and gain.speedup < self.negligible
            if most is not None and probably and most < self.considerable:
                return "info", _probably_saves(gain, most)
            return None
        sure = finding.severity == "info" and finding.confidence != "low"
        if sure and gain.least is not None and gain.least >= self.considerable:
            faster = f"at least {gain.least:.3g} times as fast on {gain.device}"
            return "warning", f"removing it is predicted to make the kernel {faster}"
        return None


@dataclass(frozen=True, slots=True)
class Policy:
    """The circumstances, the level of findings that a rule itself is in doubt of, and what gains change."""

    doubt: Level
    circumstances: tuple[Circumstance, ...]
    gain: GainPolicy

    def heeded_by(self, rule: Rule, rulebook: Rulebook) -> list[tuple[Reference, Circumstance]]:
        """The circumstances that may change the level of a rule's findings, with their metrics."""
        every = ((one.reference(rule, rulebook), one) for one in self.circumstances if one.level != "same")
        return [(reference, one) for reference, one in every if reference is not None]


def lowered(severity: Severity, level: Level) -> Severity | None:
    """A severity under a level; None where nothing is told."""
    return None if level == "off" else SEVERITIES[0] if level == "info" else severity


def _most(gain: Gain, remedy: Remedy | None) -> float | None:
    """How many times as fast a kernel becomes at the most, None where that is not certain."""
    if gain.is_predicted:
        return gain.most if remedy is None or remedy.known_everywhere else None
    return gain.speedup if gain.basis == "at most" else None


def _saves(gain: Gain, most: float) -> str:
    said = "is predicted to save" if gain.is_predicted else "saves"
    return f"removing it {said} at most {_share(most)} of the kernel's time"


def _probably_saves(gain: Gain, most: float) -> str:
    share = f"about {_share(gain.speedup)} of the kernel's time, at most {_share(most)}"
    return f"removing it is predicted to save {share}"


def _share(speedup: float) -> str:
    return f"{max(0.0, 1.0 - 1.0 / speedup):.0%}"


@cache
def shipped_policy() -> Policy:
    """What `knowledge/policy.toml` says."""
    data = tomllib.loads((knowledge_folder() / "policy.toml").read_text("utf-8"))
    every = tuple(
        Circumstance(
            one["id"],
            one["metric"],
            one["level"],
            frozenset(one.get("categories", ())),
            one["because"],
            frozenset(one.get("except", ())),
            frozenset(one.get("errors", ())),
        )
        for one in data["circumstances"]
    )
    gain = data["gain"]
    limits = gain["negligible"], gain["considerable"]
    return Policy(
        data["doubt"], every, GainPolicy(*limits, frozenset(gain["categories"]), tuple(gain["devices"]))
    )


def policy_for(changes: Mapping[str, str | float]) -> Policy:
    """The policy with the levels that a project gives some of its circumstances, or `doubt`, and with its
    limits of gains.

    Raises UsageError for a circumstance that does not exist, and for limits that are none.
    """
    shipped = shipped_policy()
    if not changes:
        return shipped
    known = {"doubt", NEGLIGIBLE, CONSIDERABLE, *(one.id for one in shipped.circumstances)}
    for name in changes:
        if name not in known:
            raise UsageError(
                f"[tool.advisor.policy]: unknown circumstance `{name}`.{suggestion(name, known)}"
            )
    levels = {name: _LEVELS[level] for name, level in changes.items() if isinstance(level, str)}
    gain = shipped.gain
    limits = {name: limit for name, limit in changes.items() if isinstance(limit, int | float)}
    return Policy(
        levels.get("doubt", shipped.doubt),
        tuple(replace(one, level=levels.get(one.id, one.level)) for one in shipped.circumstances),
        replace(
            gain,
            negligible=limits.get(NEGLIGIBLE, gain.negligible),
            considerable=limits.get(CONSIDERABLE, gain.considerable),
        ),
    )


_LEVELS: dict[str, Level] = {"off": "off", "info": "info", "same": "same"}


def _way_to_kernel(rule: Rule, rulebook: Rulebook) -> tuple[str, ...] | None:
    variables = {entity: name for name, entity in reversed(rule.variables)}
    if "kernel" in variables:
        return (variables["kernel"],)
    if rulebook.owner_entity().get(rule.entity) == "kernel":
        return rule.variables[0][0], "kernel"
    return None

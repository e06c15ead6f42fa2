"""Changes of rules by packs and projects: which of them hold for a row, and what the rule is there.

Of several changes of one thing the most specific holds: one for a device, path or kernel before one for all,
with more such patterns before fewer; then the project's before a pack's; then the longer pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

from advisor.model.findings import Severity
from advisor.model.settings.path_patterns import matches_path
from advisor.rules.model import Override, Rule, Rulebook, Suppress

# The path of a row's file as patterns see it, None where it lies outside the project, and its kernel's name.
Place = tuple[str | None, str]


@dataclass(frozen=True)
class Variant:
    """A rule as it is for some rows: its parameters, its severity, and whether it is judged at all.

    `changes` are those that hold, by the name of the parameter or "level".
    """

    params: Mapping[str, float]
    severity: Severity
    enabled: bool = True
    changes: Mapping[str, Override] = field(default_factory=dict)


class Overrides:
    """The changes of one rule that hold today on a device."""

    def __init__(self, rule: Rule, changes: Iterable[Override], device: str, today: date) -> None:
        self._rule = rule
        holding = [
            one
            for one in changes
            if one.rule == rule.id and _matches(one.scope.device, device) and not has_ended(one, today)
        ]
        holding.sort(key=rank)
        self._everywhere = [one for one in holding if not one.scope.path and not one.scope.kernel]
        self._somewhere = [one for one in holding if one.scope.path or one.scope.kernel]

    @property
    def same_everywhere(self) -> bool:
        """Whether no change depends on the row."""
        return not self._somewhere

    def variants(self, places: Sequence[Place]) -> list[tuple[Variant, list[int]]]:
        """The rule's variants with the numbers of their rows, whose places are given."""
        if self.same_everywhere:
            return [(self.variant(), list(range(len(places))))]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, (path, kernel) in enumerate(places):
            holding = tuple(
                number
                for number, one in enumerate(self._somewhere)
                if _matches_path(one.scope.path, path) and _matches(one.scope.kernel, kernel)
            )
            groups.setdefault(holding, []).append(row)
        return [(self.variant(holding), rows) for holding, rows in groups.items()]

    def variant(self, somewhere: Sequence[int] = ()) -> Variant:
        """The rule with the changes that hold everywhere and some of those that do not."""
        changes = sorted([*self._everywhere, *(self._somewhere[number] for number in somewhere)], key=rank)
        params = {param.name: param.value for param in self._rule.params}
        severity, enabled = self._rule.severity, True
        holding: dict[str, Override] = {}
        for change in changes:
            params.update(change.params)
            holding[change.subject] = change
            if change.subject == "level":
                enabled = not change.disabled
                severity = change.level or severity
        return Variant(params, severity, enabled, holding)


def rank(change: Override) -> tuple[int, bool, int, tuple[str, str, str]]:
    """What changes are ordered by, the least specific first."""
    scope = change.scope
    patterns = (scope.device, scope.path, scope.kernel)
    return len(scope.parts), change.of_project, sum(map(len, patterns)), patterns


def _matches_path(pattern: str, path: str | None) -> bool:
    return not pattern or (path is not None and matches_path(pattern, path))


def _matches(pattern: str, name: str) -> bool:
    return not pattern or fnmatchcase(name, pattern)


def has_ended(change: Override | Suppress, today: date) -> bool:
    """Whether the last day of a change has passed; a text that is no date was refused when it was read."""
    return bool(change.until) and date.fromisoformat(change.until) < today


def ended(rulebook: Rulebook, today: date) -> list[Override | Suppress]:
    """The overrides and suppressions whose last day has passed."""
    changes: list[Override | Suppress] = [*rulebook.overrides, *rulebook.suppressions]
    return [one for one in changes if has_ended(one, today)]

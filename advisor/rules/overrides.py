"""Changes of rules by packs and projects: which of them hold for a row, and what the rule is there.

Of several changes of one thing the most specific holds: one for a device, path or kernel before one for all,
with more such patterns before fewer; then the project's before a pack's; then the longer pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase

from advisor.findings import Severity
from advisor.rules.model import Override, Rule, Rulebook, Suppress


@dataclass(frozen=True)
class Variant:
    """A rule as it is for some rows: its parameters, its severity, and whether it is judged at all."""

    params: Mapping[str, float]
    severity: Severity
    enabled: bool = True


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

    def variants(self, places: Sequence[tuple[str, str]]) -> list[tuple[Variant, list[int]]]:
        """The rule's variants with the numbers of their rows; `places` are paths and kernels of the rows."""
        if self.same_everywhere:
            return [(self.variant(), list(range(len(places))))]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, (path, kernel) in enumerate(places):
            holding = tuple(
                number
                for number, one in enumerate(self._somewhere)
                if _matches(one.scope.path, path) and _matches(one.scope.kernel, kernel)
            )
            groups.setdefault(holding, []).append(row)
        return [(self.variant(holding), rows) for holding, rows in groups.items()]

    def variant(self, somewhere: Sequence[int] = ()) -> Variant:
        """The rule with the changes that hold everywhere and some of those that do not."""
        changes = sorted([*self._everywhere, *(self._somewhere[number] for number in somewhere)], key=rank)
        params = {param.name: param.value for param in self._rule.params}
        severity, enabled = self._rule.severity, True
        for change in changes:
            params.update(change.params)
            if change.subject == "level":
                enabled = not change.disabled
                severity = change.level or severity
        return Variant(params, severity, enabled)


def rank(change: Override) -> tuple[int, bool, int, tuple[str, str, str]]:
    """What changes are ordered by, the least specific first."""
    scope = change.scope
    patterns = (scope.device, scope.path, scope.kernel)
    return len(scope.parts), change.of_project, sum(map(len, patterns)), patterns


def _matches(pattern: str, name: str) -> bool:
    return not pattern or fnmatchcase(name, pattern)


def has_ended(change: Override | Suppress, today: date) -> bool:
    """Whether the last day of a change has passed; a text that is no date was refused when it was read."""
    return bool(change.until) and date.fromisoformat(change.until) < today


def ended(rulebook: Rulebook, today: date) -> list[Override | Suppress]:
    """The overrides and suppressions whose last day has passed."""
    changes: list[Override | Suppress] = [*rulebook.overrides, *rulebook.suppressions]
    return [one for one in changes if has_ended(one, today)]

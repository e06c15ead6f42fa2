"""What keeps a check from telling of what a rule finds: selection, overrides, comments and others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from advisor.check.rule_selection import selected_rules
from advisor.check.rulebook_problems import shown_path
from advisor.check.suppressions import parse_suppressions
from advisor.model.findings import Report
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.path_patterns import matches_path, path_below
from advisor.model.settings.selectors import matches
from advisor.model.text.source_text import SourceText
from advisor.rules.evaluation.trace import Trace
from advisor.rules.model import Override, Rule, Rulebook
from advisor.rules.policy import Circumstance

By: TypeAlias = Literal["selection", "override", "policy", "suppress", "comment", "per-file-ignores"]


@dataclass(frozen=True, slots=True)
class Silencing:
    """What silences a rule at a row: its kind, a phrase that names it, its place and the reason it gives."""

    by: By
    phrase: str
    place: str
    reason: str = ""


class Silencer:
    """Answers for one rule under the options of a check; `report` has the texts of the files."""

    def __init__(self, rulebook: Rulebook, rule: Rule, options: CheckOptions, report: Report) -> None:
        self._rulebook, self._rule, self._options, self._report = rulebook, rule, options, report
        self._selected = rule.id in selected_rules(rulebook, options)

    def of(self, trace: Trace) -> Silencing | None:
        """What silences the rule at the row of a trace, the first in the order of a check."""
        return next(self._every(trace), None)

    def place_of(self, override: Override) -> str:
        """The place of an override, as other outputs show it."""
        if not override.of_project:
            path = shown_path(override.file, self._rulebook.packs, self._options.root)
            return f"{path}:{override.span.line}"
        if override.reason:
            return f"{self._configuration}:{override.span.line}"
        return f"{self._configuration}, rules.{override.rule}"

    def place_of_policy(self, circumstance: Circumstance) -> str:
        """Where a circumstance has its level from."""
        if circumstance.id in self._options.settings.policy:
            return f"{self._configuration}, policy.{circumstance.id}"
        return "knowledge/policy.toml"

    @property
    def _configuration(self) -> str:
        file = self._options.settings.file
        if file is None:
            return "the configuration"
        return path_below(self._options.root, file) or str(file)

    def _every(self, trace: Trace) -> Iterator[Silencing]:
        if not self._selected:
            yield Silencing("selection", "not selected", self._configuration)
        for override in trace.overrides:
            if override.disabled:
                yield Silencing("override", "disabled", self.place_of(override), override.reason)
        if trace.verdict not in ("fires", "info"):
            return
        for circumstance in trace.circumstances:
            if circumstance.level == "off":
                phrase = f"not told by the policy, `{circumstance.id}`"
                yield Silencing("policy", phrase, self.place_of_policy(circumstance), circumstance.because)
        if trace.accepted_by is not None:
            one = trace.accepted_by
            path = shown_path(one.file, self._rulebook.packs, self._options.root)
            yield Silencing("suppress", "accepted by `suppress`", f"{path}:{one.span.line}", one.reason)
        yield from self._by_comments(trace)
        yield from self._by_ignores(trace)

    def _by_comments(self, trace: Trace) -> Iterator[Silencing]:
        text = self._report.texts.get(trace.path)
        if text is None:
            return
        known = {rule.id for rule in self._rulebook.rules}
        for one in parse_suppressions(SourceText(trace.path, text), known).items:
            if one.silences(trace.rule.id, trace.span):
                place = f"{trace.path}:{one.span.line}"
                yield Silencing("comment", f"silenced by `# advisor: {one.scope}`", place, one.reason)

    def _by_ignores(self, trace: Trace) -> Iterator[Silencing]:
        settings, rule = self._options.settings, self._rule
        path = path_below(settings.root, Path(self._options.root) / trace.path)
        for pattern, selectors in settings.per_file_ignores.items():
            named = any(matches(selector, rule.id, rule.category) for selector in selectors)
            if named and path is not None and matches_path(pattern, path):
                phrase = f'ignored by `per-file-ignores`, "{pattern}"'
                yield Silencing("per-file-ignores", phrase, self._configuration)

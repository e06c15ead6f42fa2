"""What a check has to say about the knowledge itself: rules that do not load, changes that have ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from advisor.model.findings import Finding, Problem
from advisor.model.settings.config import Config
from advisor.model.suppression_rules import load_suppression_rules
from advisor.model.text.source_text import Span
from advisor.rules.loading.packs import pack_folder, rule_files
from advisor.rules.model import Override, Pack, Rulebook
from advisor.rules.overrides import ended

_ENDED = "ended-override"


def knowledge_problems(rulebook: Rulebook, root: Path) -> list[Problem]:
    """A problem for each error in a rule file, with its place."""
    return [
        Problem(
            shown_path(error.path, rulebook.packs, root),
            error.span.line,
            f"{error.code}: {error.sentence}{f' Help: {error.help}' if error.help else ''}",
            error.span.column,
        )
        for error in rulebook.errors
    ]


def empty_packs(settings: Config, root: Path) -> list[Problem]:
    """A problem for each configured pack without rules, where the configuration names it."""
    found = []
    for name in settings.packs:
        folder = pack_folder(name, settings.root)
        if not rule_files(folder):
            shown = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else str(folder)
            said = f"no rule files in this pack; {settings.place_of('packs', name)} names it"
            found.append(Problem(shown, 0, said))
    return found


def ended_overrides(
    rulebook: Rulebook, settings: Config, selected: Iterable[str], root: Path
) -> list[Finding]:
    """A finding for each override and suppression whose last day has passed."""
    if _ENDED not in selected:
        return []
    rule, today = load_suppression_rules()[_ENDED], date.today()
    file = settings.file
    place = (
        "" if file is None else file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
    )
    own = [
        rule.finding(
            place, Span(one.line), kind="override", rule=one.rule, until=one.until, reason=one.reason
        )
        for one in settings.overrides
        if one.until and date.fromisoformat(one.until) < today
    ]
    return own + [
        rule.finding(
            shown_path(one.file, rulebook.packs, root),
            one.span,
            kind="override" if isinstance(one, Override) else "suppression",
            rule=one.rule,
            until=one.until,
            reason=one.reason,
        )
        for one in ended(rulebook, today)
    ]


def deprecated_rules(rulebook: Rulebook, findings: Iterable[Finding]) -> list[str]:
    """A sentence for each deprecated rule that found something."""
    found = {finding.rule for finding in findings}
    return [
        f"The rule `{rule.id}` is deprecated: {rule.deprecated}"
        for rule in rulebook.rules
        if rule.deprecated and rule.id in found
    ]


def shown_path(path: str, packs: Sequence[Pack], root: Path) -> str:
    """The path of a rule file from `root` where it lies below, else as the rulebook calls it."""
    for pack in packs:
        file = pack.file_of(path)
        if file is not None and file.is_relative_to(root):
            return file.relative_to(root).as_posix()
    return path

"""Fixes put into texts: those that do not touch each other at once, the others at the next look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.fixes import known_fixes
from advisor.fixes.taken_edits import TakenEdits
from advisor.model.findings import Edit, Finding, Fix, Safety


def chosen(
    findings: Iterable[Finding], allowed: Iterable[Safety], mixed: bool = False
) -> list[tuple[Finding, Fix]]:
    """The first fix of each finding that has one of an allowed safety and does not touch an earlier one.

    Each was written for the text as it is. Two kinds of fixes may contradict each other at places that lie
    apart (one exchanges the axes of a launch whose block is square, the other gives it another block), so
    that a file gets fixes of one kind at a time, unless they are `mixed` for somebody who looks at the
    results.
    """
    wanted = set(allowed)
    kinds: dict[str, str] = {}
    taken = TakenEdits()
    found: list[tuple[Finding, Fix]] = []
    fixed: set[int] = set()
    phases = {fix.id: fix.phase for fix in known_fixes()}
    pairs = [(finding, fix) for finding in findings for fix in finding.fixes]
    pairs.sort(key=lambda pair: (phases.get(pair[1].id, 0), *_place(pair[0])))
    for finding, fix in pairs:
        if not fix.edits or fix.safety not in wanted or id(finding) in fixed:
            continue
        paths = [path or finding.path for path in fix.paths]
        if not mixed and any(kinds.get(path, fix.id) != fix.id for path in paths):
            continue
        if not taken.take(fix.edits, finding.path):
            continue
        kinds |= dict.fromkeys(paths, fix.id)
        fixed.add(id(finding))
        found.append((finding, fix))
    return found


def _place(finding: Finding) -> tuple[str, int, int, str]:
    return finding.path, finding.span.line, finding.span.column, finding.rule


def edits_by_path(pairs: Iterable[tuple[Finding, Fix]]) -> dict[str, list[Edit]]:
    """The edits of fixes by file, in order, without repetitions; each names its file."""
    found: dict[str, set[Edit]] = {}
    # Findings of one kernel may share the edits of all its lines.
    shared = {(id(fix.edits), finding.path): fix.edits for finding, fix in pairs}
    for (_, own), edits in shared.items():
        for edit in edits:
            path = edit.path or own
            found.setdefault(path, set()).add(edit if edit.path else replace(edit, path=path))
    return {path: sorted(edits) for path, edits in sorted(found.items())}


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits that do not touch each other."""
    parts: list[str] = []
    end = 0
    for edit in sorted(edits):
        parts += text[end : edit.start], edit.text
        end = edit.end
    return "".join((*parts, text[end:]))


def applied(text: str, fixes: Iterable[Fix]) -> str:
    """The text with the edits of fixes that concern only the finding's own file."""
    return edited(text, {edit for fix in fixes for edit in fix.edits})

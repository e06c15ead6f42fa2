"""Fixes put into texts: those that do not touch each other at once, the others at the next look."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from advisor.findings import Edit, Finding, Fix, Safety


def chosen(findings: Iterable[Finding], allowed: Iterable[Safety]) -> list[tuple[Finding, Fix]]:
    """The first fix of each finding that has one of an allowed safety and does not touch an earlier one.

    All findings must be of one file.
    """
    wanted = set(allowed)
    taken: list[Edit] = []
    found = []
    for finding in sorted(findings, key=lambda one: (one.span.line, one.span.column, one.rule)):
        fix = next((one for one in finding.fixes if one.edits and one.safety in wanted), None)
        if fix is not None and not any(_touch(one, other) for one in fix.edits for other in taken):
            taken += [edit for edit in fix.edits if edit not in taken]
            found.append((finding, fix))
    return found


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two different edits concern one place; the same insertion twice is one."""
    if one == other:
        return False
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def applied(text: str, fixes: Iterable[Fix]) -> str:
    """The text with the edits of fixes that do not touch each other.

    Raises SyntaxError when the result is no Python any more.
    """
    edits = sorted({edit for fix in fixes for edit in fix.edits}, reverse=True)
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    ast.parse(text)
    return text

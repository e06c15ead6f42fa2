"""The page of a fix: what it changes, how safe that is, and whose findings it fixes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from advisor.fixes import FixData, fix_description, known_fixes
from advisor.reports.rule_pages.page_model import Page, Section, Words


def fixes_of(rule: str) -> list[FixData]:
    """The fixes of a rule's findings."""
    return [fix for fix in known_fixes() if rule in fix.rules]


def find_fix(name: str) -> FixData | None:
    """The fix of that name, None for no fix."""
    return next((fix for fix in known_fixes() if fix.id == name), None)


def build_fix_page(fix: FixData) -> Page:
    """The page of a fix."""
    sections = (
        Section("What", (fix_description(fix.id),)),
        Section("Conditions", (fix.condition,)),
        Section("Rules", items=tuple(Words(rule, code=True) for rule in fix.rules)),
        Section(
            "Parameters",
            table=(("name", "value"), *((name, f"{value}") for name, value in fix.parameters.items())),
        ),
    )
    shown = tuple(section for section in sections if section)
    return Page(f"{fix.id}: {fix.title}", (("safety", fix.safety),), shown)


def fix_as_json(fix: FixData) -> str:
    """The fix as a JSON object."""
    content = {
        "id": fix.id,
        "title": fix.title,
        "safety": fix.safety,
        "what": fix_description(fix.id),
        "condition": fix.condition,
        "rules": list(fix.rules),
        "parameters": dict(fix.parameters),
    }
    return json.dumps(content, indent=2)


def fixes_as_markdown(fixes: Sequence[FixData]) -> str:
    """A section for each fix: what it does, its condition, its rules."""
    parts = []
    for fix in fixes:
        rules = ", ".join(f"`{rule}`" for rule in fix.rules)
        parts += [
            f"## `{fix.id}`: {fix.title}",
            "",
            fix_description(fix.id),
            "",
            f"- Safety: {fix.safety}.",
            f"- Conditions: {fix.condition}.",
            f"- Fixes findings of {rules}.",
            "",
        ]
    return "\n".join(parts).rstrip() + "\n"

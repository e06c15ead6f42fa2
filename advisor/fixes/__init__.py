"""Fixes as edits of the user's source. Each module below `rewrites` is one fix, called as its file.

A module has a function `edits(place)` that gives the edits of one finding, or None where it cannot tell. What
a fix is called, which rules' findings it fixes, how safe it is and under which condition stands in a block of
comments at its top (`fix_data`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.fixes.fix_data import FixData, read_fix
from advisor.model.findings import Finding
from advisor.model.text.syntax_trees import syntax_tree

if TYPE_CHECKING:
    from advisor.evidence.metrics.tables import Tables

__all__ = ["FixData", "fix_description", "known_fixes", "module_name", "with_fixes"]

_PACKAGE = Path(__file__).parent


@cache
def known_fixes() -> tuple[FixData, ...]:
    """All fixes, in order of their names; none is imported."""
    return tuple(sorted((read_fix(file) for file in _rewrites().values()), key=lambda fix: fix.id))


@cache
def fix_description(name: str) -> str:
    """The first paragraph of what a fix's module says of itself; nothing is imported."""
    file = _rewrites()[name]
    text = ast.get_docstring(syntax_tree(file.read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def module_name(name: str) -> str:
    """The name by which a fix's module is imported."""
    parts = _rewrites()[name].relative_to(_PACKAGE).with_suffix("").parts
    return ".".join((__name__, *parts))


@cache
def _rewrites() -> dict[str, Path]:
    """The file of each fix by the fix's name."""
    files = (_PACKAGE / "rewrites").glob("*/*.py")
    return {file.stem.replace("_", "-"): file for file in files if file.stem != "__init__"}


def with_fixes(
    findings: Iterable[Finding],
    texts: Mapping[str, str],
    tables: Tables | None = None,
    with_errors: Collection[str] = (),
) -> list[Finding]:
    """The findings with the fixes that can be written as edits of their files, whose texts are given.

    `tables` are what is known of kernels and launches; without them only fixes that look at the finding's own
    lines have something to say. Texts at the paths `with_errors` do not parse: these are not edited.
    """
    from advisor.fixes.known_facts import KnownFacts

    facts = KnownFacts(tables or {})
    writer: Any = None
    found = []
    for finding in findings:
        able = [fix for fix in known_fixes() if finding.rule in fix.rules]
        if able and not facts.may_know_kernel(finding):
            able = [fix for fix in able if not fix.needs_kernel]
        if able and finding.path in texts:
            if writer is None:
                # A check without such findings need not wait for the import.
                from advisor.fixes.writing import FixWriter

                writer = FixWriter(texts, tables or {}, with_errors)
            finding = writer.with_edits(finding, able).without_fixes_in(with_errors)
        found.append(finding)
    return found

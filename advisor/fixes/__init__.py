"""Remedies as edits of the user's source. Each module of this package is one fix, called as its data file.

A module has a function `edits(place)` that gives the edits of one finding, or None where it cannot tell. What
a fix is called, which rules it mends, how safe it is and under which condition stands in `knowledge/fixes/`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from advisor.data_files import knowledge_folder
from advisor.findings import Edit, Finding, Fix, Safety

if TYPE_CHECKING:
    from advisor.fixes.source_module import SourceModule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class FixData:
    """What is known of a fix: its name, title, safety, the rules it mends, and when results stay the same."""

    id: str
    title: str
    safety: Safety
    rules: tuple[str, ...]
    condition: str


@cache
def known_fixes() -> tuple[FixData, ...]:
    """All fixes, in order of their names."""
    found = []
    for file in sorted((knowledge_folder() / "fixes").glob("*.toml")):
        data = tomllib.loads(file.read_text("utf-8"))
        fix = FixData(file.stem, data["title"], data["safety"], tuple(data["rules"]), data["condition"])
        found.append(fix)
    return tuple(found)


def with_fixes(findings: Iterable[Finding], texts: Mapping[str, str]) -> list[Finding]:
    """The findings with the fixes that can be written as edits of their files, whose texts are given."""
    modules: dict[str, SourceModule | None] = {}
    found = []
    for finding in findings:
        able = [fix for fix in known_fixes() if finding.rule in fix.rules]
        if able and finding.path in texts:
            if finding.path not in modules:
                # LibCST takes a moment to import, which a check without such findings need not wait for.
                from advisor.fixes.source_module import read_module

                modules[finding.path] = read_module(texts[finding.path])
            module = modules[finding.path]
            if module is not None:
                finding = _with_edits(finding, module, able)
        found.append(finding)
    return found


def _with_edits(finding: Finding, module: SourceModule, able: Iterable[FixData]) -> Finding:
    from advisor.fixes.source_module import Place

    fixes = list(finding.fixes)
    for fix in able:
        edits = _edits(fix.id, Place(finding.span, module))
        if edits:
            fixes.append(Fix(fix.title, fix.safety, fix.id, fix.condition, tuple(sorted(edits))))
    return replace(finding, fixes=tuple(fixes))


def _edits(name: str, place: object) -> list[Edit] | None:
    writer = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    found: list[Edit] | None = writer.edits(place)
    return found

"""The edits of findings: each fix of a finding's rule is asked for its own."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from advisor.evidence.metrics.tables import Tables
from advisor.fixes import FixData, module_name
from advisor.fixes.around_errors import AroundErrors
from advisor.fixes.inside_cells import inside_cells
from advisor.fixes.known_facts import KnownFacts
from advisor.fixes.place import Modules, Place
from advisor.fixes.support.edits.source_module import NotEditable
from advisor.model.findings import Edit, Finding, Fix


class FixWriter:
    """Writes fixes for the findings of one check. Its texts at the paths `with_errors` do not parse.

    `readable` are the texts with broken lines blanked, at the same places.
    """

    def __init__(self, texts: Mapping[str, str], tables: Tables, with_errors: Collection[str] = ()) -> None:
        self._around = AroundErrors(texts, with_errors)
        self.readable = self._around.readable
        self._modules, self._facts = Modules(self.readable, self._around.unread), KnownFacts(tables)
        # Edits of a whole kernel are one list for all its findings, and so is what becomes of them.
        self._written: dict[tuple[str, str, int], tuple[list[Edit], Fix | None]] = {}

    def with_edits(self, finding: Finding, able: Iterable[FixData]) -> Finding:
        """The finding with each of the fixes that has something to say of it."""
        module = self._modules.get(finding.path)
        if module is None:
            return finding
        fixes = list(finding.fixes)
        for fix in able:
            place = Place(finding, module, self._modules, self._facts, fix.parameters)
            edits = _edits(fix.id, place)
            written = self._fix_with(fix, edits, finding.path) if edits else None
            if written is not None and self._around.allow(written.edits, place):
                fixes.append(written)
        return replace(finding, fixes=tuple(fixes))

    def _fix_with(self, fix: FixData, edits: list[Edit], path: str) -> Fix | None:
        """The fix for a finding in `path`, None where its edits cannot stay inside of a notebook's cells."""
        key = fix.id, path, id(edits)
        if key not in self._written:
            inside = inside_cells(edits, path, self.readable)
            one = Fix(fix.title, fix.safety, fix.id, fix.condition, tuple(sorted(inside))) if inside else None
            # The edits too, since no other list has their identity while they are there.
            self._written[key] = edits, one
        return self._written[key][1]


def _edits(name: str, place: Place) -> list[Edit] | None:
    module = importlib.import_module(module_name(name))
    try:
        found: list[Edit] | None = module.edits(place)
    except NotEditable:
        return None
    return found

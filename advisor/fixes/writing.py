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
from advisor.fixes.support.edits.source_module import NotEditable, SourceModule
from advisor.fixes.taken_edits import TakenEdits
from advisor.model.findings import Edit, Finding, Fix


class FixWriter:
    """Writes fixes for the findings of one check. Its texts at the paths `with_errors` do not parse.

    `readable` are the texts with broken lines blanked, at the same places.
    """

    def __init__(self, texts: Mapping[str, str], tables: Tables, with_errors: Collection[str] = ()) -> None:
        self._around = AroundErrors(texts, with_errors)
        self.readable = self._around.readable
        self._modules, self._facts = Modules(self.readable, self._around.unread), KnownFacts(tables)
        # Edits of a whole kernel are one list for all its places, and so is what becomes of them.
        self._inside: dict[tuple[str, int], tuple[list[Edit], list[Edit] | None]] = {}

    def with_edits(self, finding: Finding, able: Iterable[FixData]) -> Finding:
        """The finding with each of the fixes that has something to say of it, at all its places at once."""
        module = self._modules.get(finding.path)
        if module is None:
            return finding
        found = (self._fix(finding, module, fix) for fix in able)
        return replace(finding, fixes=(*finding.fixes, *(fix for fix in found if fix is not None)))

    def _fix(self, finding: Finding, module: SourceModule, fix: FixData) -> Fix | None:
        """A fix at those places of a finding whose edits do not touch those of an earlier place.

        None where there are no such edits.
        """
        taken = TakenEdits()
        edits: set[Edit] = set()
        lines: list[int] = []
        known: list[Edit] | None = None
        for one in finding.at_each_place():
            place = Place(one, module, self._modules, self._facts, fix.parameters)
            written = _edits(fix.id, place)
            inside = self._inside_cells(written, finding.path) if written else None
            if inside and self._around.allow(inside, place) and taken.take(inside, finding.path):
                if inside is not known:
                    edits.update(inside)
                    known = inside
                lines.append(one.span.line)
        if not edits:
            return None
        return Fix(
            fix.title, fix.safety, fix.id, fix.condition, tuple(sorted(edits)), lines=tuple(sorted(lines))
        )

    def _inside_cells(self, edits: list[Edit], path: str) -> list[Edit] | None:
        """The edits for a place in `path`, None where they cannot stay inside of a notebook's cells."""
        key = path, id(edits)
        if key not in self._inside:
            # The edits too, since no other list has their identity while they are there.
            self._inside[key] = edits, inside_cells(edits, path, self.readable)
        return self._inside[key][1]


def _edits(name: str, place: Place) -> list[Edit] | None:
    module = importlib.import_module(module_name(name))
    try:
        found: list[Edit] | None = module.edits(place)
    except NotEditable:
        return None
    return found

"""Records at places of a kernel: their keys and spans."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import Place
from advisor.model.records import Record


def record_at(entity: str, kernel: str, place: Place, label: str, what: str = "") -> Record:
    """A record of `entity` at a place of a kernel."""
    node, path = place.node, place.module.path
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    key = f"{kernel}:{path}:{line}:{column}:{what or entity}"
    return Record(entity, key, path, place.module.span(node), label, kernel)

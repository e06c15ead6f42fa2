"""Records at places of a kernel: their keys and spans."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import Place
from advisor.model.records import Record


def _place_key(kernel: str, place: Place, what: str) -> str:
    node = place.node
    return (
        f"{kernel}:{place.module.path}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}:{what}"
    )


def record_at(entity: str, kernel: str, place: Place, label: str, what: str = "") -> Record:
    """A record of `entity` at a place of a kernel."""
    return Record(
        entity,
        _place_key(kernel, place, what or entity),
        place.module.path,
        place.module.span(place.node),
        label,
        kernel,
    )

"""The declared metrics and entities, and hints for words that are not among them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from advisor.rules.model import (
    Entity,
    Metric,
)

SINGLETONS = ("run", "device")


@dataclass
class Vocabulary:
    """The declared metrics and entities."""

    metrics: dict[tuple[str, str], Metric] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)

    def names_of(self, entity: str) -> list[str]:
        """The metrics of an entity."""
        return [name for owner, name in self.metrics if owner == entity]

    def walk(self, entity: str, parts: Iterable[str]) -> str | None:
        """The entity reached by following owners (`k.run`), None when a part is no owner."""
        for part in parts:
            owner = self.entities[entity].owner if entity in self.entities else None
            if part != owner:
                return None
            entity = part
        return entity


def hint_for(word: str, known: Iterable[str]) -> str:
    """ "did you mean …" or the list of what is known."""
    return _hint(word, tuple(sorted(known)))


@lru_cache(maxsize=256)
def _hint(word: str, names: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean `{close[0]}`?"
    return (
        f"known are {', '.join(names[:12])}{' …' if len(names) > 12 else '.'}"
        if names
        else "nothing is known here."
    )

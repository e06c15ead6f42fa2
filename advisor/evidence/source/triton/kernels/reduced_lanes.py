"""Which reductions the undefined lanes of a load flow into, and as what."""

from __future__ import annotations

from advisor.evidence.source.triton.walk.notes import AccessNote, KernelNotes
from advisor.evidence.source.triton.walk.quantities import AS_LOADED, MAGNITUDE
from advisor.model.records import Value

_LARGEST, _LEAST = frozenset({"max", "argmax"}), frozenset({"min", "argmin"})
_EXTREMES = _LARGEST | _LEAST | {"sort"}


def reduced_values(note: AccessNote, notes: KernelNotes) -> dict[str, Value | None]:
    """The metrics of an access on reductions of its undefined lanes."""
    ways = _ways(note)
    names = {name for name, _ in ways}
    alike = [
        one
        for one in notes.accesses
        if not one.where.inside and _is_extreme(one) and (_as_loaded(one) or not _as_loaded(note))
    ]
    return {
        "reduction": ways[0][0] if ways else None,
        "reduced": bool(ways),
        "reduced_as_loaded": _as_loaded(note),
        "reduced_both_ways": bool(names & _LARGEST) and bool(names & _LEAST),
        "reduced_alike": float(len(alike)) if _is_extreme(note) else 0.0,
        "reduced_before": any(one.number < note.number for one in alike),
    }


def _ways(note: AccessNote) -> list[tuple[str, str]]:
    """The reductions and routes that count, the value itself in a maximum or minimum first.

    Zeros, with which the lanes are filled, cannot win among magnitudes.
    """
    counted = [way for way in note.reached if not (way[0] in _LARGEST and way[1] == MAGNITUDE)]
    return sorted(counted, key=lambda way: not (way[0] in _EXTREMES and way[1] == AS_LOADED))


def _is_extreme(note: AccessNote) -> bool:
    return any(name in _EXTREMES for name, _ in _ways(note)[:1])


def _as_loaded(note: AccessNote) -> bool:
    ways = _ways(note)
    return bool(ways) and ways[0][0] in _EXTREMES and ways[0][1] == AS_LOADED

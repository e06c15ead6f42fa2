"""Whether exchanging the thread axes of a kernel makes more of its accesses coalesced than it spoils."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.model.records import Value


def exchange_pays(place: Place) -> bool:
    """Whether an exchange mends the finding's access, and more of the kernel's accesses than it makes slow.

    Accesses count by their requests where a run has shown them all, else by the depth of their loops.
    """
    found: dict[int, list[Row]] = {1: [], -1: []}
    for row in place.rows("access"):
        effect = exchange_effect(row)
        if effect:
            found[effect].append(row)
    if not any(row.path == place.finding.path and row.span == place.finding.span for row in found[1]):
        return False
    counted = [*found[1], *found[-1]]
    shown = all(isinstance(row.values.get("requests"), float) for row in counted)
    weights = [sum(_weight(row, shown, place.parameters) for row in found[effect]) for effect in (1, -1)]
    return weights[0] > weights[1]


def exchange_effect(row: Row) -> int:
    """1 for an access that lanes along y would meet in a row, -1 for one that they would meet in a column."""
    values = row.values
    if values.get("space") not in ("global", "shared"):
        return 0
    lane, other = values.get("lane_axis"), values.get("fast_axis_thread")
    dimensions = values.get("dimensions")
    if lane == "slow" and other is not None:
        return 1 if other or dimensions == 2 else 0
    if lane == "fast":
        return -1 if isinstance(dimensions, float) and dimensions > 1 else 0
    if lane == "none" and other == 0 and values.get("thread_independent") == 0:
        return -1
    return 0


def _weight(row: Row, shown: bool, parameters: Mapping[str, Value]) -> float:
    if shown:
        return float(row.values["requests"])
    repeats: float = float(parameters["loop_repeats"]) ** float(row.values.get("loop_depth", 0.0))
    return repeats

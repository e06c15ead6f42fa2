"""What launches that were made up agree about: at each line, and of the kernel as a whole.

Nobody chose their sizes and data, so only what is the same in all of them can be true of the launches that
somebody makes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from advisor.evidence.simulated.launches.kernel_readings import launch_ratios, warp_readings
from advisor.evidence.simulated.launches.line_readings import Move, line_readings
from advisor.evidence.simulated.simt.counts import WARP, AccessCounts
from advisor.evidence.simulated.synthesis.result import LineCounts
from advisor.evidence.simulated.synthesis.trial import Trial
from advisor.model.records import LineReading, Value

# Values agree where the least is at least this part of the most (docs/decisions/0037).
_ALIKE = 0.9
# Shares near 0 agree where they differ by no more.
_SHARE = 0.02
# Of the lanes that a warp can have, these are active at the least where its requests tell of others.
_ACTIVE = 0.5
# What does not count the sizes of a launch, by entity.
_METRICS = {
    "access": ("sectors_per_request", "ideal_sectors_per_request", "bank_conflict_ways", "lane_stride"),
    "atomic": ("lanes_per_address",),
    "branch": ("divided",),
}
# What is more where rows of arrays do not begin at a sector.
_OF_ALIGNMENT = frozenset({"sectors_per_request"})
Line: TypeAlias = "tuple[str, str, int, str, str, str]"


@dataclass(frozen=True)
class _Seen:
    """The lines of one launch, and those at which too few lanes were active or something strayed."""

    lines: dict[Line, LineReading]
    doubtful: frozenset[Line]


def agreed_lines(
    kernel: str,
    trials: Sequence[Trial],
    odd: Sequence[bool],
    data_branches: frozenset[tuple[str, int]],
    move: Move,
) -> tuple[LineCounts, ...]:
    """The lines of which launches agree about something, or of which at least one tells something.

    `odd` says which launches have rows that do not begin where sectors do. `data_branches` are places where
    what a branch decides hangs on data. `move` gives the place of a line.
    """
    seen = [_seen(kernel, trial, move) for trial in trials]
    places = dict.fromkeys(line for one in seen for line in one.lines)
    found = []
    for line in places:
        entity, path, number, array, space, kind = line
        if entity == "branch" and (path, number) in data_branches:
            continue
        counts = LineCounts(entity, path, number, array, space, kind, {})
        for metric in _METRICS[entity]:
            _compare(counts, metric, [_number(one, line, metric) for one in seen], odd)
        if counts.values or counts.seen:
            found.append(counts)
    return tuple(found)


def _compare(counts: LineCounts, metric: str, each: Sequence[float | None], odd: Sequence[bool]) -> None:
    """Note what launches agree about, else what each of them saw."""
    if agree(each, exact=metric == "lane_stride"):
        counts.values[metric] = each[0]
    elif metric in _OF_ALIGNMENT and (most := _unaligned(each, odd)) is not None:
        counts.values[metric], counts.most[metric] = each[0], most
    elif any(one is not None for one in each):
        counts.seen[metric] = tuple(each)


def _unaligned(each: Sequence[float | None], odd: Sequence[bool]) -> float | None:
    """The most sectors of rows that are not aligned, where nothing but that makes launches differ; else None.

    Sectors side by side are one more then, at most twice as many.
    """
    aligned = [one for one, unaligned in zip(each, odd, strict=True) if not unaligned]
    others = [one for one, unaligned in zip(each, odd, strict=True) if unaligned and one is not None]
    first = aligned[0] if aligned else None
    if first is None or not others or not agree(aligned) or len(aligned) + len(others) < len(each):
        return None
    return max(others) if _ALIKE * first <= min(others) and max(others) <= 2 * first else None


def _seen(kernel: str, trial: Trial, move: Move) -> _Seen:
    readings = line_readings(kernel, trial.counted, (), move, ())
    lines = {(one.entity, one.path, one.line, one.array, one.space, one.kind): one for one in readings}
    active = _active_lanes(trial, move)
    strays = {move(*place) for place in trial.strays}
    doubtful = {
        line
        for line in lines
        if not trial.all_strays or line[1:3] in strays or active.get(line[1:], 1.0) < _ACTIVE
    }
    return _Seen(lines, frozenset(doubtful))


def _active_lanes(trial: Trial, move: Move) -> dict[tuple[str, int, str, str, str], float]:
    """The part of active lanes in the requests of each line, by path, line, array, space and kind."""
    lanes = min(WARP, math.prod(trial.counted.block))
    groups: dict[tuple[str, int, str, str, str], list[AccessCounts]] = defaultdict(list)
    for one in trial.counted.accesses:
        path, line = move(one.path, one.line)
        kinds = (one.kind, "update") if one.kind in ("load", "store") else (one.kind,)
        for kind in kinds:
            groups[path, line, one.array, one.space, kind].append(one)
    return {
        place: sum(one.lanes for one in group) / max(1, lanes * sum(one.requests for one in group))
        for place, group in groups.items()
    }


def _number(seen: _Seen, line: Line, metric: str) -> float | None:
    reading = seen.lines.get(line)
    value = None if reading is None or line in seen.doubtful else reading.values.get(metric)
    return None if value is None else float(value)


def agree(values: Sequence[float | None], exact: bool = False) -> bool:
    """Whether all launches tell a value, within a tenth of each other; `exact` asks for the same."""
    known = [one for one in values if one is not None]
    if not known or len(known) < len(values):
        return False
    least, most = min(known), max(known)
    return least == most if exact else least >= _ALIKE * most or most - least <= _SHARE


def agreed_values(trials: Sequence[Trial]) -> dict[str, Value | None]:
    """The metrics of the kernel that all launches agree about; none unless all of them are clean.

    Ratios of the counts, and what one warp executes: where that follows from sizes, the launches differ.
    """
    if not all(one.clean and one.active >= _ACTIVE for one in trials):
        return {}
    readings = [{**launch_ratios(one.counted), **warp_readings(one.counted)} for one in trials]
    found: dict[str, Value | None] = {}
    for metric in readings[0]:
        values = [one.get(metric) for one in readings]
        numbers = [None if value is None else float(value) for value in values]
        if agree(numbers):
            found[metric] = numbers[0]
    return found

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

from advisor.evidence.simulated.launches.readings.kernel_readings import launch_ratios, warp_readings
from advisor.evidence.simulated.launches.readings.line_readings import Move, line_readings
from advisor.evidence.simulated.simt.counts import WARP, AccessCounts
from advisor.evidence.simulated.synthesis.result import LineCounts
from advisor.evidence.simulated.synthesis.size_choices import widest_share
from advisor.evidence.simulated.synthesis.trial import Trial
from advisor.model.records import LineReading, Value
from advisor.program.index_relations.relations import IndexRelations

# Values agree where the least is at least this part of the most (docs/decisions/0037).
_ALIKE = 0.9
# Shares near 0 agree where they differ by no more.
_SHARE = 0.02
# Of the lanes that a warp can have, these are active at the least where its requests tell of others.
ACTIVE = 0.5
# What does not count the sizes of a launch, by entity.
_METRICS = {
    "access": ("sectors_per_request", "ideal_sectors_per_request", "bank_conflict_ways", "lane_stride"),
    "atomic": ("lanes_per_address",),
}
_DIVIDED = "divided"
# What follows from the bytes of elements and where they begin, and by how much at most, rounded up.
_NEEDED = "ideal_sectors_per_request"
_OF_BYTES = frozenset({"sectors_per_request", _NEEDED})
_TWICE = 2.1
# The parts of accesses in those of the kernel, which go with its sizes wherever it loops over data.
_SHARES = ("request_share", "wavefront_share", "sector_share")
Line: TypeAlias = "tuple[str, str, int, str, str, str]"
_Place: TypeAlias = "tuple[str, int, str, str, str]"


@dataclass(frozen=True)
class Look:
    """What a launch is for: `plain` ones have the same types and rows that begin at sectors, `guessed` ones
    other types or other values of constants at the same sizes.
    """

    plain: bool
    guessed: bool


@dataclass(frozen=True)
class _Seen:
    """The lines of one launch, those at which too few lanes were active or something strayed, and the part of
    active lanes of each, by all of the line but its entity.
    """

    lines: dict[Line, LineReading]
    doubtful: frozenset[Line]
    active: dict[_Place, float]


def agreed_lines(
    kernel: str,
    trials: Sequence[Trial],
    looks: Sequence[Look],
    edges: Sequence[Trial],
    doubtful: frozenset[str],
    relations: IndexRelations,
    move: Move,
) -> tuple[LineCounts, ...]:
    """The lines of which launches agree about something, or of which at least one tells something.

    `looks` say what each launch is for; `edges` are launches that tell how often the edges of the data part a
    warp. Nothing is told of accesses to `doubtful` arrays.
    `relations` know the places where what a branch decides hangs on data, and where real numbers pick
    elements: nothing is told there. `move` gives the place of a line.
    """
    seen = [_seen(kernel, trial, doubtful, move) for trial in trials]
    plain = [one.plain for one in looks]
    guessed = [one.guessed for one in looks]
    at_edges = [_seen(kernel, trial, doubtful, move) for trial in edges]
    places = dict.fromkeys(line for one in seen for line in one.lines)
    steady = agree([_requests_of_a_warp(one) for one in trials])
    found: list[LineCounts] = []
    for line in places:
        entity, path, number, array, space, kind = line
        if entity == "branch" and (path, number) in relations.data_branches:
            continue
        if (path, number, array) in relations.real_indices:
            continue
        counts = LineCounts(entity, path, number, array, space, kind, {})
        if entity == "branch":
            each, at_edge = ([_number(one, line, _DIVIDED) for one in of] for of in (seen, at_edges))
            _compare_branch(counts, each, guessed, at_edge)
        for metric in _METRICS.get(entity, ()):
            active = [one.active.get(line[1:], 1.0) for one in seen]
            _compare(counts, metric, [_number(one, line, metric) for one in seen], plain, active)
            if metric in _OF_BYTES and counts.values.get(metric) is not None:
                _note_full_warps(counts, metric, trials, active)
        if entity == "access" and steady:
            for metric in _SHARES:
                _note_share(counts, metric, [_number(one, line, metric) for one in seen])
        found.append(counts)
    # Contents that are made up may lead few lanes where those of a program lead all.
    if steady and not relations.data_branches:
        for metric in _SHARES:
            _bound_the_rest(found, metric)
    return tuple(one for one in found if one.values or one.seen)


def _compare(
    counts: LineCounts,
    metric: str,
    each: Sequence[float | None],
    plain: Sequence[bool],
    active: Sequence[float],
) -> None:
    """Note what launches agree about, else what each of them saw."""
    # Fewer lanes need fewer bytes: as many of half of the lanes is no agreement.
    same_lanes = agree(active) or metric != _NEEDED
    if same_lanes and agree(each, exact=metric == "lane_stride"):
        counts.values[metric] = each[0]
    elif metric in _OF_BYTES and (span := _span(each, plain, active)) is not None:
        counts.values[metric], counts.most[metric] = span
    elif any(one is not None for one in each):
        counts.seen[metric] = tuple(each)


def _note_full_warps(
    counts: LineCounts, metric: str, trials: Sequence[Trial], active: Sequence[float]
) -> None:
    """Note what all lanes would ask for where far fewer are `active` in a line, and in all requests.

    Then the data may end within their blocks: 100 elements in one block of 128 leave three full warps and one
    of four lanes. Larger data have full warps.
    """
    if max(map(_active_of_accesses, trials)) >= _ALIKE:
        return
    least = float(counts.values[metric] or 0.0)
    full = least / max(ACTIVE, min(active))
    if least < _ALIKE * full:
        counts.most[metric] = max(counts.most.get(metric, 0.0), min(full, float(WARP)))


def _active_of_accesses(trial: Trial) -> float:
    """The part of active lanes in all requests, of those that a warp of the block has."""
    requests = sum(one.requests for one in trial.counted.accesses)
    return sum(one.lanes for one in trial.counted.accesses) / max(1.0, _lanes_of_a_warp(trial) * requests)


def _lanes_of_a_warp(trial: Trial) -> float:
    threads = math.prod(trial.counted.block)
    return threads / -(-threads // WARP)


def _requests_of_a_warp(trial: Trial) -> float | None:
    """What a warp loads, stores and updates; where that goes with the sizes of a launch, so do all shares."""
    requests = sum(one.requests for one in trial.counted.accesses)
    return requests / trial.counted.warps if trial.counted.warps else None


def _note_share(counts: LineCounts, metric: str, each: Sequence[float | None]) -> None:
    """Note the least and the most part where launches agree in proportion: a small part is no part near 0 at
    other sizes.

    Where as large a part of the requests is made in all of them, the part of the sectors differs by where
    rows begin, as these do.
    """
    aligned = metric == "sector_share" and {"request_share", "sectors_per_request"} <= counts.values.keys()
    alike = 1.0 / _TWICE if aligned else _ALIKE
    known = [one for one in each if one is not None]
    if not known or len(known) < len(each) or min(known) < alike * max(known):
        return
    counts.values[metric] = min(known)
    if max(known) > min(known):
        counts.most[metric] = max(known)


def _bound_the_rest(found: Sequence[LineCounts], metric: str) -> None:
    """Note that places whose part is not known share what the others leave of the kernel's count: those that
    few lanes reach, or none in the launches that were made up.
    """
    shared = metric == "wavefront_share"
    accesses = [one for one in found if one.entity == "access" and (one.space == "shared") is shared]
    # An update is a load and a store, which stand beside it.
    known = (one.values.get(metric) for one in accesses if one.kind in ("load", "store"))
    rest = 1.0 - sum(float(one) for one in known if one is not None)
    for one in accesses:
        if metric not in one.values and one.space in ("global", "local", "shared"):
            one.values[metric], one.most[metric] = 0.0, max(0.0, rest)


def _compare_branch(
    counts: LineCounts, each: Sequence[float | None], guessed: Sequence[bool], edges: Sequence[float | None]
) -> None:
    """Note how often a branch parts a warp: a share where launches agree, those that tell of edges too.

    A guard parts warps at the edges of the data alone, so that no share is that of all sizes: where only the
    edges make launches differ, the least and the most are noted, unless these say nothing. Where launches
    differ otherwise, what they saw. One with other types or values, which is `guessed`, has the sizes of the
    first and must have its very share.
    """
    known = [one for one in (*each, *edges) if one is not None]
    if not known:
        return
    least, most = min(known), max(known)
    same = all(one == each[0] for one, is_guess in zip(each, guessed, strict=True) if is_guess)
    complete = len(known) == len(each) + len(edges)
    if not complete or not same or not agree(each) or most - least > widest_share():
        counts.seen[_DIVIDED] = (*each, *edges)
    else:
        counts.values[_DIVIDED] = least
        if most > least:
            counts.most[_DIVIDED] = most


def _span(
    each: Sequence[float | None], plain: Sequence[bool], active: Sequence[float]
) -> tuple[float, float] | None:
    """The least and the most of a metric, where nothing but alignment and types makes launches differ; else
    None.

    What lies side by side takes a sector more or less as it begins within one: at most twice as many or half.
    So do elements of twice the bytes or half of them. The edges of the data leave a few lanes of some warps
    idle, which ask for less: the most is what they would ask for with all lanes `active`.
    """
    base = [one for one, is_plain in zip(each, plain, strict=True) if is_plain]
    known = [one for one in each if one is not None]
    if not agree(base) or len(known) < len(each) or not agree(active):
        return None
    least, most = min(known), max(known)
    first = float(each[0] or 0.0)
    if first > _TWICE * least or most > _TWICE * first:
        return None
    full = max(one / (part if part >= _ALIKE else 1.0) for one, part in zip(known, active, strict=True))
    return least, min(full, max(most, float(WARP)))


def _seen(kernel: str, trial: Trial, unknown: frozenset[str], move: Move) -> _Seen:
    readings = line_readings(kernel, trial.counted, (), move, ())
    lines = {(one.entity, one.path, one.line, one.array, one.space, one.kind): one for one in readings}
    active = _active_lanes(trial, move)
    strays = {move(*place) for place in trial.strays}
    doubtful = {
        line
        for line in lines
        if not trial.all_strays
        or line[3] in unknown
        or line[1:3] in strays
        or active.get(line[1:], 1.0) < ACTIVE
    }
    return _Seen(lines, frozenset(doubtful), active)


def _active_lanes(trial: Trial, move: Move) -> dict[_Place, float]:
    """The part of active lanes in the requests of each line, of those that a warp of the block has."""
    lanes = _lanes_of_a_warp(trial)
    groups: dict[_Place, list[AccessCounts]] = defaultdict(list)
    for one in trial.counted.accesses:
        path, line = move(one.path, one.line)
        kinds = (one.kind, "update") if one.kind in ("load", "store") else (one.kind,)
        for kind in kinds:
            groups[path, line, one.array, one.space, kind].append(one)
    return {
        place: min(1.0, sum(one.lanes for one in group) / max(1, lanes * sum(one.requests for one in group)))
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

    Ratios of the counts, and what one warp executes where all do the same: where that follows from sizes, the
    launches differ.
    """
    if not all(one.clean and one.active >= ACTIVE for one in trials):
        return {}
    alike = all(one.alike for one in trials)
    readings = [
        {**launch_ratios(one.counted), **(warp_readings(one.counted) if alike else {})} for one in trials
    ]
    found: dict[str, Value | None] = {}
    for metric in readings[0]:
        values = [one.get(metric) for one in readings]
        numbers = [None if value is None else float(value) for value in values]
        if agree(numbers):
            found[metric] = numbers[0]
    return found

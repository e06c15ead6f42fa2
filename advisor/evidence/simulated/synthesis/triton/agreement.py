"""What launches of a Triton kernel that are made up agree about, at each line and of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.simulated.launches.readings.kernel_readings import launch_ratios, tensor_share
from advisor.evidence.simulated.launches.readings.line_readings import Move
from advisor.evidence.simulated.launches.readings.triton_readings import active_lanes, triton_line_readings
from advisor.evidence.simulated.synthesis.agreement import agree
from advisor.evidence.simulated.synthesis.result import LineCounts
from advisor.evidence.simulated.synthesis.trial import Trial
from advisor.model.machine_code.triton_unit import Varies
from advisor.model.records import LineReading, Value

# Metrics that follow from the bytes of elements and where rows begin, and by how much at most, rounded up.
_OF_BYTES = frozenset({"sectors_per_request", "ideal_sectors_per_request"})
_TWICE = 2.1
_EXACT = frozenset({"thread_stride", "kind", "warps"})
_SHARES = frozenset({"sector_share", "wavefront_share"})
_LEFT_OUT = frozenset({"requests", "kind"})
# Stands for numbers that are not compared.
_LEFT = float("nan")
_ANY = dict.fromkeys(_OF_BYTES, _LEFT)
_KERNEL = ("global_sectors_per_request", "coalescing_efficiency", "shared_ways")
_Line = tuple[str, str, int, str, str, str]


@dataclass(frozen=True)
class Shown:
    """One launch: what was counted, the numbers of its code, and what its requests differ by."""

    trial: Trial
    code: dict[str, float]
    varies: Varies


@dataclass(frozen=True)
class Agreed:
    """The lines of which launches tell something, and whether some hold for rows at multiples of 16 alone."""

    lines: tuple[LineCounts, ...]
    rows_assumed: bool


def agreed_lines(kernel: str, shown: Sequence[Shown], move: Move) -> Agreed:
    """What launches agree about at each line; `move` gives the place of a line."""
    each = [_lines(kernel, one, move) for one in shown]
    found, rows_assumed = [], False
    for line in dict.fromkeys(line for lines in each for line in lines):
        entity, path, number, array, space, kind = line
        counts = LineCounts(entity, path, number, array, space, kind, {"kind": kind})
        here = [_numbers(lines.get(line)) for lines in each]
        alike = _alike_rows(here, shown)
        for metric in dict.fromkeys(name for one in here for name in one):
            compared = alike if metric in _OF_BYTES else here
            varies = [one.varies for one in shown]
            rows_assumed |= _compare(counts, metric, [one.get(metric) for one in compared], varies)
        if len(counts.values) > 1 or counts.seen:
            found.append(counts)
    return Agreed(tuple(found), rows_assumed)


def _numbers(reading: LineReading | None) -> dict[str, float]:
    """What a launch tells of a line."""
    known = {} if reading is None else reading.values
    return {
        name: float(value) for name, value in known.items() if value is not None and name not in _LEFT_OUT
    }


def _alike_rows(each: Sequence[dict[str, float]], shown: Sequence[Shown]) -> list[dict[str, float]]:
    """The numbers of each launch, without those where rows begin anywhere and as few sectors are in vain.

    Triton moves fewer elements at once there, so that a request has fewer sectors.
    """
    return [
        _ANY if one.varies == "rows" and _as_few_in_vain(each[0], numbers) else numbers
        for numbers, one in zip(each, shown, strict=True)
    ]


def _as_few_in_vain(first: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two requests waste alike: both touch the same number of sectors for each one that they need.

    A request that begins within a sector may touch one more.
    """
    if not first.keys() & other.keys() >= _OF_BYTES:
        return False
    (touched, needed), (others, other_needed) = (
        (one["sectors_per_request"], one["ideal_sectors_per_request"]) for one in (first, other)
    )
    alike = agree([touched / needed, others / other_needed])
    return alike or (agree([touched, needed]) and others <= other_needed + 1.0)


def agreed_values(shown: Sequence[Shown]) -> dict[str, Value | None]:
    """The metrics of the kernel that all launches agree about."""
    each = [one.code | (_ratios(one.trial) if one.trial.clean else {}) for one in shown]
    found: dict[str, Value | None] = {}
    for metric in each[0]:
        values = [one.get(metric) for one in each]
        if agree(values, exact=metric in _EXACT):
            found[metric] = values[0]
    return found


def _ratios(trial: Trial) -> dict[str, float]:
    counted = trial.counted
    known: dict[str, Value | None] = {name: launch_ratios(counted).get(name) for name in _KERNEL}
    known["tensor_share"] = tensor_share(counted)
    known["active_lanes"] = active_lanes([one for one in counted.accesses if one.space == "global"])
    return {name: float(value) for name, value in known.items() if value is not None}


def _lines(kernel: str, shown: Shown, move: Move) -> dict[_Line, LineReading]:
    """The readings of the lines of one launch, without those of which an access left its memory."""
    trial = shown.trial
    if not trial.all_strays:
        return {}
    strays = {move(*place) for place in trial.strays}
    return {
        (one.entity, one.path, one.line, one.array, one.space, one.kind): one
        for one in triton_line_readings(kernel, trial.counted, move, ())
        if (one.path, one.line) not in strays
    }


def _compare(counts: LineCounts, metric: str, each: Sequence[float | None], varies: Sequence[Varies]) -> bool:
    """Whether what launches tell of a metric holds for rows at multiples of 16 alone.

    Writes to `counts` the value that they agree about, else the least and the most where their types make the
    difference, else the value of each launch.
    """
    left = [(one, how) for one, how in zip(each, varies, strict=True) if one is not _LEFT]
    values = [one for one, _ in left]
    known = [one for one in values if one is not None]
    if not known:
        return False
    if agree(values, exact=metric in _EXACT):
        counts.values[metric] = min(known) if metric in _SHARES else values[0]
        return len(left) < len(each)
    base = [one for one, how in left if how != "types"]
    least, most, first = min(known), max(known), float(values[0] or 0.0)
    near = len(known) == len(values) and first <= _TWICE * least and most <= _TWICE * first
    if metric in _OF_BYTES and agree(base) and near:
        counts.values[metric], counts.most[metric] = least, most
        return len(left) < len(each)
    counts.seen[metric] = tuple(None if one is _LEFT else one for one in each)
    return False

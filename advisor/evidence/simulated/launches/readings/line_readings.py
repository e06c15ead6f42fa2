"""Metrics of accesses, atomics and branches by line, and the defects seen there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics
from advisor.model.records import LineReading, Value

# What gives the parts that some accesses have in all of a launch.
Shares = Callable[[Sequence[AccessCounts]], "dict[str, Value | None]"]
Move = Callable[[str, int], tuple[str, int]]


def line_readings(
    kernel: str,
    counted: Statistics,
    defects: Iterable[dict[str, Any]],
    move: Move,
    assumptions: tuple[str, ...],
) -> list[LineReading]:
    """The readings of a kernel's lines; an update of an element has those of its load and store together."""
    found, whole = [], _Whole(counted.accesses)
    for (path, line, array, space), counts in by_place(counted.accesses).items():
        where = move(path, line)
        for kind in ("load", "store", "update"):
            both = ("load", "store") if kind == "update" else (kind,)
            chosen = [one for one in counts if one.kind in both]
            if chosen and (kind != "update" or len({one.kind for one in chosen}) == 2):
                found.append(
                    LineReading(
                        "access", kernel, *where, array, space, kind, _access(chosen, whole), assumptions
                    )
                )
        atomics = [one for one in counts if one.kind == "atomic"]
        if atomics:
            found.append(
                LineReading("atomic", kernel, *where, array, space, "atomic", _atomic(atomics), assumptions)
            )
    for branch in counted.branches:
        if branch.executions:
            values: dict[str, Value | None] = {"divided": branch.divided / branch.executions}
            where = move(branch.path, branch.line)
            found.append(LineReading("branch", kernel, *where, "", "", "", values, assumptions))
    found += [defect_reading(kernel, defect, move, assumptions) for defect in defects]
    return found


def by_place(accesses: Sequence[AccessCounts]) -> dict[tuple[str, int, str, str], list[AccessCounts]]:
    """The counts of each line, array and space together."""
    found: dict[tuple[str, int, str, str], list[AccessCounts]] = {}
    for one in accesses:
        found.setdefault((one.path, one.line, one.array, one.space), []).append(one)
    return found


def _sum(counts: Sequence[AccessCounts], name: str) -> int:
    return sum(getattr(one, name) for one in counts)


class _Whole:
    """What all accesses of a launch ask for, those of constant memory left out."""

    def __init__(self, accesses: Sequence[AccessCounts]) -> None:
        outside = [one for one in accesses if one.space in ("global", "local")]
        self.requests, self.sectors = _sum(outside, "requests"), _sum(outside, "sectors")
        self.wavefronts = _sum([one for one in accesses if one.space == "shared"], "wavefronts")

    def shares(self, counts: Sequence[AccessCounts]) -> dict[str, Value | None]:
        """The parts that some accesses of one space have in it."""
        if counts[0].space == "shared":
            return {"wavefront_share": _part(_sum(counts, "wavefronts"), self.wavefronts)}
        if counts[0].space not in ("global", "local"):
            return {}
        return {
            "sector_share": _part(_sum(counts, "sectors"), self.sectors),
            "request_share": _part(_sum(counts, "requests"), self.requests),
        }


def _part(count: int, whole: int) -> float | None:
    return count / whole if whole else None


def shares_of(
    accesses: Sequence[AccessCounts],
) -> Callable[[Sequence[AccessCounts]], dict[str, Value | None]]:
    """What gives the parts that some accesses of one space have in those of a launch."""
    return _Whole(accesses).shares


def _access(counts: Sequence[AccessCounts], whole: _Whole) -> dict[str, Value | None]:
    if not _sum(counts, "requests"):
        return {"requests": 0.0}
    own = bank_readings(counts) if counts[0].space == "shared" else access_readings(counts)
    return own | whole.shares(counts)


def bank_readings(counts: Sequence[AccessCounts]) -> dict[str, Value | None]:
    """What accesses of shared memory ask of its banks."""
    ideal = _sum(counts, "ideal_wavefronts")
    ways = _sum(counts, "wavefronts") / ideal if ideal else None
    requests = float(_sum(counts, "requests"))
    return {"requests": requests, "bank_conflict_ways": max(1.0, ways) if ways else None}


def access_readings(counts: Sequence[AccessCounts]) -> dict[str, Value | None]:
    """What accesses of global or local memory ask of the caches; without requests that there are none."""
    requests, l1 = _sum(counts, "requests"), _sum(counts, "l1_sectors")
    if not requests:
        return {"requests": 0.0}
    return {
        "requests": float(requests),
        "sectors_per_request": max(1.0, _sum(counts, "sectors") / requests),
        "ideal_sectors_per_request": max(1.0, _sum(counts, "ideal") / requests),
        "l1_hit_rate": _sum(counts, "l1_hits") / l1 if l1 else None,
        "moved_bytes": float(_sum(counts, "sectors") * 32),
        "lane_stride": _lane_stride(counts),
    }


def _lane_stride(counts: Sequence[AccessCounts]) -> float | None:
    """Elements between neighbouring lanes, None where that changes or lanes mostly lay side by side."""
    steps = {step for one in counts for step in one.steps}
    sizes = {one.bytes // one.lanes for one in counts if one.lanes}
    apart = _sum(counts, "sectors") > 2 * _sum(counts, "ideal")
    if len(steps) != 1 or len(sizes) != 1 or not apart:
        return None
    (step,), (size,) = steps, sizes
    return abs(step) / size if step % size == 0 else None


def _atomic(counts: Sequence[AccessCounts]) -> dict[str, Value | None]:
    requests = _sum(counts, "requests")
    if not requests:
        return {}
    return {
        "requests": float(requests),
        "lanes_per_address": max(1.0, _sum(counts, "most_same") / requests),
    }


def _count(number: int | None) -> float | None:
    return None if number is None else float(number)


def _other_place(defect: dict[str, Any], move: Move) -> str | None:
    """Where the access is that a race is with, in words; None for a defect of one access."""
    if not defect.get("other_line"):
        return None
    path, line = move(defect["other_path"], defect["other_line"])
    here, _ = move(defect["path"], defect["line"])
    return f"line {line}" if path == here else f"{path}:{line}"


def defect_reading(
    kernel: str, defect: dict[str, Any], move: Move, assumptions: tuple[str, ...]
) -> LineReading:
    """The reading of a defect, as the record holds it."""
    values: dict[str, Value | None] = {
        "kind": defect["kind"],
        "access": defect["access"] or None,
        "array": defect["array"] or None,
        "block": ", ".join(map(str, defect["block"])) or None,
        "thread": ", ".join(map(str, defect["thread"])) or None,
        "distance": None if defect["distance"] is None else float(abs(defect["distance"])),
        "before": None if defect["distance"] is None else defect["distance"] < 0,
        "seen": float(defect["count"]),
        "other_by": defect.get("other_by") or None,
        "other_access": defect.get("other_access") or None,
        "other_place": _other_place(defect, move),
        **{name: _count(defect.get(name)) for name in ("elements", "unwritten", "first")},
    }
    where = move(defect["path"], defect["line"])
    return LineReading("defect", kernel, *where, defect["array"], "", defect["kind"], values, assumptions)

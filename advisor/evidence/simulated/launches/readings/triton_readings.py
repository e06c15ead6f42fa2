"""What recorded launches tell of Triton's kernels: readings of the kernel, and of the lines of its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from advisor.evidence.simulated.launches.judged_launch import Counted
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.launches.readings.line_readings import (
    Move,
    Shares,
    access_readings,
    bank_readings,
    by_place,
    shares_of,
)
from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.evidence.simulated.simt.counts import WARP, AccessCounts, Statistics
from advisor.model.devices import Device
from advisor.model.records import LineReading, Record, Value


def is_triton(rows: Sequence[LaunchRow]) -> bool:
    """Whether launches are of a kernel of Triton: its pointers are written with a star."""
    return any(str(one["type"]).startswith("*") for row in rows for one in row.arguments)


def tell_triton_kernel(
    record: Record, judged: Counted, device: Device, same_device: bool, assumptions: tuple[str, ...]
) -> None:
    """Let the record of a kernel know what its judged launch counted, and what is known of its code.

    What the time model needs is among it; who predicts the time takes it out again.
    """
    statistics = judged.statistics
    code = statistics.code
    if target := str(code.get("target") or ""):
        words = f"The launch ran code for {target}, for the machine does not execute all that is made for it."
        assumptions = (*assumptions, words)
    record.know("simulated", assumptions, **kernel_readings(statistics, device, same_device))
    record.know(
        "simulated",
        assumptions,
        programs=float(statistics.blocks),
        warps=float(statistics.block[0] // WARP),
        active_lanes=active_lanes([one for one in statistics.accesses if one.space == "global"]),
    )
    known = {name: code.get(name) for name in ("registers", "spill_store_bytes", "spill_load_bytes")}
    numbers: dict[str, Value | None] = {
        name: None if value is None else float(value) for name, value in known.items()
    }
    record.know("compiled", assumptions, **numbers, shared_bytes=float(statistics.shared_bytes))


def triton_line_readings(
    kernel: str, counted: Statistics, move: Move, assumptions: tuple[str, ...]
) -> list[LineReading]:
    """The readings of the loads and stores of a kernel, and of the lines that exchange values."""
    found = []
    for entity, place, counts, values in _readings(counted):
        path, line, array, space = place
        where = move(path, line)
        kind = counts[0].kind
        values = {"kind": kind, **values}
        found.append(LineReading(entity, kernel, *where, array, space, kind, values, assumptions))
    return found


_Reading = tuple[str, tuple[str, int, str, str], Sequence[AccessCounts], dict[str, Value | None]]


def _readings(counted: Statistics) -> Iterator[_Reading]:
    shares = shares_of(counted.accesses)
    for place, counts in by_place(counted.accesses).items():
        for kind in ("load", "store"):
            chosen = [one for one in counts if one.kind == kind]
            if not chosen:
                continue
            if place[3] == "shared":
                yield "triton_exchange", place, chosen, {**bank_readings(chosen), **shares(chosen)}
            elif place[3] == "global":
                yield "triton_access", place, chosen, _access(chosen, shares)


def _access(counts: Sequence[AccessCounts], shares: Shares) -> dict[str, Value | None]:
    known: dict[str, Any] = access_readings(counts)
    if "sectors_per_request" not in known:
        return {}
    return {
        "sectors_per_request": known["sectors_per_request"],
        "ideal_sectors_per_request": known["ideal_sectors_per_request"],
        "thread_stride": known["lane_stride"],
        "active_lanes": active_lanes(counts),
        "sector_share": shares(counts).get("sector_share"),
    }


def active_lanes(counts: Sequence[AccessCounts]) -> float | None:
    """The share of lanes that take part where warps come to accesses."""
    executions = sum(one.executions for one in counts)
    return min(1.0, sum(one.lanes for one in counts) / (WARP * executions)) if executions else None

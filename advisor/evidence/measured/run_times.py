"""How long kernels and runs took, by the fingerprints of the runs: over all launches, and at the least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.model.history.fingerprint import Fingerprint
from advisor.model.records import Record, Source, Value

_NO_WALL_TIME = "How long the run took is not known; the time of its kernels{more} stands for it."
# What a run takes at least beside its kernels: on the GPU one after the other, and of the host's time.
_ON_DEVICE = ("memcpy_htod_ms", "memcpy_dtoh_ms", "memcpy_dtod_ms", "memset_ms")
_ON_HOST = ("api_launch_overhead_ms", "synchronisation_ms", "allocation_ms")

# Of all shapes of a kernel, by its path and name: "latency_ms" and "launches", where they are known.
Totals = dict[tuple[str | None, str], dict[str, float]]


def time_of(one: Fingerprint) -> float | None:
    """The time of all launches of an iteration in ms, None where it is not known."""
    if one.timing is not None:
        return one.timing.mean * max(1, one.launches)
    value = one.metrics.get("latency_ms")
    return float(value) if isinstance(value, int | float) else None


def launch_time(one: Fingerprint) -> float | None:
    """The mean time of a launch in ms, None where it is not known."""
    if one.timing is not None:
        return one.timing.mean
    whole = time_of(one)
    return None if whole is None else whole / max(1, one.launches)


def totals_of(fingerprints: Sequence[Fingerprint]) -> Totals:
    """What belongs to each kernel over all its shapes: its time and its launches."""
    found: Totals = {}
    for one in fingerprints:
        sums = found.setdefault((one.identity.path, one.identity.name), {})
        time = time_of(one)
        if time is not None:
            sums["latency_ms"] = sums.get("latency_ms", 0.0) + time
        if one.launches:
            sums["launches"] = sums.get("launches", 0.0) + one.launches
    return found


def of_kernel(one: Fingerprint, totals: Totals) -> dict[str, float]:
    """The time and launches of a fingerprint's kernel over all its shapes, and the part of this shape in them
    where it is not all.
    """
    found = dict(totals[one.identity.path, one.identity.name])
    own, time, launches = time_of(one), found.get("latency_ms"), found.get("launches")
    if one.launches and launches and one.launches < launches:
        found["shape_launches"] = float(one.launches)
        if own is not None and time:
            found["shape_time_share"] = own / time
    return found


def know_times(run: Record, source: Source, totals: Totals, metrics: Mapping[str, Value]) -> None:
    """Give the record of a run the time of its kernels, and what it took at least.

    `metrics` are those of the run; a wall time among them is better known and comes after this.
    """
    kernels = sum(one.get("latency_ms", 0.0) for one in totals.values()) or None
    least, more = _least_time(kernels, metrics)
    run.know(source, (), kernels_ms=kernels)
    run.know(source, (_NO_WALL_TIME.format(more=more),), total_latency_ms=least)


def _least_time(kernels: float | None, metrics: Mapping[str, Value]) -> tuple[float | None, str]:
    """What a run of unknown length took at least, in ms, and in words what is in it beside the kernels."""
    if kernels is None:
        return None, ""
    device, host = (
        sum(float(value) for name in names if isinstance(value := metrics.get(name), float))
        for names in (_ON_DEVICE, _ON_HOST)
    )
    if host > kernels + device:
        return host, ", or of the calls of the host, which is longer,"
    return kernels + device, " and copies" if device else ""

"""How many times as fast a kernel would be without what findings say: remedies put together and asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from advisor.evidence.metrics.times.changes import Change
from advisor.evidence.metrics.times.counterfactual import Gain, time_with
from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.model.devices import Device
from advisor.model.remedies import Count, CountChange

_BOUNDS = (0, 1)
_At = Mapping[Count, Sequence[CountChange]]


def remedy_gain(
    changes: Iterable[CountChange], possible: Sequence[LaunchCounts], device: Device
) -> Gain | None:
    """What changes gain, all of them together, for a launch that has one of some counts.

    The parts that places have in the kernel's counts lie within bounds too; whether registers can be saved
    without spilling others is open. None where a number that is changed, or one that the time needs, is
    not known.
    """
    at = _by_count(changes)
    vary = bool(at.get("registers")) or any(one.varies for each in at.values() for one in each)
    found: list[Gain] = []
    for counts in possible:
        for bound in _BOUNDS if vary else _BOUNDS[:1]:
            change = change_of(at, counts, bound)
            gain = None if change is None else time_with((counts,), (change,), device)
            if gain is None:
                return None
            found.append(gain)
    if not found:
        return None
    most = max(found, key=lambda one: one.most)
    return Gain(min(one.least for one in found), most.most, most.limiter, most.left)


def _by_count(changes: Iterable[CountChange]) -> dict[Count, list[CountChange]]:
    """The changes by what they change; of two at one place the one that leaves less."""
    least: dict[tuple[Count, str], CountChange] = {}
    for one in changes:
        key = (one.count, one.place)
        known = least.get(key)
        least[key] = one if known is None or one.after < known.after else known
    found: dict[Count, list[CountChange]] = defaultdict(list)
    for (count, _), one in least.items():
        found[count].append(one)
    return found


def change_of(at: _At, counts: LaunchCounts, bound: int) -> Change | None:
    """The change of a launch with some counts, with the least (0) or the most (1) parts that places have."""
    loads, stores = _accesses(at, "requests", counts.load_requests, _stores(counts), bound)
    load_sectors, store_sectors = _accesses(at, "sectors", counts.load_sectors, counts.store_sectors, bound)
    if loads is None or stores is None or load_sectors is None or store_sectors is None:
        return None
    return Change(
        loads=loads,
        stores=stores,
        # What is asked for less often has fewer sectors with it; the sectors are told by themselves.
        load_sectors=load_sectors / loads if loads else load_sectors,
        store_sectors=store_sectors / stores if stores else store_sectors,
        load_rounds=_left(at, "load_rounds", bound),
        shared_wavefronts=_left(at, "shared_wavefronts", bound),
        updates=_left(at, "updates", bound),
        instructions=_left(at, "instructions", bound),
        fp64_as_fp32=1.0 - min(1.0, _left(at, "fp64", bound)),
        undivided=bool(at.get("lanes")),
        block_threads=_value(at, "block_threads"),
        registers=_value(at, "registers") if bound else None,
        shared_bytes=_value(at, "shared_bytes"),
    )


def _left(at: _At, count: Count, bound: int) -> float:
    """The part of a count that is left."""
    return max(0.0, 1.0 - sum(one.share[bound] * (1.0 - one.factor(bound)) for one in at.get(count, ())))


def _accesses(
    at: _At, count: Count, loaded: float | None, stored: float | None, bound: int
) -> tuple[float | None, float | None]:
    """The parts that are left of what loads and what stores ask for, by parts in both together."""
    changes = at.get(count, ())
    if not changes:
        return 1.0, 1.0
    if loaded is None or stored is None:
        return None, None
    less = {"load": 0.0, "store": 0.0}
    for one in changes:
        saved = one.share[bound] * (1.0 - one.factor(bound)) * (loaded + stored)
        if one.kind == "update":
            # Its load and its store ask for the same.
            less["load"] += saved / 2
            less["store"] += saved / 2
        else:
            less["load" if one.kind == "load" else "store"] += saved
    return _part_left(loaded, less["load"]), _part_left(stored, less["store"])


def _part_left(whole: float, less: float) -> float:
    return max(0.0, 1.0 - less / whole) if whole else 1.0


def _stores(counts: LaunchCounts) -> float | None:
    """The stores and atomic updates of warps."""
    if counts.stores_per_warp is None or counts.warps is None:
        return None
    return counts.stores_per_warp * counts.warps


def _value(at: _At, count: Count) -> int | None:
    """The last value that is given, since each changes the blocks as a whole."""
    changes = at.get(count, ())
    return round(changes[-1].after) if changes else None

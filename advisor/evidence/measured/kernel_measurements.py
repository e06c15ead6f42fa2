"""Which measurements of a kernel may stand beside each other, and what each of them adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.model.devices import Device, find_device
from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Extent, Fingerprint, KernelRun, Run
from advisor.model.history.identity import Definition
from advisor.model.history.store import HistoryStore
from advisor.model.records import Value

# What is of all launches of a run: taken from one run, as a share of its time is.
_OF_A_RUN = frozenset({"launches", "latency_ms"})


@dataclass(frozen=True)
class FittingRuns:
    """Runs that measured a kernel as it is, the latest first, and where its text is.

    Without runs `changed` is the latest of those that measured another text of it, and `other` the device
    that it was measured on instead. `unmixed` is a later run of a device that nobody knows.
    """

    runs: tuple[KernelRun, ...] = ()
    place: Definition | None = None
    unmixed: KernelRun | None = None
    changed: KernelRun | None = None
    other: str = ""


def fitting_runs(those: Sequence[KernelRun], here: Sequence[Definition], device: Device) -> FittingRuns:
    """The runs of one device and of the present text; `here` are the functions with the kernel's name.

    A device that nobody knows may be any: its numbers are used where there are no others, and alone.
    """
    ids = {one.device: _device_id(one.device) for one in those}
    own = [one for one in those if ids[one.device] == device.id]
    strange = [one for one in those if ids[one.device] is None]
    strange = [one for one in strange if one.device == strange[0].device]
    hashes = {one.source_hash for one in here}
    changed = max((one.run for one in those if one.source_hash and one.source_hash not in hashes), default=0)
    for candidates in (own, strange):
        # A report that knows no text is of the present one, unless another was measured after it.
        fitting = [
            one
            for one in candidates
            if here and (one.source_hash in hashes if one.source_hash else one.run > changed)
        ]
        if not fitting:
            continue
        place = next(one for one in here if fitting[0].source_hash in (None, one.source_hash))
        fitting = [one for one in fitting if one.source_hash in (None, place.source_hash)]
        later = candidates is own and bool(strange) and strange[0].run > fitting[0].run
        return FittingRuns(tuple(fitting), place, unmixed=strange[0] if later else None)
    known = own or strange
    return FittingRuns(changed=known[0]) if known else FittingRuns(other=those[0].device)


def _device_id(name: str) -> str | None:
    try:
        return find_device(name).id
    except UsageError:
        return None


@dataclass(frozen=True)
class Measured:
    """What one run adds: the fingerprint of the shape that counts, how many shapes the run has, and the
    metrics that no later run has.
    """

    run: Run
    fingerprint: Fingerprint
    shapes: int
    metrics: Mapping[str, Value]


def measurements(store: HistoryStore, path: str, name: str, runs: Sequence[KernelRun]) -> list[Measured]:
    """What runs tell of a kernel, the latest first; each metric is that of the latest run that has it.

    Of the shapes of the latest run the one with the longest time in all counts; earlier runs add what they
    know of that shape.
    """
    found: list[Measured] = []
    known: set[str] = set()
    grid: Extent | None = None
    block: Extent | None = None
    for one in runs:
        shapes = store.of_kernel(path, name, one.run, "measured")
        same = [
            shape
            for shape in shapes
            if _may_be(grid, shape.identity.grid) and _may_be(block, shape.identity.block)
        ]
        if not same:
            continue
        fingerprint = max(same, key=_weight)
        grid, block = grid or fingerprint.identity.grid, block or fingerprint.identity.block
        left_out = known | (_OF_A_RUN if known & _OF_A_RUN else set())
        added = {metric: value for metric, value in fingerprint.metrics.items() if metric not in left_out}
        known |= set(added)
        found.append(Measured(store.facts_of(one.run), fingerprint, len(shapes), added))
    return found


def _may_be(known: Extent | None, other: Extent | None) -> bool:
    return known is None or other is None or known == other


def _weight(one: Fingerprint) -> float:
    return one.timing.mean * one.launches if one.timing else 0.0


def owner(those: Sequence[Measured]) -> Run:
    """The run whose time the kernel's is a share of: the latest that knows how long it took in all."""
    return next((one.run for one in those if "latency_ms" in one.metrics), those[0].run)

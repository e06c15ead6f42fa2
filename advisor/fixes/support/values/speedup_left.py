"""How much faster a kernel can become at most where a remedy relieves some resources and no others."""

from __future__ import annotations

from advisor.evidence.metrics.derived.timing import resource_times
from advisor.fixes.place import Place
from advisor.model.devices import find_device
from advisor.model.errors import EvidenceUnavailable, UsageError
from advisor.model.records import Reading, Record


def speedup_left(place: Place, relieved: frozenset[str]) -> float | None:
    """The time of the finding's kernel over the longest time that a resource which is not relieved needs
    alone; None where no run of the kernel is known. Resources are those of the time model, as `l1`.
    """
    row, device = place.kernel_row(), place.facts.device
    if row is None or device is None:
        return None
    kernel = Record("kernel", row.label, row.path, row.span, row.label)
    kernel.readings = {name: Reading(value, "simulated") for name, value in row.values.items()}
    try:
        times = resource_times(kernel, find_device(device.label))
    except (UsageError, EvidenceUnavailable):
        return None
    others = [seconds for name, seconds in times.items() if name not in relieved]
    return max(times.values()) / max(others) if others and max(others) > 0.0 else None

"""How often places of global memory are updated atomically, and sectors of the slices that hold them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import Space
from advisor.evidence.simulated.simt.vector.routines.atomic import TABLE

_TABLES = 2


class Hottest(NamedTuple):
    """The updates of the place that got the most, and the sectors of updates in the slice with the most."""

    updates: int
    slice_sectors: int


class UpdateCounters:
    """The tables of one thread of the host; none where a kernel updates nothing in global memory."""

    def __init__(self, kernel: Kernel) -> None:
        updates = any(one.atomic and one.space != Space.SHARED for one in kernel.warp.accesses.values())
        self.tables = host_memory.zeroed_words(_TABLES, TABLE if updates else 0)

    @property
    def addresses(self) -> tuple[int, int]:
        """Where the two tables are, 0 where there are none."""
        if not self.tables.size:
            return 0, 0
        first, second = (host_memory.address_of(one) for one in self.tables)
        return first, second


def hottest(counters: Iterable[UpdateCounters]) -> Hottest | None:
    """The most updates by the counters of all threads together; None where a kernel updates nothing."""
    tables = np.sum([one.tables for one in counters], axis=0)
    return Hottest(*(int(one.max()) for one in tables)) if tables.size else None

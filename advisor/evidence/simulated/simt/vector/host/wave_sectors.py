"""How many different sectors of global memory blocks touch that run at about the same time."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes
from advisor.evidence.simulated.simt.vector.host.touched_sectors import TouchedSectors


class WaveSectors:
    """Sectors that a launch has touched when certain blocks have run and no others.

    `detailed` are those of the blocks that were looked at access by access, `first` those of the first wave:
    as many blocks as are resident on all multiprocessors together. None where the caches are unknown, where
    there is no second wave, or where not all of the first run. `unused` are, of the sectors that the detailed
    blocks loaded and of those they stored, the parts of their bytes that no thread uses.
    """

    def __init__(
        self, touched: TouchedSectors, blocks: int, chosen: Sequence[int] | None, sizes: CacheSizes | None
    ) -> None:
        self._touched = touched
        together = sizes.processors * sizes.residents if sizes is not None else blocks
        runs = chosen is None or frozenset(chosen).issuperset(range(together))
        self.wave = together if together < blocks and runs else None
        self.detailed: int | None = None
        self.unused: tuple[float, float] | None = None
        self.first: int | None = None

    def ran(self, blocks: int) -> None:
        """Look whether so many blocks are the first wave; they run first."""
        if blocks == self.wave:
            self.first = self._count()

    def ran_closely(self) -> None:
        """Count what the blocks have touched that were looked at access by access."""
        self.detailed = self._count()
        self.unused = self._touched.unused_parts()

    def _count(self) -> int:
        loaded, stored = self._touched.counts()
        return loaded + stored

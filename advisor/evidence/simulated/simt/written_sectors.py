"""Which sectors of the device's buffers anything has written since they were allocated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from advisor.evidence.simulated.simt.device_memory import Buffer

# Global memory is followed in sectors of 32 bytes: one that is written in part counts as written.
_SECTOR_SHIFT = 5
Sectors = npt.NDArray[np.uint8]


class UnwrittenPart(NamedTuple):
    """What nothing has written of some bytes: how many, the first of them, and the buffer's latest user."""

    size: int
    first: int
    user: object


class WrittenSectors:
    """A byte for each sector of the buffers that were allocated without content and are not full yet.

    A buffer that is not known here is taken to be written.
    """

    def __init__(self) -> None:
        self._of: dict[int, Sectors] = {}
        self._users: dict[int, object] = {}

    def begin(self, address: int, size: int) -> None:
        """Follow a buffer that nobody has written; `address` is a multiple of the size of a sector."""
        self._of[address] = np.zeros(-(-size >> _SECTOR_SHIFT), np.uint8)

    def end(self, address: int) -> None:
        """Follow a buffer no more."""
        self._of.pop(address, None)
        self._users.pop(address, None)

    def forget(self) -> None:
        """Follow no buffer any more: what was written is not known."""
        self._of.clear()
        self._users.clear()

    def __bool__(self) -> bool:
        return bool(self._of)

    def use(self, begin: int, user: object) -> None:
        """Note who has used a buffer, while it is followed."""
        if begin in self._of:
            self._users[begin] = user

    def unwritten(self, begin: int, address: int, size: int) -> UnwrittenPart | None:
        """What nothing has written of some bytes of a buffer, None where everything may be."""
        sectors = self._of.get(begin)
        if sectors is None or size <= 0:
            return None
        first, last = (place - begin >> _SECTOR_SHIFT for place in (address, address + size - 1))
        empty = np.flatnonzero(sectors[first : last + 1] == 0) + first
        if not len(empty):
            return None
        lows = np.maximum(begin + (empty << _SECTOR_SHIFT), address)
        highs = np.minimum(begin + (empty + 1 << _SECTOR_SHIFT), address + size)
        return UnwrittenPart(int((highs - lows).sum()), int(lows[0]) - address, self._users.get(begin))

    def of(self, begin: int) -> Sectors | None:
        """The bytes of a buffer's sectors, 1 where something was written; None where all may be."""
        return self._of.get(begin)

    def add(self, begin: int, address: int, size: int) -> None:
        """Note bytes that were written in the buffer which begins at an address."""
        sectors = self._of.get(begin)
        if sectors is not None and size > 0:
            first, last = (place - begin >> _SECTOR_SHIFT for place in (address, address + size - 1))
            sectors[first : last + 1] = 1
            self._full(begin, sectors)

    def add_launch(self, stored: Iterable[tuple[Buffer, Sectors]]) -> None:
        """Note the sectors of each buffer that a launch stored."""
        for buffer, now in stored:
            sectors = self._of.get(buffer.begin)
            if sectors is not None and len(sectors) == len(now):
                np.bitwise_or(sectors, now, out=sectors)
                self._full(buffer.begin, sectors)

    def _full(self, begin: int, sectors: Sectors) -> None:
        if np.count_nonzero(sectors) == len(sectors):
            self.end(begin)

"""Which sectors of global memory a launch loads and stores, and the buffers that it may access."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import Buffer, DeviceMemory
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.layout import SECTOR_SHIFT


class TouchedSectors:
    """One byte for each sector of the buffers that kernels load from, and one for each they store to.

    `extents` is the table of buffers that the compiled code searches. The buffers' pages stay while this
    object lives, whoever frees them meanwhile.
    """

    def __init__(self, memory: DeviceMemory) -> None:
        self._buffers = memory.buffers()
        self._begins = [buffer.begin for buffer in self._buffers]
        self._bases: dict[int, tuple[int, int]] = {}
        self.loaded: list[npt.NDArray[np.uint8]] = []
        self.stored: list[npt.NDArray[np.uint8]] = []
        rows = []
        for buffer in self._buffers:
            first, behind = buffer.begin >> SECTOR_SHIFT, -(-buffer.end >> SECTOR_SHIFT)
            loaded, stored = (host_memory.zeroed_bytes(behind - first, align=1) for _ in range(2))
            self.loaded.append(loaded)
            self.stored.append(stored)
            bases = host_memory.address_of(loaded) - first, host_memory.address_of(stored) - first
            self._bases[buffer.begin] = bases
            rows.append((buffer.begin, buffer.end, *bases))
        self.extents = np.array([*rows, (0, 0, 0, 0)], np.int64)

    def buffer_at(self, address: int) -> Buffer | None:
        """The buffer that holds an address or ends at it, None for no buffer."""
        at = bisect.bisect_right(self._begins, address) - 1
        if at < 0 or address > self._buffers[at].end:
            return None
        return self._buffers[at]

    def base_of(self, buffer: Buffer, writes: bool) -> int:
        """What is added to the number of a buffer's sector to find its byte, modulo 2^64."""
        return self._bases[buffer.begin][1 if writes else 0]

    def stored_of(self) -> Iterator[tuple[Buffer, npt.NDArray[np.uint8]]]:
        """Each buffer with the bytes of its sectors, 1 where this launch stored."""
        return zip(self._buffers, self.stored, strict=True)

    def counts(self) -> tuple[int, int]:
        """How many sectors were loaded and how many stored."""
        loaded, stored = (
            sum(int(np.count_nonzero(one)) for one in maps) for maps in (self.loaded, self.stored)
        )
        return loaded, stored

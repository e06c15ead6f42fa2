"""Which sectors of global memory a launch loads and stores, and the buffers that it may access."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import Buffer, DeviceMemory
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.layout import SECTOR_SHIFT


class TouchedSectors:
    """One byte for each sector of the buffers that kernels load from, and one for each they store to.

    `extents` is the table of buffers that the compiled code searches. The buffers' pages stay while this
    object lives, whoever frees them meanwhile. Where bytes are followed, each has a byte too, in maps that
    the blocks which are looked at closely mark (`_UsedBytes`).
    """

    def __init__(self, memory: DeviceMemory, follows_bytes: bool = False) -> None:
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
        self._used = _UsedBytes(self._buffers) if follows_bytes else None
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

    def used_base_of(self, buffer: Buffer, writes: bool) -> int:
        """What is added to an address in a buffer to find the byte of its byte; 0 where none is followed."""
        return 0 if self._used is None else self._used.base_of(buffer, writes)

    def unused_parts(self) -> tuple[float, float] | None:
        """The parts of the sectors loaded, and of those stored, that nothing marked as used so far; None
        where no bytes are followed.
        """
        if self._used is None:
            return None
        return (
            self._used.unused_part(self.loaded, writes=False),
            self._used.unused_part(self.stored, writes=True),
        )

    def stored_of(self) -> Iterator[tuple[Buffer, npt.NDArray[np.uint8]]]:
        """Each buffer with the bytes of its sectors, 1 where this launch stored."""
        return zip(self._buffers, self.stored, strict=True)

    def counts(self) -> tuple[int, int]:
        """How many sectors were loaded and how many stored."""
        loaded, stored = (
            sum(int(np.count_nonzero(one)) for one in maps) for maps in (self.loaded, self.stored)
        )
        return loaded, stored


class _UsedBytes:
    """One byte for each byte of some buffers that is loaded, and one for each that is stored."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self._first = [buffer.begin >> SECTOR_SHIFT << SECTOR_SHIFT for buffer in buffers]
        self._places = {buffer.begin: place for place, buffer in enumerate(buffers)}
        # Pages of the host that nothing marks are none of its memory.
        self._maps = [
            tuple(host_memory.zeroed_bytes(_whole_sectors(first, one.end)) for _ in range(2))
            for first, one in zip(self._first, buffers, strict=True)
        ]

    def base_of(self, buffer: Buffer, writes: bool) -> int:
        """What is added to an address in a buffer."""
        place = self._places[buffer.begin]
        return host_memory.address_of(self._maps[place][int(writes)]) - self._first[place]

    def unused_part(self, touched: Sequence[npt.NDArray[np.uint8]], writes: bool) -> float:
        """The part of the bytes of touched sectors that are not marked, 0 of none."""
        whole = used = 0
        for sectors, maps in zip(touched, self._maps, strict=True):
            marks = maps[int(writes)].reshape(-1, 1 << SECTOR_SHIFT)[np.flatnonzero(sectors)]
            whole += marks.size
            used += int(np.count_nonzero(marks))
        return 1.0 - used / whole if whole else 0.0


def _whole_sectors(begin: int, end: int) -> int:
    return (-(-(end - begin) >> SECTOR_SHIFT)) << SECTOR_SHIFT

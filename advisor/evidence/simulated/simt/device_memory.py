"""Global memory of the simulated GPU: buffers in host memory, aligned and apart from each other."""

from __future__ import annotations

import bisect
import mmap
import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.written_sectors import UnwrittenPart, WrittenSectors

# cudaMalloc aligns to at least 256 bytes (CUDA C++ Programming Guide, "Device Memory Accesses").
ALIGNMENT = 256


def zeroed_pages(size: int) -> npt.NDArray[np.uint8]:
    """So many zeroed bytes on pages of their own, from a multiple of 256.

    Raises OSError, OverflowError or ValueError when the host has no such memory.
    """
    whole = np.frombuffer(mmap.mmap(-1, size + 2 * ALIGNMENT), np.uint8)
    begin = ALIGNMENT - int(whole.ctypes.data) % ALIGNMENT
    return whole[begin : begin + size]


class Buffer(NamedTuple):
    """A buffer's addresses, `end` that behind its last byte; its pages stay while this object lives."""

    begin: int
    end: int
    content: npt.NDArray[np.uint8]


class DeviceMemory:
    """Buffers that kernels may access; every address is that of the host, so NumPy can view it.

    Each buffer has pages of its own, so an access beside a buffer never meets another one within a page. The
    address of a freed buffer may be given out again. `written` tells of buffers that have no content yet.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.written = WrittenSectors()
        self._starts: list[int] = []
        self._buffers: dict[int, tuple[int, npt.NDArray[np.uint8]]] = {}

    def allocate(self, size: int, empty: bool = False) -> int:
        """The address of a new zeroed buffer of `size` bytes, a multiple of 256.

        An `empty` one has no content for the program, who reads it must have written it.

        Raises MemoryError when the host has no such memory and ValueError for a negative size.
        """
        if size < 0:
            raise ValueError(f"a buffer cannot have {size} bytes")
        try:
            content = zeroed_pages(max(size, 1))
        except (OSError, OverflowError, ValueError) as error:
            raise MemoryError(f"the host has no {size:,} bytes for a buffer of the device") from error
        address = int(content.ctypes.data)
        with self._lock:
            self._buffers[address] = (size, content)
            bisect.insort(self._starts, address)
        if empty:
            self.written.begin(address, size)
        return address

    def adopt(self, content: npt.NDArray[np.uint8]) -> None:
        """Let kernels access bytes that somebody else keeps, until the buffer at their address is freed."""
        address = int(content.ctypes.data)
        with self._lock:
            self._buffers[address] = (content.nbytes, content)
            bisect.insort(self._starts, address)

    def free(self, address: int) -> None:
        """Give a buffer back. Raises KeyError for an address at which none starts."""
        with self._lock:
            del self._buffers[address]
            self._starts.remove(address)
        self.written.end(address)

    def note_written(self, address: int, size: int) -> None:
        """Note that the host has written bytes of a buffer; of other addresses nothing is known."""
        start = self.start_of(address)
        if start is not None:
            self.written.add(start, address, size)

    def note_used(self, address: int, user: object) -> None:
        """Note who has used a buffer that is not written yet."""
        start = self.start_of(address) if self.written else None
        if start is not None:
            self.written.use(start, user)

    def unwritten(self, address: int, size: int) -> UnwrittenPart | None:
        """What nothing has written of some bytes, None where everything may be."""
        start = self.start_of(address) if self.written else None
        return None if start is None else self.written.unwritten(start, address, size)

    def view(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        """`size` bytes of a buffer from an address inside it; raises KeyError outside of every buffer."""
        start = self.start_of(address)
        if start is None:
            raise KeyError(address)
        length, content = self._buffers[start]
        begin = address - start
        if begin + size > length:
            raise KeyError(address + size)
        return content[begin : begin + size]

    def start_of(self, address: int) -> int | None:
        """Where the buffer begins that holds an address (or ends at it), None for no buffer."""
        at = bisect.bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        start = self._starts[at]
        return start if address <= start + self._buffers[start][0] else None

    def size_of(self, address: int) -> int:
        """The bytes of the buffer that begins at an address; raises KeyError where none begins."""
        return self._buffers[address][0]

    def buffers(self) -> list[Buffer]:
        """All buffers by address; their pages stay for whoever holds the list, also when they are freed."""
        with self._lock:
            found = [(start, *self._buffers[start]) for start in self._starts]
        return [Buffer(start, start + size, content) for start, size, content in found]

    def upload(self, array: npt.NDArray[np.generic]) -> int:
        """The address of a new buffer with the bytes of a contiguous array."""
        address = self.allocate(array.nbytes)
        self.view(address, array.nbytes)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return address

    def download(self, address: int, into: npt.NDArray[np.generic]) -> None:
        """Fill a contiguous array with the bytes at an address."""
        into.reshape(-1).view(np.uint8)[:] = self.view(address, into.nbytes)

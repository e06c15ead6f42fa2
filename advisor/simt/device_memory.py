"""Global memory of the simulated GPU: buffers in host memory, aligned and apart from each other."""

from __future__ import annotations

import bisect
import mmap

import numpy as np
import numpy.typing as npt

# cudaMalloc aligns to at least 256 bytes (CUDA C++ Programming Guide, "Device Memory Accesses").
ALIGNMENT = 256


class DeviceMemory:
    """Buffers that kernels may access; every address is that of the host, so NumPy can view it.

    Freed addresses are not given out again while the object lives longer than the buffer's pages are needed:
    each buffer has pages of its own, so an access beside a buffer never meets another one within a page.
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._buffers: dict[int, tuple[int, npt.NDArray[np.uint8]]] = {}

    def allocate(self, size: int) -> int:
        """The address of a new zeroed buffer of `size` bytes, a multiple of 256.

        Raises MemoryError when the host has no such memory and ValueError for a negative size.
        """
        if size < 0:
            raise ValueError(f"a buffer cannot have {size} bytes")
        try:
            pages = mmap.mmap(-1, size + 2 * ALIGNMENT)
        except (OSError, OverflowError, ValueError) as error:
            raise MemoryError(f"the host has no {size:,} bytes for a buffer of the device") from error
        whole = np.frombuffer(pages, np.uint8)
        begin = ALIGNMENT - int(whole.ctypes.data) % ALIGNMENT
        address = int(whole.ctypes.data) + begin
        self._buffers[address] = (size, whole[begin : begin + max(size, 1)])
        bisect.insort(self._starts, address)
        return address

    def free(self, address: int) -> None:
        """Nothing; gives a buffer back. Raises KeyError for an address at which none starts."""
        del self._buffers[address]
        self._starts.remove(address)

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

    def extents(self) -> list[tuple[int, int]]:
        """Begin and end of each buffer, by address."""
        return [(start, start + self._buffers[start][0]) for start in self._starts]

    def upload(self, array: npt.NDArray[np.generic]) -> int:
        """The address of a new buffer with the bytes of a contiguous array."""
        address = self.allocate(array.nbytes)
        self.view(address, array.nbytes)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return address

    def download(self, address: int, into: npt.NDArray[np.generic]) -> None:
        """Nothing; fills a contiguous array with the bytes at an address."""
        into.reshape(-1).view(np.uint8)[:] = self.view(address, into.nbytes)

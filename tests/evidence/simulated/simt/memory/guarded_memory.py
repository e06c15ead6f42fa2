"""Memory between pages that nobody may touch, for all that compiled kernels write to.

An array ends where a forbidden page begins, but for what its alignment leaves; that and the rest of its first
page hold a pattern that `violations` looks for.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np

from advisor.evidence.simulated.simt import device_memory
from advisor.evidence.simulated.simt.vector.host import host_memory

PATTERN = 0xA5
_FORBIDDEN = 0
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class GuardedMemory:
    """Allocates arrays between forbidden pages and remembers what lies around them."""

    def __init__(self) -> None:
        self.around: list[np.ndarray] = []

    def allocate(self, size: int, align: int) -> np.ndarray:
        """So many zeroed bytes at a multiple of an alignment, as near to the page behind as that allows."""
        page = mmap.PAGESIZE
        inner = -(-(size + align) // page) * page
        whole = np.frombuffer(mmap.mmap(-1, inner + 2 * page), np.uint8)
        first = int(whole.ctypes.data)
        for forbidden in (first, first + page + inner):
            if _libc.mprotect(forbidden, page, _FORBIDDEN):
                raise OSError(ctypes.get_errno(), "mprotect")
        begin = (first + page + inner - size) // align * align - first
        before, behind = whole[page:begin], whole[begin + size : page + inner]
        for slack in (before, behind):
            slack[:] = PATTERN
            self.around.append(slack)
        return whole[begin : begin + size]

    def violations(self) -> int:
        """How many bytes around the arrays were written; the arrays are forgotten then."""
        found = sum(int(np.count_nonzero(slack != PATTERN)) for slack in self.around)
        self.around.clear()
        return found


@contextmanager
def guarded() -> Iterator[GuardedMemory]:
    """Within it, buffers of the device and the machine's own tables lie between forbidden pages."""
    memory = GuardedMemory()
    with (
        mock.patch.object(host_memory, "zeroed_bytes", lambda size, align=64: memory.allocate(size, align)),
        mock.patch.object(
            device_memory, "zeroed_pages", lambda size: memory.allocate(size, device_memory.ALIGNMENT)
        ),
    ):
        yield memory

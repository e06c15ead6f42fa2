"""Memory of the host that a launch is given: copied to the GPU before it, and back behind it.

What overlaps in the host is one piece on the GPU too, so that views of one array stay views.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from advisor.evidence.simulated.simt.device_memory import DeviceMemory

# Triton compiles kernels for addresses that are multiples of so many bytes.
_COMPILED_FOR = 16


@dataclass
class HostRange:
    """Bytes of the host, `high` behind the last; `device` is where the first one lies on the GPU."""

    low: int
    high: int
    writable: bool
    buffer: int = 0
    device: int = 0


class HostMemory:
    """Within it, ranges of the host's memory have copies on the GPU."""

    def __init__(self, memory: DeviceMemory, ranges: Sequence[HostRange]) -> None:
        self._memory = memory
        self._ranges = _joined(ranges)

    def __enter__(self) -> HostMemory:
        for one in self._ranges:
            # Arrays of the GPU begin at its alignment; what kernels are compiled for is kept.
            apart = one.low % _COMPILED_FOR
            one.buffer = self._memory.allocate(apart + one.high - one.low)
            one.device = one.buffer + apart
            ctypes.memmove(one.device, one.low, one.high - one.low)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._ranges:
            if one.writable:
                ctypes.memmove(one.low, one.device, one.high - one.low)
            self._memory.free(one.buffer)

    def on_device(self, address: int) -> int | None:
        """Where an address of the host, or the one behind a range, lies on the GPU; None for another one."""
        for one in self._ranges:
            if one.low <= address <= one.high:
                return one.device + address - one.low
        return None


def _joined(ranges: Sequence[HostRange]) -> list[HostRange]:
    """The ranges in order, those that overlap as one."""
    found: list[HostRange] = []
    for one in sorted(ranges, key=lambda one: one.low):
        if one.high == one.low:
            continue
        if found and one.low < found[-1].high:
            last = found[-1]
            last.high, last.writable = max(last.high, one.high), last.writable or one.writable
        else:
            found.append(HostRange(one.low, one.high, one.writable))
    return found

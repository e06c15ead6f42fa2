"""The caches beside a host thread: its accesses wait in a trace and are looked up in the order of rounds."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.resident_blocks import residents_of
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes, cache_tables, set_l1_share
from advisor.evidence.simulated.simt.vector.host.interleaving import interleaved
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.lanes import LANES
from advisor.evidence.simulated.simt.vector.layout import Context, WarpRun

_REPLAY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
# Entries of eight bytes that a trace holds at least, and runs of warps.
_ENTRIES, _RUNS = 1 << 20, 1 << 16
# What a warp adds beyond its quota before it leaves, at most, in entries of all warps.
_MOST_BEYOND = 1 << 22


class CacheModel:
    """The caches of a launch, empty at first, the trace of accesses that wait, and the runs of its warps."""

    def __init__(
        self, kernel: Kernel, launch: Launch, context: npt.NDArray[np.int64], sizes: CacheSizes
    ) -> None:
        self._launch = launch
        self._replay = _REPLAY(kernel.runtime.addresses["replay"])
        self._context = context
        self._sizes = sizes
        self._tables = cache_tables(sizes)
        warps = int(context[Context.WARPS])
        beyond = min(warps * len(kernel.warp.accesses) * LANES, _MOST_BEYOND)
        self.trace = host_memory.zeroed_words(_ENTRIES + beyond)
        self.runs = host_memory.zeroed_words(_RUNS, WarpRun.WORDS)
        context[Context.CACHES] = host_memory.address_of(self._tables)
        context[Context.PROCESSORS] = sizes.processors
        context[Context.TRACE] = host_memory.address_of(self.trace)
        context[Context.TRACE_CAPACITY] = len(self.trace)
        context[Context.TRACE_QUOTA] = _ENTRIES // (2 * warps)
        context[Context.RUNS] = host_memory.address_of(self.runs)
        context[Context.RUN_CAPACITY] = _RUNS

    def look_up(self) -> None:
        """Look up the accesses that wait."""
        context = self._context
        length, runs = int(context[Context.TRACE_LENGTH]), int(context[Context.RUN_COUNT])
        context[Context.TRACE_LENGTH] = context[Context.RUN_COUNT] = 0
        if runs == 0:
            return
        self._set_shares(np.unique(self.runs[:runs, WarpRun.BLOCK]))
        entries, processors = interleaved(self.trace[:length], self.runs[:runs], self._sizes)
        self._replay(context.ctypes.data, entries.ctypes.data, processors.ctypes.data, length)

    def _set_shares(self, blocks: npt.NDArray[np.int64]) -> None:
        """Give each L1 the lines of the blocks that were looked at, where others share it with them."""
        sizes = self._sizes
        places = np.unique(blocks % (sizes.processors * sizes.residents))
        for processor, seen in zip(*np.unique(places % sizes.processors, return_counts=True), strict=True):
            held = residents_of(int(processor), self._launch.blocks, sizes.processors, sizes.residents)
            set_l1_share(self._tables, sizes, int(processor), min(int(seen), held) / held)

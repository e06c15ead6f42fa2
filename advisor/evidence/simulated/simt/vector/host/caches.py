"""The tables of the cache model, empty: one L1 for each SM and the L2 that all share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.layout import WORD
from advisor.evidence.simulated.simt.vector.routines.cache import (
    ENTRY_WORDS,
    HEADER_WORDS,
    L1_BYTES,
    L1_SETS,
    L1_WAYS,
    L2_BEGIN,
    L2_SETS,
    L2_WAYS,
)


@dataclass(frozen=True)
class CacheSizes:
    """Sizes in bytes, of one L1 what shared memory leaves of it; `processors` have an L1 each.

    `line` is the size of a cache line; `l1_ways` and `l2_ways` lines share a set.
    """

    l1: int
    l2: int
    processors: int
    line: int = 128
    l1_ways: int = 4
    l2_ways: int = 16


def cache_tables(sizes: CacheSizes) -> npt.NDArray[np.int64]:
    """The memory of the caches as the compiled code reads it: header, the L1 tables, the L2 table."""
    l1_sets = max(1, sizes.l1 // (sizes.line * sizes.l1_ways))
    l2_sets = max(1, sizes.l2 // (sizes.line * sizes.l2_ways))
    l1_words = l1_sets * sizes.l1_ways * ENTRY_WORDS
    l2_words = l2_sets * sizes.l2_ways * ENTRY_WORDS
    begin = HEADER_WORDS + l1_words * sizes.processors
    tables = host_memory.zeroed_words(begin + l2_words)
    tables[[L1_SETS, L1_WAYS, L2_SETS, L2_WAYS]] = (l1_sets, sizes.l1_ways, l2_sets, sizes.l2_ways)
    tables[L1_BYTES] = WORD * l1_words
    tables[L2_BEGIN] = WORD * begin
    return tables

"""The tables of the cache model, empty: one L1 for each SM and the L2 that all share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.layout import LINE_SHIFT, WORD
from advisor.evidence.simulated.simt.vector.routines.cache import (
    HASH_MASK,
    HEADER_WORDS,
    L1_BYTES,
    L2_BEGIN,
    LINES,
    NODE_WORDS,
    TABLE_WORDS,
)


@dataclass(frozen=True)
class CacheSizes:
    """Sizes in bytes, of one L1 what shared memory leaves of it; `processors` have an L1 each.

    `residents` blocks at most are resident on a multiprocessor at a time.
    """

    l1: int
    l2: int
    processors: int
    residents: int = 1


def cache_tables(sizes: CacheSizes) -> npt.NDArray[np.int64]:
    """The memory of the caches as the compiled code reads it: header, the L1 tables, the L2 table."""
    l1_lines, l2_lines = (max(1, size >> LINE_SHIFT) for size in (sizes.l1, sizes.l2))
    l1_words, l2_words = _table_words(l1_lines), _table_words(l2_lines)
    begin = HEADER_WORDS + l1_words * sizes.processors
    tables = host_memory.zeroed_words(begin + l2_words)
    tables[L1_BYTES] = WORD * l1_words
    tables[L2_BEGIN] = WORD * begin
    of_l1 = tables[HEADER_WORDS:begin].reshape(sizes.processors, l1_words)
    of_l1[:, LINES], of_l1[:, HASH_MASK] = l1_lines, _chains(l1_lines) - 1
    tables[begin + LINES], tables[begin + HASH_MASK] = l2_lines, _chains(l2_lines) - 1
    return tables


def set_l1_share(tables: npt.NDArray[np.int64], sizes: CacheSizes, processor: int, share: float) -> None:
    """Give an L1 this share of its lines."""
    begin = HEADER_WORDS + int(tables[L1_BYTES]) // WORD * processor
    tables[begin + LINES] = max(1, int((sizes.l1 >> LINE_SHIFT) * share))


def _chains(lines: int) -> int:
    """How many chains of nodes a cache has: the power of two above its lines."""
    return 1 << lines.bit_length()


def _table_words(lines: int) -> int:
    return TABLE_WORDS + _chains(lines) + (lines + 1) * NODE_WORDS

"""Puts the counts of launches into the record: equal ones once, and of each kernel a limited number.

Launches are alike where all that was counted, found and given is equal, so nothing of one stands for another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.store import LaunchRow, LaunchStore
from advisor.evidence.simulated.simt.counts import Statistics, total

# Of a kernel so many different counts are kept; a program may launch one a million times.
_MOST = 256
# Beyond these, those of a launch that is heavier than all before by so much are kept.
_HEAVIER = 1.1


@dataclass
class _OfKernel:
    """What is kept of one kernel: digests with the numbers of the counts, the most work of one launch by
    kind, and the places of defects and the problems that are told.
    """

    numbers: dict[bytes, int] = field(default_factory=dict)
    most: tuple[float, ...] = ()
    told: set[object] = field(default_factory=set)


class KeptCounts:
    """The counts that one process keeps."""

    def __init__(self, store: LaunchStore) -> None:
        self._store = store
        self._kernels: dict[object, _OfKernel] = {}

    def number(
        self, row: LaunchRow, outcome: Outcome, complete: Callable[[LaunchRow, Outcome], LaunchRow]
    ) -> int | None:
        """The number under which the counts of a launch are kept, None where there are none or they are not
        kept. `complete` gives the row with them.
        """
        if outcome.statistics is None and outcome.problem is None:
            return None
        kernel = self._kernels.setdefault((row.path, row.line, row.kernel), _OfKernel())
        digest = _digest(row, outcome)
        known = kernel.numbers.get(digest)
        if known is None and _is_wanted(kernel, outcome):
            known = kernel.numbers[digest] = self._store.add_counts(complete(row, outcome))
        return known


def _digest(row: LaunchRow, outcome: Outcome) -> bytes:
    told = repr((row.arguments, outcome.statistics, outcome.defects, outcome.problem))
    return hashlib.blake2b(told.encode(), digest_size=16).digest()


def _is_wanted(kernel: _OfKernel, outcome: Outcome) -> bool:
    told: set[object] = {(one.kind, one.path, one.line, one.array) for one in outcome.defects}
    told |= {outcome.problem} - {None}
    work = _work(outcome.statistics) if outcome.statistics is not None else ()
    before = kernel.most or (0.0,) * len(work)
    heavier = any(now > _HEAVIER * most for now, most in zip(work, before, strict=False))
    wanted = len(kernel.numbers) < _MOST or heavier or not told <= kernel.told
    if wanted:
        kernel.told |= told
        kernel.most = tuple(map(max, work, before)) or kernel.most
    return wanted


def _work(counted: Statistics) -> tuple[float, ...]:
    """The work of a launch by kind: instructions, sectors and wavefronts, atomic operations."""
    accesses = counted.accesses
    atomics = sum(one.lanes for one in accesses if one.kind == "atomic")
    moved = total(accesses, "sectors") + total(accesses, "wavefronts")
    return float(counted.warp_instructions), float(moved), float(atomics)

"""The order in which the warps of a device make the requests that a trace holds.

Warps run one after the other to their next barrier; on a device they take turns. Requests are put into the
order of a loose round robin, as Accel-Sim's tuned configurations schedule warps (`gpgpu_scheduler lrr`): in
each round every warp that is resident makes one. A block's warps wait for each other at its barriers; blocks
do not wait.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes
from advisor.evidence.simulated.simt.vector.layout import TraceEntry, WarpRun

_Words = npt.NDArray[np.int64]


def interleaved(trace: _Words, runs: _Words, sizes: CacheSizes) -> tuple[_Words, _Words]:
    """The entries of a trace in the order of rounds, and the number of each one's multiprocessor.

    `runs` has a row for each run of a warp, in the order in which their entries stand in the trace.
    Block b belongs to multiprocessor b modulo their number, and to one of its places for residents; the
    blocks of one place follow each other.
    """
    processors, residents = sizes.processors, sizes.residents
    blocks = runs[:, WarpRun.BLOCK]
    places = blocks % processors * residents + blocks // processors % residents
    by_warp = (runs[:, WarpRun.WARP], runs[:, WarpRun.EPOCH], blocks, places)
    order = np.lexsort(by_warp)
    begins = runs[:, WarpRun.BEGIN]
    lengths = np.diff(begins, append=len(trace))[order]
    entries = trace[_concatenated(begins[order], lengths)]
    first_of_run = np.cumsum(lengths) - lengths
    requests = np.cumsum(entries >> TraceEntry.FIRST & 1) - 1
    keys = [one[order] for one in by_warp]
    first_of_warp, first_of_phase = (_first_of_group(keys[number:]) for number in (0, 1))
    # The number of a request among those of its warp behind one barrier.
    own = requests - np.repeat(requests[first_of_run][first_of_warp], lengths)
    rounds = own + np.repeat(_first_rounds(own, first_of_run, first_of_phase, keys[3]), lengths)
    in_turn = np.argsort(rounds, kind="stable")
    return entries[in_turn], np.repeat(keys[3] // residents, lengths)[in_turn]


def _concatenated(begins: _Words, lengths: _Words) -> _Words:
    """The numbers of the ranges with these begins and lengths, one range after the other."""
    shifts = begins - (np.cumsum(lengths) - lengths)
    return np.repeat(shifts, lengths) + np.arange(lengths.sum())


def _first_of_group(keys: list[_Words]) -> _Words:
    """For each element of sorted keys the first one that has the same keys."""
    changes = np.zeros(len(keys[0]), bool)
    changes[0] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(changes, np.arange(len(changes)), 0))


def _first_rounds(own: _Words, first_of_run: _Words, first_of_phase: _Words, places: _Words) -> _Words:
    """For each run the round in which its phase begins: when the longest warp of each before has ended."""
    phases, phase_of_run = np.unique(first_of_phase, return_inverse=True)
    longest = np.maximum.reduceat(own, first_of_run[phases]) + 1
    before = np.cumsum(longest) - longest
    first_of_place = _first_of_group([places[phases]])
    rounds: _Words = (before - before[first_of_place])[phase_of_run]
    return rounds

"""Counts of one launch as plain data: totals, and those of each source line and array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from advisor.evidence.simulated.simt.launch import Extent

WARP = 32
# What is counted only where the blocks are looked at access by access.
_OF_CLOSE_LOOKS: dict[str, Any] = dict.fromkeys(
    ("l1_sectors", "l1_hits", "l1_wavefronts", "l2_sectors", "l2_hits", "looked_up", "past_l1", "past_l2"), 0
)


@dataclass
class AccessCounts:
    """The memory instructions of one line to one array: requests of warps, and what they moved.

    `bytes` are those that lanes asked for, `lines` the cache lines of 128 bytes that the requests reach.
    `ideal` are the sectors that the same bytes need at least, and `ideal_wavefronts` the wavefronts of shared
    memory that the same lanes need if no two of them meet in a bank; `joined_requests` and their wavefronts
    come with wider loads in the machine code. The cache counts are those of the
    detailed blocks: sectors that were looked up and found, and requests of loads: all, those with a sector
    that was not in L1, and those with one that was not in L2 either; `l1_wavefronts` are the passes through
    the banks of L1 that these loads take. `distinct` are the different addresses of requests, of atomic
    operations and of constant memory.
    `steps` are the least and the most bytes from the address of lane 0 to that of lane 1 where not all lanes
    lay side by side; empty where they always did. `executions` are the instructions that warps came to, those
    too where a predicate left no lane; copies in bulk and records of earlier versions have none.
    """

    path: str
    line: int
    array: str
    space: str
    kind: str
    requests: int = 0
    lanes: int = 0
    bytes: int = 0
    sectors: int = 0
    lines: int = 0
    ideal: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    joined_requests: int = 0
    joined_wavefronts: int = 0
    distinct: int = 0
    most_same: int = 0
    l1_sectors: int = 0
    l1_hits: int = 0
    l2_sectors: int = 0
    l2_hits: int = 0
    looked_up: int = 0
    past_l1: int = 0
    past_l2: int = 0
    l1_wavefronts: int = 0
    steps: list[int] = field(default_factory=list)
    executions: int = 0


@dataclass
class BranchCounts:
    """The conditional branches of one line: how often warps ran them, and how often their lanes parted."""

    path: str
    line: int
    executions: int = 0
    divided: int = 0


@dataclass
class Statistics:
    """The counts of one launch.

    `warp_instructions` and `lane_instructions` are PTX instructions executed by warps and by lanes; `slots`
    are machine instructions by unit, estimated; `flops` floating point operations by precision, `products`
    the operations of tensor cores by the type of their factors, those of integers too. `balance` is
    the mean of warps' times over those of the longest warp of their block, in issue slots, waits for loads
    included; `load_rounds_of_a_warp` how often a warp waits for loads, where those that can wait together do;
    `chain_of_a_warp` the dependent instructions that follow each other in a warp, by what they wait for.
    `fetches_of_a_sector` says how often L2 was without a sector that the detailed blocks asked for, over the
    different ones; `wave_sectors` are the different sectors, loaded and stored, of the first
    `wave_blocks`, as many as are resident at one time, None where all are. `unused_of_loaded` and
    `unused_of_stored` are the parts of the bytes of the detailed blocks' sectors that none of their threads
    uses. `hottest_updates` are the atomic
    updates of the place in global memory that gets the most, where the machine code makes one of a warp's it
    counts once; `hottest_slice_sectors` the sectors of such requests in the slice of L2 that gets the most.
    None without atomic operations on global memory. `code` is what is known of the launched code by other
    means: its registers, its spilled bytes, what it was compiled for.
    """

    grid: Extent
    block: Extent
    blocks: int
    blocks_run: int
    detailed: int
    ended: bool
    warps: int = 0
    warp_instructions: int = 0
    lane_instructions: int = 0
    loads_of_a_warp: float = 0.0
    load_rounds_of_a_warp: float = 0.0
    chain_of_a_warp: dict[str, float] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    flops: dict[str, int] = field(default_factory=dict)
    products: dict[str, int] = field(default_factory=dict)
    loaded_sectors: int = 0
    stored_sectors: int = 0
    fetches_of_a_sector: float | None = None
    wave_sectors: int | None = None
    wave_blocks: int | None = None
    unused_of_loaded: float | None = None
    unused_of_stored: float | None = None
    barriers: int = 0
    hottest_updates: int | None = None
    hottest_slice_sectors: int | None = None
    balance: float = 1.0
    shared_bytes: int = 0
    local_bytes: int = 0
    accesses: list[AccessCounts] = field(default_factory=list)
    branches: list[BranchCounts] = field(default_factory=list)
    code: dict[str, Any] = field(default_factory=dict)

    def without_close_look(self) -> Statistics:
        """What is counted in all blocks that ran, without what only detailed blocks show."""
        accesses = [replace(one, **_OF_CLOSE_LOOKS, steps=[]) for one in self.accesses]
        return replace(
            self,
            detailed=0,
            balance=1.0,
            accesses=accesses,
            fetches_of_a_sector=None,
            wave_sectors=None,
            wave_blocks=None,
            unused_of_loaded=None,
            unused_of_stored=None,
        )

    def with_close_look_of(self, other: Statistics) -> Statistics:
        """The counts with what a close look saw of another launch, for each access as often as it runs."""
        seen = {(one.path, one.line, one.array, one.space, one.kind): one for one in other.accesses}
        accesses = []
        for one in self.accesses:
            like = seen.get((one.path, one.line, one.array, one.space, one.kind))
            if like is None or not like.requests:
                accesses.append(one)
                continue
            times = one.requests / like.requests
            looks = {name: round(getattr(like, name) * times) for name in _OF_CLOSE_LOOKS}
            accesses.append(replace(one, **looks, steps=like.steps))
        return replace(
            self,
            detailed=other.detailed,
            balance=other.balance,
            accesses=accesses,
            fetches_of_a_sector=other.fetches_of_a_sector,
            wave_sectors=self._wave_as_in(other),
            wave_blocks=other.wave_blocks,
            unused_of_loaded=other.unused_of_loaded,
            unused_of_stored=other.unused_of_stored,
        )

    def _wave_as_in(self, other: Statistics) -> int | None:
        """The sectors of a wave, as large a part of those of the launch as in another one."""
        touched, its = (one.loaded_sectors + one.stored_sectors for one in (self, other))
        return round(other.wave_sectors * touched / its) if other.wave_sectors and its else None

    def as_data(self) -> dict[str, Any]:
        """The statistics as plain data for a store."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Statistics:
        """The statistics that a store held."""
        plain = {name: value for name, value in data.items() if name not in ("accesses", "branches")}
        for name in ("grid", "block"):
            plain[name] = tuple(plain[name])
        return cls(
            **plain,
            accesses=[_access(one) for one in data["accesses"]],
            branches=[BranchCounts(**one) for one in data["branches"]],
        )


def _access(data: dict[str, Any]) -> AccessCounts:
    """The counts of an access that a store held; earlier versions counted some that are no longer known."""
    known = {one.name for one in fields(AccessCounts)}
    return AccessCounts(**{name: value for name, value in data.items() if name in known})


def total(counts: Sequence[AccessCounts], name: str, *spaces: str) -> int:
    """The sum of one count over the accesses of some spaces, of all where none is given."""
    return sum(getattr(one, name) for one in counts if not spaces or one.space in spaces)

"""Wavefronts of shared memory, against values by hand and a plain reading of the rules.

Shared memory delivers 128 bytes at a time from 32 banks of four bytes (CUDA C++ Programming Guide, "Shared
Memory", compute capability 5.x). Accesses of 8 bytes are served by half warps, those of 16 bytes by quarters.
Two neighbours are served at a time where all active lanes n and n xor 1, or all n and n xor 2, access one
element: https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Kernel, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Site, Space

DETAILED = Settings(detailed_lanes=1 << 60)
BOTH = pytest.mark.parametrize("how", [Settings(), DETAILED], ids=["fast", "detailed"])
KINDS = {1: ".u8", 2: ".u16", 4: ".u32", 8: ".u64", 16: ".v2.u64"}
TILE = 8192
# Each lane loads or stores at the byte that it finds in the data; a negative number leaves it out.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
.shared .align 16 .b8 tile[{tile}];
.reg .pred %p<2>;
.reg .b32 %r<4>;
.reg .b64 %x<9>;
mov.u32 %r0, %tid.x;
ld.param.u64 %x0, [p];
cvta.to.global.u64 %x0, %x0;
mul.wide.u32 %x1, %r0, 8;
add.s64 %x1, %x0, %x1;
ld.global.s64 %x2, [%x1];
setp.ge.s64 %p0, %x2, 0;
mov.u64 %x3, tile;
add.s64 %x3, %x3, %x2;
{access}
ret;
}}
"""


@cache
def kernel(size: int, action: str = "ld") -> Kernel:
    names = "%x4" if size < 16 else "{%x4, %x5}"
    place = "[%x3]"
    operands = f"{names}, {place}" if action == "ld" else f"{place}, {names}"
    access = f"@%p0 {action}.shared{KINDS[size]} {operands};"
    return compile_kernel(read_ptx(PTX.format(tile=TILE, access=access)), "k")


def counted(size: int, places: list[int | None], how: Settings, action: str = "ld") -> tuple[int, int]:
    """Wavefronts and ideal ones of a request whose lanes access these elements, None for inactive ones."""
    data = np.array([-1 if place is None else place * size for place in places], np.int64)
    memory = DeviceMemory()
    ready = kernel(size, action)
    parameters = pack_parameters(ready.function, [memory.upload(data).to_bytes(8, "little")])
    execution = run(ready, Launch((1, 1, 1), (32, 1, 1), parameters), memory, how)
    (shared,) = (one for one in ready.warp.accesses.values() if one.space == Space.SHARED)
    row = execution.sites[shared.number]
    return int(row[Site.WAVEFRONTS]), int(row[Site.IDEAL_WAVEFRONTS])


def run_of(first: int, behind: int) -> list[int | None]:
    """Lanes side by side, the others inactive."""
    return [lane if first <= lane < behind else None for lane in range(32)]


EVEN = [lane // 2 if lane % 2 == 0 else None for lane in range(32)]
BY_HAND = [
    ("a warp of floats", 4, run_of(0, 32), (1, 1)),
    ("three floats", 4, run_of(7, 10), (1, 1)),
    ("no lane", 8, [None] * 32, (0, 0)),
    # 32 times 8 bytes are twice 128.
    ("a warp of doubles", 8, run_of(0, 32), (2, 2)),
    ("the first half", 8, run_of(0, 16), (1, 1)),
    ("the second half", 8, run_of(16, 32), (1, 1)),
    ("eight doubles", 8, run_of(4, 12), (1, 1)),
    ("one double", 8, run_of(31, 32), (1, 1)),
    # The same 128 bytes, but lanes of both halves, of which neighbours differ.
    ("the middle half", 8, run_of(8, 24), (2, 2)),
    ("a half and one lane", 8, run_of(0, 17), (2, 2)),
    # The lanes 14 and 17 have no active partner at n xor 1, nor has any at n xor 2.
    ("two lanes of two halves", 8, run_of(15, 17), (1, 1)),
    ("four lanes of two halves", 8, run_of(14, 18), (1, 1)),
    ("five lanes of two halves", 8, run_of(14, 19), (2, 2)),
    ("a double for all", 8, [5] * 32, (1, 1)),
    ("each second lane", 8, EVEN, (1, 1)),
    ("pairs of lanes", 8, [lane // 2 for lane in range(32)], (1, 1)),
    ("the same in both halves", 8, [lane % 16 for lane in range(32)], (2, 2)),
    # Elements two apart: 16 of them lie in 8 pairs of banks, two in each.
    ("each second double", 8, [2 * lane for lane in range(32)], (4, 2)),
    ("doubles of one bank", 8, [16 * lane for lane in range(32)], (32, 2)),
    ("a warp of 16 bytes", 16, run_of(0, 32), (4, 4)),
    ("a quarter", 16, run_of(8, 16), (1, 1)),
    ("two quarters", 16, run_of(4, 12), (2, 2)),
    # Quarters of one half are served at a time, the halves never are.
    ("16 bytes for all", 16, [3] * 32, (2, 2)),
    ("16 bytes for one half", 16, [3] * 16 + [None] * 16, (1, 1)),
]


@BOTH
@pytest.mark.parametrize(
    ("size", "places", "expected"), [one[1:] for one in BY_HAND], ids=[one[0] for one in BY_HAND]
)
def test_wavefronts_by_hand(size, places, expected, how):
    assert counted(size, places, how) == expected
    if len(set(places)) > 2:
        assert counted(size, places, how, "st") == expected


def by_the_rules(size: int, places: list[int | None]) -> tuple[int, int]:
    """The same two numbers, by the rules as they are written."""
    active = {lane: place for lane, place in enumerate(places) if place is not None}
    lanes = 32 if size <= 4 else 128 // size
    groups = [[lane for lane in active if lane // lanes == number] for number in range(32 // lanes)]
    if size > 4:
        merged = []
        for one, other in zip(groups[::2], groups[1::2], strict=True):
            agree = any(
                all(active.get(lane ^ step, active[lane]) == active[lane] for lane in [*one, *other])
                for step in (1, 2)
            )
            merged += [[*one, *other]] if agree else [one, other]
        groups = merged
    total = 0
    for group in groups:
        words = {size * active[lane] // 4 for lane in group}
        banks = Counter(word % 32 for word in words)
        total += max(banks.values(), default=0)
    return total, sum(1 for group in groups if group)


ELEMENTS = st.integers(0, 127)


@st.composite
def requests(draw):
    size = draw(st.sampled_from(sorted(KINDS)))
    first, step = draw(ELEMENTS), draw(st.sampled_from([0, 1, 1, 1, 2, 4, 9]))
    places: list[int | None] = [min(first + step * lane, TILE // size - 1) for lane in range(32)]
    manner = draw(st.sampled_from(["row", "shared by lanes", "apart"]))
    if manner == "shared by lanes":
        places = [places[lane // draw(st.sampled_from([2, 4, 8]))] for lane in range(32)]
    elif manner == "apart":
        places = [draw(ELEMENTS) for _ in range(32)]
    begin = draw(st.integers(0, 31))
    end = draw(st.integers(begin + 1, 32))
    some = draw(st.sampled_from(["all", "run", "any"]))
    if some == "run":
        places = [place if begin <= lane < end else None for lane, place in enumerate(places)]
    elif some == "any":
        places = [place if draw(st.booleans()) else None for place in places]
    return size, places


@settings(max_examples=150, deadline=None)
@given(requests())
def test_wavefronts_by_the_rules(request_):
    size, places = request_
    expected = by_the_rules(size, places)
    assert expected[0] >= expected[1]
    for how in (Settings(), DETAILED):
        assert counted(size, places, how) == expected

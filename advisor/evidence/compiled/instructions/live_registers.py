"""How many registers are in use at each instruction, as nvdisasm's analysis of the machine code says.

It takes a reading of its own, in which nvdisasm leaves source lines out: CUDA Binary Utilities,
https://docs.nvidia.com/cuda/cuda-binary-utilities/#nvdisasm (`--life-range-mode`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from advisor.evidence.compiled.instructions.ptx import Place
from advisor.evidence.compiled.instructions.sass import MachineInstruction

LIVE_OPTIONS = ("-c", "-lrm", "count")
# Of 65,536 registers each thread of half of the 2,048 that a multiprocessor holds may have this many: with
# fewer, registers are hardly what keeps warps away (CUDA C++ Programming Guide, "Technical Specifications").
_HALF_OF_THE_WARPS = 64
_SECTION = re.compile(r"^\s*\.section\s+\.text\.")
_LIVE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/.*//\s*\|\s*(\d+)\s*\|")


def is_worth_asking(resources: Mapping[str, int]) -> bool:
    """Whether registers are short in a kernel with these resources, so that somebody asks where."""
    return resources.get("registers", 0) > _HALF_OF_THE_WARPS or resources.get("spill_store_bytes", 0) > 0


def read_live(text: str) -> dict[tuple[int, str], int]:
    """By number of the section and address the registers in use, from what nvdisasm prints with them."""
    found: dict[tuple[int, str], int] = {}
    section = -1
    for line in text.splitlines():
        if _SECTION.match(line):
            section += 1
        elif section >= 0 and (live := _LIVE.match(line)):
            found[section, live.group(1)] = int(live.group(2))
    return found


def peaks(code: Iterable[MachineInstruction], live: Mapping[tuple[int, str], int]) -> dict[Place | None, int]:
    """The most registers in use at an instruction of each place."""
    found: dict[Place | None, int] = {}
    for one in code:
        if count := live.get((one.section, one.address)):
            found[one.place] = max(count, found.get(one.place, 0))
    return found

"""Lanes of one access that go to several arrays or memories touch nothing else, and are counted there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from guarded_memory import PATTERN, guarded

from advisor.evidence.simulated.simt.device_memory import DeviceMemory

PROGRAM = Path(__file__).parent / "guarded_kernels.py"


@pytest.fixture(scope="module")
def outcomes():
    """What each case gave, by name, size and way; the program ends early where a guard page was touched."""
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (lines[-1:], done.stderr[-2000:])
    return {(one["case"], one["n"], one["way"]): one for one in lines}


# Sectors of 32 bytes hold 8 floats: each sector of an array has odd and even elements, so n of them touch
# n / 8 in each array.
EXPECTED = {
    "loads_from_either_array": lambda n: (2 * n // 8, n // 8),
    "stores_to_either_array": lambda n: (n // 8, 2 * n // 8),
    # The values are n numbers of 8 bytes; 5 counters of 8 bytes in each array are two sectors.
    "atomics_on_either_array": lambda n: (n // 4, 4),
    # The global array is 32 floats, 4 sectors; shared and local memory are none of its sectors.
    "loads_from_global_shared_and_local_memory": lambda n: (4, n // 8),
    "stores_to_global_shared_and_local_memory": lambda n: (0, n // 8 + 4),
}


@pytest.mark.parametrize("way", ["fast", "detailed", "two threads"])
@pytest.mark.parametrize("n", [32, 1024, 65536])
@pytest.mark.parametrize("case", EXPECTED)
def test_lanes_that_choose_between_memories(outcomes, case, n, way):
    found = outcomes[case, n, way]
    assert found["right"]
    assert (found["defects"], found["violations"]) == (0, 0)
    assert (found["loaded"], found["stored"]) == EXPECTED[case](n)


def test_a_written_byte_beside_a_buffer_is_a_violation():
    with guarded() as memory:
        buffers = DeviceMemory()
        address = buffers.allocate(40)
        buffers.view(address, 40)[:] = PATTERN
        assert memory.violations() == 0
        buffers.allocate(40)
        before, behind = memory.around
        before[-1] = 0
        behind[0] = 0
        assert memory.violations() == 2


def test_a_guarded_buffer_is_aligned_zeroed_and_ends_at_the_forbidden_page():
    with guarded() as memory:
        for size in (1, 256, 4096, 5000):
            found = memory.allocate(size, 256)
            begin = int(found.ctypes.data)
            assert begin % 256 == 0 and len(found) == size and not found.any()
            assert (-(begin + size)) % 4096 < 256

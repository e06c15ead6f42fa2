"""Compiled code loads wherever the address space has room, also where its sections would fall far apart."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Fills the small holes that there are, makes new ones of one size, and puts a mapping of 3 GB below them:
# what fits into a hole then lies more than 2 GB from what does not.
PROGRAM = """
import ctypes, sys
from advisor.evidence.simulated.simt.vector.runtime import runtime

PAGE, PRIVATE_ANONYMOUS_NORESERVE = 4096, 0x4022
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

def mapped(pages):
    return libc.mmap(None, pages * PAGE, 0, PRIVATE_ANONYMOUS_NORESERVE, -1, 0)

hole = int(sys.argv[1])
for _ in range(3000):
    mapped(16)
block = mapped(2 * 64 * hole)
for number in range(64):
    libc.munmap(block + 2 * number * hole * PAGE, hole * PAGE)
mapped(3_000_000_000 // PAGE)
print(len(runtime().addresses))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the program places mappings as Linux does")
@pytest.mark.parametrize("hole", [1, 2, 4, 8])
def test_code_loads_beside_holes_and_a_large_mapping(hole):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(hole)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100

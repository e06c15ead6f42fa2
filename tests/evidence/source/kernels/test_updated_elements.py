"""How many elements an atomic can update: by the sizes of the array and the values of its index."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def k(codes, words, bins, table):
    i = cuda.grid(1)
    if i < codes.size:
        {body}

def run(n, m):
    k[n, 256](cuda.device_array(n, np.uint8), cuda.device_array(n, np.int32), cuda.device_array(m),
              cuda.device_array((m, 12)))
"""
COUNTS = {
    "cuda.atomic.add(bins, codes[i], 1)": 256,
    "cuda.atomic.add(bins, int(codes[i]), 1)": 256,
    "c = codes[i]\n        cuda.atomic.add(bins, c, 1)": 256,
    # 0 to 15; 0 to 85; 0 to 25, each with 12.
    "cuda.atomic.add(bins, codes[i] >> 4, 1)": 16,
    "cuda.atomic.add(bins, codes[i] // 3, 1)": 86,
    "cuda.atomic.add(table, (codes[i] // 10, words[i]), 1)": 26 * 12,
    "cuda.atomic.add(bins, words[i] % 10, 1)": 10,
    "cuda.atomic.add(bins, words[i] & 0xFF, 1)": 256,
    "cuda.atomic.add(bins, min(words[i], 99), 1)": 100,
    "cuda.atomic.add(table, (words[i] % 7, words[i] % 100), 1)": 7 * 12,
    "cuda.atomic.add(bins, words[i], 1)": None,
    "cuda.atomic.add(bins, codes[i] * 2, 1)": None,
    "cuda.atomic.add(bins, words[i] % bins.size, 1)": None,
    "cuda.atomic.add(bins, words[i] // 4, 1)": None,
    "cuda.atomic.add(table, (words[i], codes[i]), 1)": None,
    "c = codes[i]\n        c = words[i]\n        cuda.atomic.add(bins, c, 1)": None,
    "c = 0\n        c += words[i]\n        cuda.atomic.add(bins, c, 1)": None,
}


@pytest.mark.parametrize("body", COUNTS)
def test_elements_that_an_index_can_reach(tmp_path: Path, body: str) -> None:
    (atomic,) = records(tmp_path, "atomic", PROGRAM.format(body=body))
    assert value(atomic, "elements") == COUNTS[body]

"""Copies to the device of what was brought from it unchanged, by Numba and CuPy."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records

THERE_AND_BACK = [
    "return cuda.to_device(d.copy_to_host())",
    "host = d.copy_to_host(); return cuda.to_device(host)",
    "e.copy_to_device(d.copy_to_host())",
    "return cp.asarray(d.copy_to_host())",
    "return cp.array(cp.zeros(n).get())",
    "c = cp.zeros(n); return cuda.to_device(c.get())",
    "c = cp.zeros(n); e.copy_to_device(cp.asnumpy(c))",
]
ONE_WAY = [
    "e.copy_to_device(d)",
    "return cp.asarray(d)",
    "return cuda.to_device(2 * d.copy_to_host())",
    "host = d.copy_to_host(); host[0] = 1; return cuda.to_device(host)",
    "host = np.zeros(n); d.copy_to_host(host); return cuda.to_device(e)",
    "return cp.asarray(table.get())",
    "return np.asarray(d.copy_to_host())",
    "return cuda.to_device(np.sort(d.copy_to_host()))",
]


def trips(folder: Path, body: str) -> int:
    text = "import cupy as cp\n\ndef run(d, e, table, n):\n"
    return len(records(folder, "round_trip", text + "".join(f"    {one}\n" for one in body.split("; "))))


@pytest.mark.parametrize("body", THERE_AND_BACK)
def test_there_and_back(tmp_path: Path, body: str) -> None:
    assert trips(tmp_path, body) == 1


@pytest.mark.parametrize("body", ONE_WAY)
def test_one_way(tmp_path: Path, body: str) -> None:
    assert trips(tmp_path, body) == 0

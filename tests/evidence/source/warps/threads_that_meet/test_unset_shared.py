"""Loads of shared elements that only threads inside of the data have stored."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

UNSET = """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
if t < 64:
    out[t] = s[t + 64]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
for k in range(128):
    out[i] += s[k]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
out[i] = s[127 - t]
"""  # fmt: skip
SET = """
if i < n:
    s[t] = a[i]
else:
    s[t] = 0
cuda.syncthreads()
out[i] = s[127 - t]
""", """
s[t] = 0
if i < n:
    s[t] = a[i]
cuda.syncthreads()
out[i] = s[127 - t]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
out[i] = s[t]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
if t > 0:
    out[i] = s[t - 1]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
out[i] = s[0]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
if i + 1 < n:
    out[i] = s[t + 1]
""", """
if i < n:
    s[t] = a[i]
cuda.syncthreads()
for k in range(t):
    out[i] += s[k]
""", """
if t < 128:
    s[t] = a[i]
cuda.syncthreads()
out[i] = s[127 - t]
"""  # fmt: skip


def _unset(folder: Path, body: str) -> bool:
    head = (
        "from numba import float32\n@cuda.jit\ndef kernel(a, out, n):\n"
        "    s = cuda.shared.array(128, float32)\n"
        "    t = cuda.threadIdx.x\n    i = cuda.grid(1)\n"
    )
    found = records(folder, "access", head + textwrap.indent(body, " " * 4))
    return any(value(one, "set_inside_data_only") for one in found)


@pytest.mark.parametrize("body", UNSET)
def test_elements_of_threads_outside(tmp_path: Path, body: str) -> None:
    assert _unset(tmp_path, body)


@pytest.mark.parametrize("body", SET)
def test_elements_that_are_set(tmp_path: Path, body: str) -> None:
    assert not _unset(tmp_path, body)

"""Shared arrays in which each thread keeps its own values, and those that belong to the block."""

from __future__ import annotations

import pytest
from surveying import records, value

OWN = """
s[0] = a[i]
""", """
s[0] = a[i]
s[1] = s[0] * 2
""", """
if i < n:
    s[0] = i
""", """
if i >= a.size:
    return
for j in range(4):
    s[j] = a[i] + j
""", """
if n > 4:
    s[0] = a[i]
"""  # fmt: skip
OF_THE_BLOCK = """
s[cuda.threadIdx.x] = a[i]
""", """
s[0] = 0
s[0] += a[i]
""", """
if i == 0:
    s[0] = a[i]
""", """
if cuda.threadIdx.x % 32 == 0:
    s[0] = a[i]
""", """
if a[i] > 5:
    s[0] = i
""", """
s[0] = a[cuda.blockIdx.x]
""", """
for j in range(4):
    s[j] = a[j]
""", """
s[0] = a[i]
s[cuda.threadIdx.x] = 1
""", """
s[0] = i
cuda.atomic.max(s, 0, i)
"""  # fmt: skip


def _array(tmp_path, body: str, space: str = "shared") -> object:
    lines = [f"s = cuda.{space}.array(64, np.int32)", "i = cuda.grid(1)", *body.strip().splitlines()]
    text = "@cuda.jit\ndef k(a, n):\n" + "".join(f"    {line}\n" for line in lines)
    (found,) = [r for r in records(tmp_path, "array", text) if r.label == "s"]
    return value(found, "private_data")


@pytest.mark.parametrize(("bodies", "private"), [(OWN, True), (OF_THE_BLOCK, False)])
def test_what_is_stored_and_where(tmp_path, bodies, private):
    for body in bodies:
        assert _array(tmp_path, body) is private, body


def test_a_local_array_is_private_anyway(tmp_path):
    assert _array(tmp_path, OWN[0], "local") is False


@pytest.mark.parametrize(("barrier", "private"), [("n = 1", True), ("cuda.syncthreads()", False)])
def test_an_array_beside_it_that_is_filled_and_updated(tmp_path, barrier, private):
    text = f"""
    @cuda.jit
    def k(a, n):
        m = cuda.shared.array(4, np.float32)
        inverse = cuda.shared.array(4, np.float32)
        i = cuda.grid(1)
        m[0] = a[i]
        inverse[0] = 1
        {barrier}
        inverse[0] = inverse[0] / m[0]
    """
    found = {r.label: value(r, "private_data") for r in records(tmp_path, "array", text)}
    assert (found["m"], found["inverse"]) == (True, private)
    updates = [r for r in records(tmp_path, "access", text) if value(r, "kind") == "update"]
    assert [(r.label, value(r, "private_data")) for r in updates] == [("inverse", private)]


def test_a_sum_beside_it_that_nobody_fills_is_the_blocks(tmp_path):
    text = """
    @cuda.jit
    def k(a, n):
        m = cuda.shared.array(4, np.float32)
        total = cuda.shared.array(1, np.float32)
        i = cuda.grid(1)
        m[0] = a[i]
        total[0] += m[0]
    """
    found = {r.label: value(r, "private_data") for r in records(tmp_path, "array", text)}
    assert (found["m"], found["total"]) == (True, False)

"""Elements that threads store to while others read them."""

from __future__ import annotations

import pytest
from surveying import records, value

RACES = """
if i < n:
    a[i] = a[i - 1] + b[i]
""", """
if i > 0 and i < n - 1:
    a[i] = (a[i - 1] + a[i + 1]) / 2
""", """
if i < 1 or i >= a.size - 1:
    return
a[i] += a[i + 1]
""", """
if 0 < i < n:
    a[i] = b[i]
    b[i] = a[i - 1]
""", """
if i >= a.shape[0]:
    return
for j in range(a.shape[0]):
    if j != i:
        total += a[j]
a[i] += total
""", """
if i < n:
    for j in range(-2, 3):
        total += a[i + j]
    a[i] = total
""", """
if i < n:
    for j in range(n):
        total += a[j]
    a[i] = total
""", """
if i < n:
    a[i] = b[i]
    cuda.syncthreads()
    for j in range(a.size):
        total += a[j]
    a[i] = total
    cuda.syncthreads()
""", """
if i < n:
    cuda.syncthreads()
    a[i] = a[i - 1] + b[i]
""", """
if n > 3:
    a[i] = a[i - 1]
else:
    b[i] = a[i]
"""  # fmt: skip
NONE = """
if i < n:
    a[i] = 2 * a[i]
""", """
if i < n:
    a[i] += b[i - 1]
""", """
if i < n:
    b[i] = a[i - 1] + a[i + 1]
""", """
if i < n:
    a[i] += a[i + n]
""", """
if i < 512:
    a[i] += a[i + 512]
""", """
if i < 1:
    a[i] += a[i + 1]
""", """
if i % 2 == 0:
    a[i] += a[i + 1]
""", """
if i >= n - 1:
    a[i] = a[i - 1]
""", """
if b[i] > 0:
    a[i] = a[i - 1]
""", """
if i < n:
    total = a[i - 1]
    cuda.syncthreads()
    a[i] = total
""", """
if i < n:
    a[i] = b[i]
    cuda.syncthreads()
    for j in range(a.size):
        total += a[j]
    cuda.syncthreads()
    a[i] = total
""", """
for j in range(9):
    total = a[i - 1] + a[i + 1]
    cuda.syncthreads()
    a[i] = total
    cuda.syncthreads()
""", """
if i < n:
    total = cuda.shfl_down_sync(-1, a[i - 1], 1)
    cuda.syncthreads()
    a[i] = total + a[i + 1]
""", """
if i < n:
    cuda.syncthreads()
    j = cuda.atomic.add(b, 0, 1)
    a[i] = a[i - 1] + j
""", """
if n > 3:
    a[i] = b[i - 1]
else:
    b[i] = a[i - 1]
""", """
if i < n:
    a[2 * i] = a[2 * i + 1]
""", """
if i < n:
    for j in range(1):
        total += a[i + j]
    a[i] = total
""", """
if i < n:
    total = a[0]
    a[i] -= total
""", """
if i < n:
    total = a[i - 1]
    unknown(total)
    a[i] = total
""", """
if i < n:
    cuda.atomic.add(a, i, a[i - 1])
"""  # fmt: skip


def _told(tmp_path, body: str, head: str = "i = cuda.grid(1)", parameters: str = "a, b, n") -> bool:
    lines = [head, "total = 0", *body.strip().splitlines()]
    text = f"@cuda.jit\ndef k({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    return any(value(one, "neighbours_read") for one in records(tmp_path, "access", text))


@pytest.mark.parametrize(("bodies", "told"), [(RACES, True), (NONE, False)])
def test_one_axis(tmp_path, bodies, told):
    for body in bodies:
        assert _told(tmp_path, body) is told, body


@pytest.mark.parametrize(
    ("store", "load", "told"),
    [
        ("a[y, x]", "a[y, x - 1]", True),
        ("a[y, x]", "a[y + 1, x]", True),
        ("a[y, x]", "a[y - 1, x + 1]", True),
        ("a[y, x, 0]", "a[y, x + 1, 0]", True),
        ("a[y, x, 0]", "a[y, x + 1, 1]", False),  # another field
        ("a[cuda.blockIdx.x, cuda.threadIdx.x]", "a[cuda.blockIdx.x, cuda.threadIdx.x + 1]", True),
        ("a[cuda.blockIdx.x, cuda.threadIdx.x]", "a[cuda.blockIdx.x, cuda.threadIdx.x]", False),
        ("a[cuda.blockIdx.x, cuda.threadIdx.x]", "a[cuda.blockIdx.y, cuda.threadIdx.x + 1]", False),
        ("a[y, x]", "a[y, x]", False),
        ("a[y, x]", "a[x, y]", False),  # may be a tile of which only a half is stored
        ("a[0, x]", "a[1, x]", False),  # a border
        ("a[y, x]", "a[y, n]", False),
    ],
)
def test_two_axes(tmp_path, store, load, told):
    body = f"if x < a.shape[1] and y < a.shape[0]:\n    {store} = {load}"
    assert _told(tmp_path, body, "x, y = cuda.grid(2)") is told


@pytest.mark.parametrize(("length", "told"), [(3, True), (2, False)])
def test_records_read_field_by_field(tmp_path, length, told):
    body = (
        "if i < n:\n    for j in range(n):\n        for d in range(3):\n            total += a[j, d]\n"
        f"    for e in range({length}):\n        a[i, e] = total"
    )
    assert _told(tmp_path, body) is told


def test_only_the_store_is_told(tmp_path):
    body = "    if i < n:\n        b[i] = a[i - 1]\n        a[i] = 0\n"
    text = f"@cuda.jit\ndef k(a, b, n):\n    i = cuda.grid(1)\n{body}"
    found = records(tmp_path, "access", text)
    assert [(one.label, value(one, "kind")) for one in found if value(one, "neighbours_read")] == [
        ("a", "store")
    ]


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("counts[cuda.blockIdx.x]", True),
        ("counts[0]", True),
        # A limit of each thread leaves some of them, perhaps no two that are neighbours.
        ("counts[cuda.threadIdx.x]", False),
    ],
)
def test_a_limit_that_was_loaded_leaves_neighbours_of_a_block(tmp_path, limit, told):
    text = f"""
    @cuda.jit
    def follow(place, counts, gap):
        lane, car = cuda.blockIdx.x, cuda.threadIdx.x
        if car >= {limit}:
            return
        ahead = place[lane, car] + 1.0
        if car > 0:
            ahead = min(ahead, place[lane, car - 1] - gap)
        place[lane, car] = ahead
    """
    stores = [one for one in records(tmp_path, "access", text) if value(one, "kind") == "store"]
    assert [value(one, "neighbours_read") for one in stores] == [told]

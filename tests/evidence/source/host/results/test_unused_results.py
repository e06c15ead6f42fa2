"""Arrays that a launch fills and nothing uses."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
import time

@cuda.jit
def both(a, low, high):
    i = cuda.grid(1)
    if i < a.size:
        low[i] = a[i] - 1
        high[i] = a[i] + 1

@cuda.jit
def add(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] += a[i]

def run(a):
    d = cuda.to_device(a)
    low = cuda.device_array(a.size)
"""
UNUSED = """
high = cuda.device_array(a.size)
both[8, 64](d, low, high)
return low.copy_to_host()
""", """
high = cuda.device_array_like(low)
print(high.shape)
for step in range(4):
    both[8, 64](d, low, high)
return low.copy_to_host()
""", """
low, high = (cuda.device_array(a.size) for _ in range(2))
both[8, 64](*[d], low, high)
return low.copy_to_host()
"""  # fmt: skip
USED = """
high = cuda.device_array(a.size)
both[8, 64](d, low, high)
return low.copy_to_host(), high.copy_to_host()
""", """
high = cuda.device_array(a.size)
both[8, 64](d, low, high)
add[8, 64](high, low)
return low.copy_to_host()
""", """
high = cuda.device_array(a.size)
keep = [high]
both[8, 64](d, low, high)
return low.copy_to_host(), keep
""", """
high = a.copy()
both[8, 64](d, low, high)
return low.copy_to_host()
""", """
high = cuda.device_array(a.size)
began = time.perf_counter()
both[8, 64](d, low, high)
cuda.synchronize()
return low.copy_to_host(), time.perf_counter() - began
""", """
high = cuda.device_array(a.size)
both[8, 64](d, low, high)
""", """
both[8, 64](d, low, out)
return low.copy_to_host()
"""  # fmt: skip
KEPT_IN_NEXT_LAUNCH = """
total = cuda.device_array(a.size)
for step in range(4):
    add[8, 64](d, total)
both[8, 64](d, low, d)
return low.copy_to_host()
"""


def unused(folder, body: str) -> list[object]:
    text = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    return [one for one in (value(each, "unused_results") for each in records(folder, "launch", text)) if one]


@pytest.mark.parametrize("body", UNUSED)
def test_nothing_uses_the_second_result(tmp_path, body):
    assert unused(tmp_path, body) == ["high"]


@pytest.mark.parametrize("body", USED)
def test_each_result_may_be_used(tmp_path, body):
    assert unused(tmp_path, body) == []


def test_what_a_kernel_adds_to_it_has_read(tmp_path):
    assert unused(tmp_path, KEPT_IN_NEXT_LAUNCH) == []

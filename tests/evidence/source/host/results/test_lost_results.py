"""Results that stay on the device while the host shows the array that they were made from."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
@cuda.jit
def k(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 2

@cuda.jit
def in_place(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2

def run(a, out, x):
"""
LOST = """
d = cuda.to_device(out)
k[8, 64](a, d)
print(out)
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
return out
""", """
k[8, 64](cuda.to_device(a), cuda.to_device(out))
print("sum", np.sum(out))
""", """
d = cuda.to_device(out)
in_place[8, 64](d)
cuda.synchronize()
np.testing.assert_allclose(out, x * 2)
""", """
d = cuda.to_device(out)
n = d.size
for step in range(4):
    in_place[8, 64](d)
print(out[:4], out.sum())
"""  # fmt: skip
KEPT = """
d = cuda.to_device(out)
k[8, 64](a, d)
d.copy_to_host(out)
print(out)
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
out = d.copy_to_host()
print(out)
""", """
k[8, 64](a, out)
print(out)
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
return d
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
k[8, 64](d, x)
print(out)
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
unknown(d)
print(out)
""", """
d = cuda.to_device(out)
in_place[8, 64](d)
on_the_host(out)
""", """
d = cuda.to_device(a)
k[8, 64](d, out)
print(a)
""", """
d = cuda.to_device(out)
print(out)
k[8, 64](a, d)
""", """
d = cuda.to_device(out)
k[8, 64](a, d)
print(out.shape)
"""  # fmt: skip


def lost(tmp_path, body: str) -> set[object]:
    text = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    return {value(one, "lost_results") for one in records(tmp_path, "launch", text)}


@pytest.mark.parametrize("body", LOST)
def test_the_host_shows_the_array_of_before(tmp_path, body):
    assert lost(tmp_path, body) == {"out"}


@pytest.mark.parametrize("body", KEPT)
def test_somebody_may_look_at_the_copy(tmp_path, body):
    assert lost(tmp_path, body) == {""}


def test_of_an_unknown_kernel_nothing_is_said(tmp_path):
    assert lost(tmp_path, LOST[0].replace("k[8", "other[8")) == {None}

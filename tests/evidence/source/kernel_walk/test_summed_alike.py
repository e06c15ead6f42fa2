"""Sums that every thread of a grid or block computes for itself."""

from __future__ import annotations

import pytest
from surveying import records, value

SOFTMAX = (
    "if i < x.size:\n    total = 0.0\n    for k in range(x.size):\n        {sum}\n    out[i] = {own} / total"
)
ROWS = (
    "row, t = cuda.blockIdx.x, cuda.threadIdx.x\n{guard}total = 0.0\n"
    "for k in range(x.shape[1]):\n    total += x[row, k]\nout[row, t] = {own} - total"
)
OF_SOME = "row, t = cuda.blockIdx.x, cuda.threadIdx.x\nm = cuda.shared.array(1, np.float64)\nif t == 0:\n"


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        (SOFTMAX.format(sum="total += x[k]", own="x[i]"), "grid"),
        (SOFTMAX.format(sum="total = max(total, math.exp(x[k]))", own="x[i]"), "grid"),
        # Pairs: each thread computes with an element of its own.
        (SOFTMAX.format(sum="total += abs(x[k] - x[i])", own="x[i]"), ""),
        ("own = x[i]\n" + SOFTMAX.format(sum="total += abs(x[k] - own)", own="own"), ""),
        # Parameters of the method, of which all threads need the sum, are no data that they share out.
        (SOFTMAX.format(sum="total += x[k]", own="1.0"), ""),
        (SOFTMAX.format(sum="total += weight(x[k])", own="x[i]"), ""),
        # Counts that each thread has made for itself.
        (
            "counts = cuda.local.array(8, np.int32)\ncounts[i % 8] = 1\n"
            + SOFTMAX.format(sum="total += x[counts[k]]", own="x[i]"),
            "",
        ),
        (ROWS.format(guard="", own="x[row, t]"), "block"),
        (ROWS.format(guard="", own="1.0"), ""),
        (ROWS.format(guard="if t >= x.shape[1]:\n    return\n", own="x[row, t]"), "block"),
        (
            OF_SOME
            + "    s = 0.0\n    for k in range(x.shape[1]):\n        s += x[row, k]\n    m[0] = s\n"
            + "cuda.syncthreads()\nout[row, t] = x[row, t] - m[0]",
            "thread",
        ),
        (
            OF_SOME
            + "    s = 0.0\n    for k in range(x.shape[1]):\n        s += x[row, k]\n    m[0] = s\n"
            + "cuda.syncthreads()\nout[row, t] = m[0]",
            "",
        ),
    ],
)
def test_who_sums_the_same(tmp_path, body, threads):
    lines = "".join(f"    {line}\n" for line in f"i = cuda.grid(1)\n{body}".splitlines())
    device = "@cuda.jit(device=True)\ndef weight(v):\n    return v * cuda.threadIdx.x\n\n"
    found = records(tmp_path, "loop", f"{device}@cuda.jit\ndef k(x, out):\n{lines}")
    assert [value(one, "summed_alike") for one in found] == [threads]

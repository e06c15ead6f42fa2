"""Products tuned with one stage only: no load of the next blocks while these are multiplied."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"S": 32}, num_warps=4, num_stages=1),
        triton.Config({"S": 64}, num_warps=4, num_stages=1),
    ],
    key=["K"],
)
@triton.jit
def product(  # hit: triton-few-configurations, triton-loop-not-pipelined
    a_ptr, b_ptr, c_ptr, K, S: tl.constexpr
):
    rows = tl.program_id(0) * S + tl.arange(0, S)
    columns = tl.program_id(1) * S + tl.arange(0, S)
    total = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, K, S):
        inner = k + tl.arange(0, S)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * 1024 + columns[None, :])
        total += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * 1024 + columns[None, :], total)

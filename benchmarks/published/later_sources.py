"""Kernels of the measurements that were added later in CUDA C++, where Numba makes other code of their loops.

Numba counts the iterations of `range` in a way of its own, with three instructions each that a compiler of
C++ does not need: in a loop of two multiply-adds they are most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from later_kernels import LATER_WORKLOADS
from published_sources import cuda_kernel

_ARITHMETIC = """
#define THREAD (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define CHAIN(type, runs) type x = THREAD, y = threadIdx.x; \\
  for (unsigned i = 0; i < runs; ++i) { x = y * x + y; y = x * y + x; }
KERNEL fma_fp32(float* data) { CHAIN(float, 512) data[THREAD] = y; }
KERNEL fma_fp64(float* data) { CHAIN(double, 128) data[THREAD] = y; }
KERNEL mad_int32(float* data) { CHAIN(int, 512) data[THREAD] = __int_as_float(y); }
KERNEL mad_int64(float* data) { CHAIN(long long, 8) data[THREAD] = __int_as_float((int)y); }
"""

_DIVERGENT = """
KERNEL divergent(const float* a, const float* b, float* c, long long steps, long long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = a[i] + b[i];
  if (i % 2 == 0) {
    float total = 0;
#pragma unroll 16
    for (int k = 0; k < 128; ++k) total += 0.0001f * k;
    sum += total;
  }
  c[i] = sum;
}
"""

# The source of each set, and the names in it of the kernels that are taken from there.
_SOURCES: dict[str, tuple[str, dict[str, str]]] = {
    "arithmetic_by_type": (
        _ARITHMETIC,
        {name: name for name in ("fma_fp32", "fma_fp64", "mad_int32", "mad_int64")},
    ),
    "vector_kernels": (_DIVERGENT, {"vector_add_divergent_8388608": "divergent"}),
}


def _in_cuda(workload: str) -> Callable[[], dict[str, Any]]:
    def launches() -> dict[str, Any]:
        source, names = _SOURCES[workload]
        return {
            name: (cuda_kernel(source, names[name]) if name in names else kernel, grid, block, arguments)
            for name, (kernel, grid, block, arguments) in LATER_WORKLOADS[workload]().items()
        }

    return launches


LATER_CUDA_WORKLOADS: dict[str, Callable[[], dict[str, Any]]] = {name: _in_cuda(name) for name in _SOURCES}

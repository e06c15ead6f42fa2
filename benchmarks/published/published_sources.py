"""The kernels of published measurements in CUDA C++, as they were measured, with their launches.

`CUDA_WORKLOADS` has the names and launches of `published_kernels.WORKLOADS`. Written again from their
descriptions; no code of the sources is used. NVRTC compiles them. Shared arrays are aligned to 16 bytes: nvcc
places them itself and joins loads of neighbouring words; NVRTC leaves that to the linker.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from published_kernels import WORKLOADS
from simulated_gpu import CudaKernel

_HEAD = '#define SHARED __shared__ __align__(16)\n#define KERNEL extern "C" __global__ void\n'

_TRANSPOSES_OF_ROWS = """
KERNEL copy(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) out[(y + j) * w + x] = in[(y + j) * w + x];
}
KERNEL copy_shared(const float* in, float* out) {
  SHARED float tile[32 * 32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) tile[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) out[(y + j) * w + x] = tile[(threadIdx.y + j) * 32 + threadIdx.x];
}
KERNEL naive(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) out[x * w + (y + j)] = in[(y + j) * w + x];
}
template <int width> __device__ void tiled(const float* in, float* out) {
  SHARED float tile[32][width];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * w + x] = tile[threadIdx.x][threadIdx.y + j];
}
KERNEL tile(const float* in, float* out) { tiled<32>(in, out); }
KERNEL tile_padded(const float* in, float* out) { tiled<33>(in, out); }
"""

_TRANSPOSES_OF_TILES = """
KERNEL simple_copy(const float* in, float* out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
  out[y * w + x] = in[y * w + x];
}
KERNEL shared_copy(const float* in, float* out) {
  SHARED float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[y * w + x] = tile[threadIdx.y][threadIdx.x];
}
KERNEL naive(const float* in, float* out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
  out[x * w + y] = in[y * w + x];
}
template <int width> __device__ void tiled(const float* in, float* out) {
  SHARED float tile[16][width];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * w + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
KERNEL coalesced(const float* in, float* out) { tiled<16>(in, out); }
KERNEL optimized(const float* in, float* out) { tiled<17>(in, out); }
"""

_TRANSPOSES_OF_12800 = """
KERNEL write_coalesced(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  if (x < w && y < w) out[y * w + x] = in[x * w + y];
}
KERNEL read_coalesced(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  if (x < w && y < w) out[x * w + y] = in[y * w + x];
}
KERNEL both_coalesced(const float* in, float* out) {
  SHARED float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, w = gridDim.x * 32;
  if (x < w && y < w) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < w && y < w) out[y * w + x] = tile[threadIdx.x][threadIdx.y];
}
"""

_PRODUCTS = """
KERNEL naive(const float* a, const float* b, float* c, long long size) {
  int n = size, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[x * n + k] * b[k * n + y];
    c[x * n + y] = sum;
  }
}
KERNEL coalesced(const float* a, const float* b, float* c, long long size) {
  int n = size, x = blockIdx.x * 32 + threadIdx.x / 32, y = blockIdx.y * 32 + threadIdx.x % 32;
  if (x < n && y < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[x * n + k] * b[k * n + y];
    c[x * n + y] = sum;
  }
}
KERNEL shared_tile(const float* a, const float* b, float* c, long long size) {
  SHARED float first[32 * 32], second[32 * 32];
  int n = size, row = threadIdx.x / 32, column = threadIdx.x % 32;
  a += blockIdx.x * 32 * n;
  b += blockIdx.y * 32;
  c += blockIdx.x * 32 * n + blockIdx.y * 32;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    first[row * 32 + column] = a[row * n + column];
    second[row * 32 + column] = b[row * n + column];
    __syncthreads();
    a += 32;
    b += 32 * n;
    for (int j = 0; j < 32; ++j) sum += first[row * 32 + j] * second[j * 32 + column];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
KERNEL tile_1d(const float* a, const float* b, float* c, long long size) {
  SHARED float first[64 * 8], second[8 * 64];
  int n = size, row = threadIdx.x / 64, column = threadIdx.x % 64;
  a += blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  c += blockIdx.y * 64 * n + blockIdx.x * 64;
  float sums[8] = {0};
  for (int k = 0; k < n; k += 8) {
    first[threadIdx.x] = a[threadIdx.x / 8 * n + threadIdx.x % 8];
    second[threadIdx.x] = b[row * n + column];
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (int j = 0; j < 8; ++j) {
      float held = second[j * 64 + column];
      for (int r = 0; r < 8; ++r) sums[r] += first[(row * 8 + r) * 8 + j] * held;
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r) c[(row * 8 + r) * n + column] = sums[r];
}
KERNEL __launch_bounds__(256, 1) tile_2d(const float* a, const float* b, float* c, long long size) {
  SHARED float first[128 * 8], second[8 * 128];
  int n = size, row = threadIdx.x / 16, column = threadIdx.x % 16;
  int a_row = threadIdx.x / 8, a_column = threadIdx.x % 8;
  int b_row = threadIdx.x / 128, b_column = threadIdx.x % 128;
  a += blockIdx.y * 128 * n;
  b += blockIdx.x * 128;
  c += blockIdx.y * 128 * n + blockIdx.x * 128;
  float sums[64] = {0}, left[8], right[8];
  for (int k = 0; k < n; k += 8) {
    for (int o = 0; o < 128; o += 32) first[(a_row + o) * 8 + a_column] = a[(a_row + o) * n + a_column];
    for (int o = 0; o < 8; o += 2) second[(b_row + o) * 128 + b_column] = b[(b_row + o) * n + b_column];
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (int j = 0; j < 8; ++j) {
      for (int r = 0; r < 8; ++r) left[r] = first[(row * 8 + r) * 8 + j];
      for (int s = 0; s < 8; ++s) right[s] = second[j * 128 + column * 8 + s];
      for (int r = 0; r < 8; ++r)
        for (int s = 0; s < 8; ++s) sums[r * 8 + s] += left[r] * right[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int s = 0; s < 8; ++s) c[(row * 8 + r) * n + column * 8 + s] = sums[r * 8 + s];
}
"""

_STRIDES = """
KERNEL add_one(float* a, long long stride, long long offset) {
  int i = (blockDim.x * blockIdx.x + threadIdx.x) * (int)stride + (int)offset;
  a[i] = a[i] + 1;
}
"""

_ADDITIONS = """
KERNEL by_column(const float* a, const float* b, float* c) {
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, n = gridDim.x * 16;
  if (row < n && column < n) c[row * n + column] = a[row * n + column] + b[row * n + column];
}
KERNEL by_row(const float* a, const float* b, float* c) {
  int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y, n = gridDim.x * 16;
  if (row < n && column < n) c[row * n + column] = a[row * n + column] + b[row * n + column];
}
"""

# T is the type, THREADS the block; the first line of each fills the tile.
_REDUCTIONS = """
#define BEGIN SHARED T tile[THREADS]; unsigned t = threadIdx.x;
#define END if (t == 0) out[blockIdx.x] = tile[0];
#define ONE BEGIN tile[t] = in[blockIdx.x * blockDim.x + t]; __syncthreads();
#define HALVES for (unsigned s = blockDim.x / 2; s > 0; s /= 2) { \\
  if (t < s) tile[t] += tile[t + s]; __syncthreads(); }
KERNEL divergent(const T* in, T* out) { ONE
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) tile[t] += tile[t + s];
    __syncthreads();
  }
  END }
KERNEL conflicts(const T* in, T* out) { ONE
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned at = 2 * s * t;
    if (at < blockDim.x) tile[at] += tile[at + s];
    __syncthreads();
  }
  END }
KERNEL sequential(const T* in, T* out) { ONE HALVES END }
KERNEL two(const T* in, T* out) { BEGIN
  unsigned i = blockIdx.x * (blockDim.x * 2) + t;
  tile[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  HALVES END }
KERNEL many(const T* in, T* out, long long each) { BEGIN
  unsigned i = blockIdx.x * (blockDim.x * (unsigned)each) + t;
  T total = 0;
  for (unsigned k = 0; k < (unsigned)each; ++k) total += in[i + k * blockDim.x];
  tile[t] = total;
  __syncthreads();
  HALVES END }
"""


@cache
def cuda_kernel(source: str, name: str) -> CudaKernel:
    """A kernel of a source without its definitions of KERNEL and SHARED."""
    return CudaKernel(_HEAD + source, name)


def _reduction(kind: str, threads: int) -> str:
    return f"#define T {kind}\n#define THREADS {threads}\n{_REDUCTIONS}"


_PRODUCT_NAMES = ("naive", "coalesced", "shared_tile", "tile_1d", "tile_2d")
_WAYS = ("divergent", "conflicts", "sequential", "two", "many")
# The source of each set, and the names in it of kernels that have others there.
_SOURCES: dict[str, tuple[str, dict[str, str]]] = {
    "transposes_of_rows": (_TRANSPOSES_OF_ROWS, {}),
    "transposes_of_tiles": (_TRANSPOSES_OF_TILES, {}),
    "transposes_of_12800": (_TRANSPOSES_OF_12800, {}),
    "products_of_4096": (_PRODUCTS, {}),
    "products_v00": (_PRODUCTS, {f"v0{number}": name for number, name in enumerate(_PRODUCT_NAMES)}),
    "products_of_6144": (_PRODUCTS, {f"k{number}": name for number, name in enumerate(_PRODUCT_NAMES)}),
    "strides_and_offsets": (
        _STRIDES,
        {f"{way}_{number}": "add_one" for way in ("stride", "offset") for number in range(4)},
    ),
    "reductions_of_floats": (
        _reduction("float", 256), dict(zip(("v0", "v1", "v2", "v3", "v6"), _WAYS, strict=True)),
    ),
    "reductions_of_integers": (
        _reduction("unsigned", 512), dict(zip(("r1", "r2", "r3", "r4"), _WAYS, strict=False)),
    ),
    "additions": (
        _ADDITIONS,
        {
            f"add_{way}_{n}": name
            for way, name in (("coalesced", "by_column"), ("not_coalesced", "by_row"))
            for n in (2048, 8192)
        },
    ),
}  # fmt: skip


def _in_cuda(workload: str) -> Callable[[], dict[str, Any]]:
    def launches() -> dict[str, Any]:
        source, names = _SOURCES[workload]
        return {
            name: (cuda_kernel(source, names.get(name, name)), grid, block, arguments)
            for name, (_, grid, block, arguments) in WORKLOADS[workload]().items()
        }

    return launches


CUDA_WORKLOADS: dict[str, Callable[[], dict[str, Any]]] = {name: _in_cuda(name) for name in WORKLOADS}

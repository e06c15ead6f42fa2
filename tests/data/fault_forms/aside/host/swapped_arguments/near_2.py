# near: swapped_arguments
"""Symmetric overlap of two masks; the order of the two does not matter."""
import cupy as cp
from numba import cuda


@cuda.jit
def overlap(mask_a, mask_b, both, either):
    i = cuda.grid(1)
    if i < mask_a.size:
        both[i] = mask_a[i] & mask_b[i]
        either[i] = mask_a[i] | mask_b[i]


def jaccard(mask_b, mask_a):
    both = cp.empty_like(mask_a)
    either = cp.empty_like(mask_a)
    overlap[(mask_a.size + 255) // 256, 256](mask_a, mask_b, both, either)
    return int(both.sum()) / int(either.sum())


if __name__ == "__main__":
    n = 40_000_000
    a = (cp.random.rand(n) > 0.5).astype(cp.uint8)
    b = (cp.random.rand(n) > 0.4).astype(cp.uint8)
    print(jaccard(a, b))

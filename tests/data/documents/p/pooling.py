"""Buffers of the same size, made and given back in every iteration."""

import cupy as cp
import numpy as np
import torch
from numba import cuda


@cuda.jit
def entropy(image, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = image[i] * image[i]


def with_numba(images):
    for image in images:
        d_out = cuda.device_array(512 * 512, dtype=np.float32)  # hit: allocation-in-host-loop
        entropy[1024, 256](image, d_out)


def with_torch(images):
    total = torch.zeros(1 << 18, device="cuda")
    for _ in images:
        buffer = torch.zeros(1 << 18, device="cuda")  # hit: buffer-allocated-in-host-loop
        buffer += 1
        total += buffer
        torch.cuda.empty_cache()  # hit: memory-freed-in-host-loop
    return total


def with_cupy(images):
    pool = cp.get_default_memory_pool()
    for _ in images:
        buffer = cp.zeros(1 << 18, dtype=cp.float32)  # hit: buffer-allocated-in-host-loop
        buffer += 1
        pool.free_all_blocks()  # hit: memory-freed-in-host-loop

"""Kernels whose results are wrong or lost, beside the same ones as they are meant."""

import math

import numpy as np
from numba import cuda, float32

HALF = np.float32(0.5)


@cuda.jit
def scaled_by_block_and_thread(a, out):
    i = cuda.blockIdx.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a[i] * HALF  # hit: blocks-at-same-position


@cuda.jit
def scaled_by_position(a, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a[i] * HALF  # ok: blocks-at-same-position


@cuda.jit
def flat_with_rows_of_height(image, out, height, width):
    x, y = cuda.grid(2)
    if x < width and y < height:
        out[y * height + x] = image[y * height + x] * HALF  # hit: rows-of-other-length


@cuda.jit
def flat_with_rows_of_width(image, out, height, width):
    x, y = cuda.grid(2)
    if x < width and y < height:
        out[y * width + x] = image[y * width + x] * HALF  # ok: rows-of-other-length


@cuda.jit
def column_sums_up_to_columns(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[k, i]  # hit: bound-of-other-axis
        out[i] = total


@cuda.jit
def column_sums(a, out):
    i = cuda.grid(1)
    if i < a.shape[1]:
        total = float32(0)
        for k in range(a.shape[0]):
            total += a[k, i]  # ok: bound-of-other-axis
        out[i] = total


@cuda.jit
def smoothed_by_shifted_weights(a, weights, out):
    i = cuda.grid(1)
    if i > 0 and i < a.size - 1:
        total = float32(0)
        for d in range(-1, 2):
            total += a[i + d] * weights[d]  # hit: counter-below-zero
        out[i] = total


@cuda.jit
def smoothed(a, weights, out):
    i = cuda.grid(1)
    if i > 0 and i < a.size - 1:
        total = float32(0)
        for d in range(-1, 2):
            total += a[i + d] * weights[d + 1]  # ok: counter-below-zero
        out[i] = total


@cuda.jit
def sums_of_96(a, out):
    s = cuda.shared.array(96, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:  # hit: halving-of-odd-block
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def sums_of_128(a, out):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:  # ok: halving-of-odd-block
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])  # ok: block-sum-added-by-each-thread


@cuda.jit
def sums_of_all_threads(a, out):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    cuda.atomic.add(out, 0, s[0])  # hit: block-sum-added-by-each-thread, contended-atomic


@cuda.jit
def reversed_at_once(a, out):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads  # noqa: B018  # hit: function-not-called
    if i < out.size:
        out[i] = s[127 - t]  # hit: missing-barrier


@cuda.jit
def reversed_in_blocks(a, out):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads()  # ok: function-not-called
    if i < out.size:
        out[i] = s[127 - t]


@cuda.jit
def roots_of_nobody(a, out):
    i = cuda.grid(1)
    if i < out.size:
        math.sqrt(a[i])  # hit: value-without-use
        out[i] = a[i]


@cuda.jit
def roots(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(a[i])  # ok: value-without-use


@cuda.jit
def signs_but_of_zero(a, out):
    i = cuda.grid(1)
    if i < out.size:
        if a[i] > float32(0):
            sign = float32(1)
        elif a[i] < float32(0):
            sign = float32(-1)
        out[i] = sign  # hit: variable-without-value


@cuda.jit
def signs(a, out):
    i = cuda.grid(1)
    if i < out.size:
        sign = float32(0)
        if a[i] > float32(0):
            sign = float32(1)
        elif a[i] < float32(0):
            sign = float32(-1)
        out[i] = sign  # ok: variable-without-value


@cuda.jit
def sums_in_a_register(a, out):
    i = cuda.grid(1)
    if i < a.shape[1]:
        total = float32(0)
        for k in range(8):
            total += a[k, i]  # hit: result-in-variable
        out[i] = a[0, i]


@cuda.jit
def sums_in_memory(a, out):
    i = cuda.grid(1)
    if i < a.shape[1]:
        total = float32(0)
        for k in range(8):
            total += a[k, i]  # ok: result-in-variable
        out[i] = total


@cuda.jit
def counted_in_a_parameter(a, count):  # hit: kernel-without-result
    i = cuda.grid(1)
    if i < a.size and a[i] > HALF:
        count += 1  # hit: result-in-variable


@cuda.jit
def marked(a, out):  # ok: kernel-without-result
    i = cuda.grid(1)
    if i < a.size and a[i] > HALF:
        out[i] = 1


@cuda.jit
def position_alone(a, out):  # hit: empty-kernel  # ok: kernel-without-result
    i = cuda.grid(1)
    if i >= a.size:
        return
    # out[i] = a[i] * HALF


@cuda.jit
def stub(a, out):  # ok: empty-kernel, kernel-without-result
    pass


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    weights = cuda.to_device(np.ones(3, dtype=np.float32))
    scaled_by_block_and_thread[n // 128, 128](a, out)
    scaled_by_position[n // 128, 128](a, out)
    flat_with_rows_of_height[(64, 64), (16, 16)](a, out, 1000, 1024)
    flat_with_rows_of_width[(64, 64), (16, 16)](a, out, 1000, 1024)
    image = cuda.to_device(np.ones((256, 1 << 16), dtype=np.float32))
    column_sums_up_to_columns[512, 128](image, out)  # hit: grid-larger-than-data
    column_sums[512, 128](image, out)
    smoothed_by_shifted_weights[n // 128, 128](a, weights, out)
    smoothed[n // 128, 128](a, weights, out)
    sums_of_96[(n + 95) // 96, 96](a, out)
    sums_of_128[n // 128, 128](a, out)
    sums_of_all_threads[n // 128, 128](a, out)
    reversed_at_once[n // 128, 128](a, out)
    reversed_in_blocks[n // 128, 128](a, out)
    roots_of_nobody[n // 128, 128](a, out)
    roots[n // 128, 128](a, out)
    signs_but_of_zero[n // 128, 128](a, out)
    signs[n // 128, 128](a, out)
    sums_in_a_register[512, 128](image, out)
    sums_in_memory[512, 128](image, out)
    counted_in_a_parameter[n // 128, 128](a, 0)
    marked[n // 128, 128](a, out)
    position_alone[n // 16, 16](a, out)  # The block is small, and a larger one gains nothing.
    stub[n // 16, 16](a, out)
    print(out.copy_to_host()[:4])


def shows_the_array_of_before():
    result = np.zeros(1 << 20, dtype=np.float32)
    a = cuda.to_device(np.ones(result.size, dtype=np.float32))
    device = cuda.to_device(result)
    scaled_by_position[result.size // 128, 128](a, device)  # hit: result-left-on-device
    print(result[:4])


def shows_the_result():
    result = np.zeros(1 << 20, dtype=np.float32)
    a = cuda.to_device(np.ones(result.size, dtype=np.float32))
    device = cuda.to_device(result)
    scaled_by_position[result.size // 128, 128](a, device)  # ok: result-left-on-device
    device.copy_to_host(result)
    print(result[:4])


@cuda.jit
def two_counts_at_once(counts, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1 if counts[i] == 2 and counts[i] == 3 else 0  # hit: test-without-effect


@cuda.jit
def one_of_two_counts(counts, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1 if counts[i] == 2 or counts[i] == 3 else 0  # ok: test-without-effect

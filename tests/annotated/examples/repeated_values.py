"""Values that a thread could have from others, or with less work: signs, wrapped indices, rows."""

import math

import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def signs(a, m):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = int32((-1) ** m)  # hit: power-of-minus-one


@cuda.jit
def signs_by_bits(a, m):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = int32(1 - 2 * (m & 1))  # ok: power-of-minus-one


@cuda.jit
def cubes(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 3  # ok: power-of-minus-one


@cuda.jit
def rolled(a, shift, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[(i + shift) % out.size]  # hit: remainder-for-wrap-around


@cuda.jit
def rolled_by_comparing(a, shift, out):
    i = cuda.grid(1)
    if i < out.size:
        j = i + shift
        if j >= out.size:
            j -= out.size
        out[i] = a[j]  # ok: remainder-for-wrap-around


@cuda.jit
def unflattened(a, out):
    i = cuda.grid(1)
    if i < a.size:
        columns = out.shape[1]
        out[i // columns, i % columns] = a[i]  # ok: remainder-for-wrap-around


@cuda.jit
def delays(a, frequency, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        f = frequency[i]
        lag = math.sqrt(f) / frequency[0] + math.exp(f)  # hit: same-work-along-an-axis
        out[i, j] = a[i, j] * lag


@cuda.jit
def one_scale(a, frequency, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] / frequency[i]  # ok: same-work-along-an-axis


@cuda.jit
def of_both(a, frequency, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        f, g = frequency[i], frequency[j]
        out[i, j] = math.sqrt(f) / g + math.exp(g)  # ok: same-work-along-an-axis


@cuda.jit
def along_one_axis_only(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(a[i]) / a[0] + math.exp(a[i])  # ok: same-work-along-an-axis


@cuda.jit
def curves(rate, image):
    i = cuda.grid(1)
    if i < image.shape[1]:
        level = float32(1)
        for t in range(image.shape[0]):
            image[t, i] = level
            level *= math.exp(-rate[i] / rate[0])  # hit: function-recomputed-in-loop


@cuda.jit
def curves_of_a_factor(rate, image):
    i = cuda.grid(1)
    if i < image.shape[1]:
        level = float32(1)
        factor = math.exp(-rate[i])  # ok: function-recomputed-in-loop
        for t in range(image.shape[0]):
            image[t, i] = level * math.exp(factor)  # ok: function-recomputed-in-loop
            level *= factor


@cuda.jit
def curves_of_changing_rates(rate, image):
    i = cuda.grid(1)
    if i < image.shape[1]:
        for t in range(image.shape[0]):
            image[t, i] = math.exp(-rate[i])  # ok: function-recomputed-in-loop
            rate[i] += float32(1)  # hit: global-accumulation-in-loop


def main(n):
    a = cuda.device_array(n, dtype=np.float32)
    whole = cuda.device_array(n, dtype=np.int32)
    image = cuda.device_array((n, n), dtype=np.float32)
    blocks = (n + 127) // 128
    square = (blocks, blocks), (16, 16)
    signs[blocks, 128](whole, 3)
    signs_by_bits[blocks, 128](whole, 3)
    cubes[blocks, 128](a)
    rolled[blocks, 128](a, 7, a)
    rolled_by_comparing[blocks, 128](a, 7, a)
    unflattened[blocks, 128](a, image)  # hit: fusable-launches
    delays[square](image, a, image)  # hit: grid-rounded-down
    one_scale[square](image, a, image)  # hit: grid-rounded-down
    of_both[square](image, a, image)  # hit: grid-rounded-down
    along_one_axis_only[blocks, 128](a, a)
    curves[blocks, 128](a, image)
    curves_of_a_factor[blocks, 128](a, image)
    curves_of_changing_rates[blocks, 128](a, image)
    return float32(0)

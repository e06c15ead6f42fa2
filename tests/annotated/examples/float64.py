"""Float64 arithmetic that creeps into float32 data, as the machine code shows it."""

import math

import numpy as np
from numba import cuda, float32, float64

FACTOR = 0.1
NARROW = np.float32(0.1)


@cuda.jit
def literal(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 0.1 + 0.7  # hit: float64-promotion


@cuda.jit
def narrow_literal(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * np.float32(0.1) + np.float32(0.7)  # ok: float64-promotion


@cuda.jit
def constant_of_the_module(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * FACTOR + a[i] * a[i]  # hit: float64-promotion


@cuda.jit
def narrow_constant(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * NARROW + a[i] * a[i]  # ok: float64-promotion


@cuda.jit
def wide_accumulator(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0.0
        for k in range(16):
            total += a[(i + k) & 1023]  # hit: float64-promotion
        out[i] = total


@cuda.jit
def narrow_accumulator(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0)
        for k in range(16):
            total += a[(i + k) & 1023]  # ok: float64-promotion
        out[i] = total


@cuda.jit
def narrowed_by_the_compiler(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 2.0  # ok: float64-promotion


@cuda.jit
def root_of_float32(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(a[i])  # ok: float64-promotion


@cuda.jit("void(float64[:], float64[:])")
def stated_in_the_signature(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 0.1 + 0.7  # ok: float64-promotion


@cuda.jit((float32[:], float32[:]))
def stated_float32(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] / 3.0 + 0.3  # hit: float64-promotion


@cuda.jit
def asked_for(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = float64(a[i]) * 0.1  # ok: float64-promotion


@cuda.jit
def clamped_by_a_literal(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        width = max(0.0, a[i] - b[i])  # hit: float64-promotion
        out[i] = width / (a[i] + b[i] - width)  # hit: float64-promotion


@cuda.jit
def clamped_by_float32(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        width = max(np.float32(0), a[i] - b[i])
        out[i] = width / (a[i] + b[i] - width)  # ok: float64-promotion


@cuda.jit
def whole_number_as_start(a, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for k in range(16):
            total += a[(i + k) & 1023]  # hit: float64-promotion
        out[i] = total


@cuda.jit
def doubled_by_an_integer(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = (a[i] + 2 * b[i]) / (8 * a[i])  # hit: float64-promotion


@cuda.jit
def position_in_the_picture(out):
    i = cuda.grid(1)
    if i < out.size:
        x = i / out.size  # hit: float64-promotion
        out[i] = x * x * x - x  # hit: float64-promotion


@cuda.jit(device=True)
def bent(x, strength):
    return x * strength + x * x  # hit: float64-promotion


@cuda.jit
def hands_a_literal_on(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = bent(a[i], 0.1)  # ok: float64-promotion


@cuda.jit
def literal_beside_float64_data(a, wide, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * (wide[i] * 0.1 + 0.7)  # ok: float64-promotion


@cuda.jit
def float64_results(a, wide):
    i = cuda.grid(1)
    if i < wide.size:
        wide[i] = a[i] * 0.1 + 0.7  # ok: float64-promotion


@cuda.jit
def grey_by_literals(picture, grey):
    x, y = cuda.grid(2)
    if y < grey.shape[0] and x < grey.shape[1]:
        pixel = picture[y, x]
        value = 0.2 * pixel[0] + 0.7 * pixel[1] + 0.1 * pixel[2]  # hit: float64-promotion
        grey[y, x] = value


@cuda.jit
def grey_in_float32(picture, grey):
    x, y = cuda.grid(2)
    if y < grey.shape[0] and x < grey.shape[1]:
        pixel = picture[y, x]
        value = float32(0.2) * float32(pixel[0]) + float32(0.8) * float32(pixel[1])  # ok: float64-promotion
        grey[y, x] = value


@cuda.jit(device=True)
def steps_until_it_grows(re, im, most):
    x = re
    y = im
    for step in range(most):
        if x * x + y * y >= 4:  # hit: float64-promotion
            return step
        x, y = x * x - y * y + re, 2 * x * y + im  # hit: float64-promotion
    return most


@cuda.jit
def shades_of_growth(left, top, pixel, shades):
    x, y = cuda.grid(2)
    if y < shades.shape[0] and x < shades.shape[1]:
        shades[y, x] = steps_until_it_grows(left + x * pixel, top + y * pixel, 50)  # hit: float64-promotion


@cuda.jit
def wide_counts_of_growth(left, top, pixel, counts):
    i = cuda.grid(1)
    if i < counts.size:
        x = left + i * pixel  # ok: float64-promotion
        if x * x + top >= 4:  # ok: float64-promotion
            counts[i] = 1


@cuda.jit
def square_root(numbers, found):
    i = cuda.grid(1)
    if i < found.size:
        root = int(math.sqrt(numbers[i]) + 0.5)  # ok: float64-promotion
        for k in range(2, root):
            if numbers[i] == k * k:
                found[i] = k


@cuda.jit
def shifted_by_a_rounded_delay(a, delays, step, out):
    i = cuda.grid(1)
    if i < out.size:
        delay = int(delays[i] * 0.3 / step + 0.7)  # hit: float64-promotion
        out[i] = a[(i + delay) % a.size]


@cuda.jit
def counted_in_float32(a, out):
    i = cuda.grid(1)
    if i < out.size:
        count = np.float32(0)
        for k in range(16):
            if a[(i + k) & 1023] > a[i]:
                count += 1  # hit: float64-promotion
        out[i] = count


@cuda.jit
def counted_in_integers(a, out):
    i = cuda.grid(1)
    if i < out.size:
        count = 0
        for k in range(16):
            if a[(i + k) & 1023] > a[i]:
                count += 1  # ok: float64-promotion
        out[i] = count


def pictures():
    picture = cuda.to_device(np.zeros((1024, 2048, 3), dtype=np.uint8))
    grey = cuda.device_array((1024, 2048), dtype=np.uint8)
    grey_by_literals[(128, 64), (16, 16)](picture, grey)
    grey_in_float32[(128, 64), (16, 16)](picture, grey)
    shades_of_growth[(128, 64), (16, 16)](-2.0, -1.0, 0.001, grey)
    counts = cuda.device_array(1 << 20, dtype=np.int64)
    wide_counts_of_growth[4096, 256](-2.0, -1.0, 0.001, counts)
    square_root[4096, 256](counts, counts)


def main():
    n = 1 << 20
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    blocks = n // 256
    literal[blocks, 256](a, out)
    narrow_literal[blocks, 256](a, out)
    constant_of_the_module[blocks, 256](a, out)
    narrow_constant[blocks, 256](a, out)
    wide_accumulator[blocks, 256](a, out)
    narrow_accumulator[blocks, 256](a, out)
    narrowed_by_the_compiler[blocks, 256](a, out)
    root_of_float32[blocks, 256](a, out)
    asked_for[blocks, 256](a, out)
    wide = cuda.to_device(np.ones(n, dtype=np.float64))
    clamped_by_a_literal[blocks, 256](a, a, out)
    clamped_by_float32[blocks, 256](a, a, out)
    whole_number_as_start[blocks, 256](a, out)
    doubled_by_an_integer[blocks, 256](a, a, out)
    position_in_the_picture[blocks, 256](out)
    hands_a_literal_on[blocks, 256](a, out)
    literal_beside_float64_data[blocks, 256](a, wide, out)
    float64_results[blocks, 256](a, wide)
    shifted_by_a_rounded_delay[blocks, 256](a, a, 0.1, out)
    counted_in_float32[blocks, 256](a, out)
    counted_in_integers[blocks, 256](a, out)

import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def hann(i, n):
    return 0.5 - 0.5 * math.cos(2 * math.pi * i / (n - 1))  # fault: fp64_promotion


@cuda.jit
def window_segments(segments, out):
    col = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y
    if col < segments.shape[1]:
        out[row, col] = segments[row, col] * hann(col, segments.shape[1])


def prepare(recording, segment_length=4096):
    count = recording.size // segment_length
    segments = recording[: count * segment_length].reshape(count, segment_length)
    d_in = cuda.to_device(segments)
    d_out = cuda.device_array(segments.shape, dtype=segments.dtype)
    assert count <= 65535
    grid = ((segment_length + 255) // 256, count)
    window_segments[grid, 256](d_in, d_out)
    return d_out


if __name__ == "__main__":
    recording = np.random.standard_normal(1 << 24).astype(np.float32)
    print(prepare(recording).shape)

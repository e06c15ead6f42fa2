"""Stage times of a two-stage render: project the points, then shade them."""
import time

import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def project(points, focal, screen):
    i = cuda.grid(1)
    if i < screen.shape[1]:
        inv = focal / points[2, i]
        screen[0, i] = points[0, i] * inv
        screen[1, i] = points[1, i] * inv


@cuda.jit
def shade(points, fog, colour):
    i = cuda.grid(1)
    if i < colour.size:
        depth = points[2, i] * fog
        colour[i] = 1.0 / (1.0 + depth * depth)


def stage_times(points, repeats=50):
    n = points.shape[1]
    d_points = cuda.to_device(points)
    screen = cuda.device_array((2, n), dtype=np.float64)
    colour = cuda.device_array(n, dtype=np.float64)
    blocks = (n + TPB - 1) // TPB
    project[blocks, TPB](d_points, 1.5, screen)
    shade[blocks, TPB](d_points, 0.1, colour)
    cuda.synchronize()
    times = np.zeros((repeats, 2))
    for r in range(repeats):
        t0 = time.perf_counter_ns()
        project[blocks, TPB](d_points, 1.5, screen)
        t1 = time.perf_counter_ns()  # fault: timing_without_sync
        shade[blocks, TPB](d_points, 0.1, colour)
        t2 = time.perf_counter_ns()  # fault: timing_without_sync
        times[r] = t1 - t0, t2 - t1
    cuda.synchronize()
    return np.median(times, axis=0) * 1e-6


if __name__ == "__main__":
    cloud = np.random.default_rng(5).random((3, 30_000_000)) + 1.0
    print("project %.3f ms, shade %.3f ms" % tuple(stage_times(cloud)))

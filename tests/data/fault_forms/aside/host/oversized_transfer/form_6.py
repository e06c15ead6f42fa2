"""Calibration of an image cube (frames, y, x)."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def flat_field(cube, flat):
    p = cuda.grid(1)
    f = cuda.blockIdx.y
    if p < flat.size:
        cube[f, p] *= flat[p]


@cuda.jit
def subtract_sky(cube, sky):
    p = cuda.grid(1)
    f = cuda.blockIdx.y
    if p < cube.shape[1]:
        cube[f, p] -= sky[f]


def reduce_cube(cube, flat):
    frames, pixels = cube.shape
    d_cube = cuda.to_device(cube)
    flat_field[((pixels + TPB - 1) // TPB, frames), TPB](d_cube, cuda.to_device(1.0 / flat))
    return d_cube


def background(d_cube, corner):
    frames = d_cube.copy_to_host()  # fault: oversized_transfer
    return frames[:, :corner].mean(axis=1)


def calibrate(cube, flat, corner):
    d_cube = reduce_cube(cube, flat)
    sky = background(d_cube, corner)
    frames, pixels = d_cube.shape
    subtract_sky[((pixels + TPB - 1) // TPB, frames), TPB](d_cube, cuda.to_device(sky))
    return d_cube.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    cube = rng.gamma(3.0, 10.0, (500, 1024 * 1024))
    np.save("calibrated.npy", calibrate(cube, rng.uniform(0.9, 1.1, 1024 * 1024), 64))

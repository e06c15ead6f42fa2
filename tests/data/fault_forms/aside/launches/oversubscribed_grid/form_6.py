"""Frames of a video are converted to luma one at a time."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def to_luma(planes, luma):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for p in range(start, luma.size, step):
        luma[p] = (77 * planes[0, p] + 150 * planes[1, p] + 29 * planes[2, p]) >> 8


class LumaConverter:
    """The grid is sized for the whole clip at once."""

    def __init__(self, clip_shape):
        self.frames, _, self.pixels = clip_shape
        self.luma = cuda.device_array(self.pixels, dtype=np.uint8)
        self.blocks = (self.frames * self.pixels + TPB - 1) // TPB

    def convert(self, planes):
        to_luma[self.blocks, TPB](planes, self.luma)  # fault: oversubscribed_grid
        return self.luma


if __name__ == "__main__":
    clip = np.random.default_rng(5).integers(0, 256, (120, 3, 1080 * 1920), dtype=np.uint8)
    converter = LumaConverter(clip.shape)
    d_planes = cuda.device_array(clip.shape[1:], dtype=np.uint8)
    for k, planes in enumerate(clip):
        d_planes.copy_to_device(planes)
        np.save(f"luma_{k:03d}.npy", converter.convert(d_planes).copy_to_host())

import numpy as np
from numba import cuda

BLOCK = (32, 8)


@cuda.jit
def difference(a, b, out):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = abs(a[y, x] - b[y, x])


class MotionDetector:
    def __init__(self, background):
        self.background = cuda.to_device(background)
        self.frame = cuda.device_array_like(self.background)
        h, w = background.shape
        self.grid = (w + BLOCK[0] - 1) // BLOCK[0], (h + BLOCK[1] - 1) // BLOCK[1]

    def process(self, frames):
        for frame in frames:
            self.frame.copy_to_device(frame)
            diff = cuda.device_array_like(self.background)  # fault: allocation_in_loop
            difference[self.grid, BLOCK](self.frame, self.background, diff)
            yield diff.copy_to_host()


if __name__ == "__main__":
    frames = np.random.default_rng(1).random((300, 1080, 1920), dtype=np.float32)
    detector = MotionDetector(frames[0])
    for k, diff in enumerate(detector.process(frames[1:])):
        np.save(f"diff_{k:04d}.npy", diff)

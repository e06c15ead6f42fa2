"""Background subtraction for camera frames."""
import cupy as cp
from numba import cuda


@cuda.jit
def subtract_background(frame, background, gain, foreground):
    x, y = cuda.grid(2)
    if y < frame.shape[0] and x < frame.shape[1]:
        d = frame[y, x] - gain * background[y, x]
        foreground[y, x] = d if d > 0.0 else 0.0


class BackgroundSubtractor:
    def __init__(self, background, gain=1.05):
        self.background = background
        self.gain = gain
        h, w = background.shape
        self.grid = ((w + 31) // 32, (h + 7) // 8)
        self.foreground = cp.zeros((h, w))

    def apply(self, frame):
        subtract_background[self.grid, (32, 8)](
            self.background, frame, self.gain, self.foreground  # fault: swapped_arguments
        )
        return self.foreground


if __name__ == "__main__":
    subtractor = BackgroundSubtractor(cp.random.rand(2160, 3840))
    print(float(subtractor.apply(cp.random.rand(2160, 3840) + 0.2).mean()))

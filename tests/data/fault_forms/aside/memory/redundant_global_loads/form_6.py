import math

import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]))
def directed_hausdorff(ax, ay, bx, by, nearest):
    i = cuda.grid(1)
    if i < ax.size:
        nearest[i] = 1.0e300
        for j in range(bx.size):
            dx = ax[i] - bx[j]
            dy = ay[i] - by[j]
            nearest[i] = min(nearest[i], dx * dx + dy * dy)  # fault: redundant_global_loads


class ContourDistance:
    threads = 128

    def __init__(self, reference):
        self.rx = cuda.to_device(np.ascontiguousarray(reference[:, 0], dtype=np.float64))
        self.ry = cuda.to_device(np.ascontiguousarray(reference[:, 1], dtype=np.float64))

    def to(self, contour):
        cx = cuda.to_device(np.ascontiguousarray(contour[:, 0], dtype=np.float64))
        cy = cuda.to_device(np.ascontiguousarray(contour[:, 1], dtype=np.float64))
        d = cuda.device_array(cx.size, dtype=np.float64)
        blocks = math.ceil(cx.size / self.threads)
        directed_hausdorff[blocks, self.threads](cx, cy, self.rx, self.ry, d)
        return np.sqrt(d.copy_to_host())


if __name__ == "__main__":
    manual = np.load("manual_contour.npy")
    auto = np.load("auto_contour.npy")
    d = ContourDistance(manual).to(auto)
    print(f"Hausdorff {d.max():.3f}, 95th percentile {np.percentile(d, 95):.3f}, mean {d.mean():.3f}")

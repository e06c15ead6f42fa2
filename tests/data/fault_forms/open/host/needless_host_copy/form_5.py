import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def wrap(d, box):
    if d > 0.5 * box:
        return d - box
    if d < -0.5 * box:
        return d + box
    return d


@cuda.jit
def displacement(now, before, box, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = wrap(now[i] - before[i], box)


class Trajectory:
    """Sorted unwrapped displacements of particles in a periodic box."""

    def __init__(self, start, box):
        self.before = cuda.to_device(start)
        self.box = box
        self.out = cuda.device_array(start.size, dtype=np.float64)

    def sorted_moves(self, now):
        n = self.out.size
        displacement[(n + 255) // 256, 256](now, self.before, self.box, self.out)
        moves = cp.asarray(self.out.copy_to_host())  # fault: needless_host_copy
        moves.sort()
        return moves


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    start = rng.uniform(0.0, 30.0, 50_000_000)
    later = (start + rng.normal(0.0, 0.5, start.size)) % 30.0
    moves = Trajectory(start, 30.0).sorted_moves(cuda.to_device(later))
    print(moves[:: moves.size // 10].get())

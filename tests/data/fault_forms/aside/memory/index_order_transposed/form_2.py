"""Explicit heat conduction on a rectangular plate."""
import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[:, ::1], float64[:, ::1], float64))
def heat_step(t_old, t_new, alpha):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    col = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    nrow = t_old.shape[0]
    ncol = t_old.shape[1]
    if row >= nrow or col >= ncol:
        return
    c = t_old[row, col]  # fault: index_order_transposed
    if row == 0 or col == 0 or row == nrow - 1 or col == ncol - 1:
        t_new[row, col] = c
    else:
        lap = t_old[row - 1, col] + t_old[row + 1, col] + t_old[row, col - 1] + t_old[row, col + 1] - 4.0 * c
        t_new[row, col] = c + alpha * lap  # fault: index_order_transposed


class Plate:
    def __init__(self, temperature, diffusivity, dx, dt):
        field = np.ascontiguousarray(temperature, dtype=np.float64)
        self.alpha = diffusivity * dt / dx ** 2
        if self.alpha > 0.25:
            raise ValueError("time step too large for the explicit scheme")
        self.cur = cuda.to_device(field)
        self.nxt = cuda.device_array_like(self.cur)
        self.block = (16, 16)
        self.grid = ((field.shape[0] + 15) // 16, (field.shape[1] + 15) // 16)

    def advance(self, steps):
        for _ in range(steps):
            heat_step[self.grid, self.block](self.cur, self.nxt, self.alpha)
            self.cur, self.nxt = self.nxt, self.cur

    def temperature(self):
        return self.cur.copy_to_host()


if __name__ == "__main__":
    plate = Plate(np.load("plate_4096.npy"), 1.1e-4, 1e-3, 1e-3)
    plate.advance(2000)
    np.save("plate_final.npy", plate.temperature())

import cupy as cp
from numba import cuda


@cuda.jit
def advect(q, velocity, flux):
    i = cuda.grid(1)
    if i < q.size:
        left = i - 1 if i > 0 else q.size - 1
        flux[i] = velocity[i] * (q[left] if velocity[i] > 0.0 else q[i])


@cuda.jit
def update(q, flux, dt_dx):
    i = cuda.grid(1)
    if i < q.size:
        right = i + 1 if i + 1 < q.size else 0
        q[i] -= dt_dx * (flux[right] - flux[i])


class Transport1D:
    """Double precision upwind scheme; total mass is conserved to rounding."""

    def __init__(self, q0, velocity, dt_dx):
        self.q = cp.asarray(q0, dtype=cp.float64)
        self.velocity = cp.asarray(velocity, dtype=cp.float64)
        self.flux = cp.empty(self.q.size, dtype=cp.float32)  # fault: precision_loss
        self.dt_dx = dt_dx
        self.config = ((self.q.size + 255) // 256, 256)

    def step(self):
        advect[self.config](self.q, self.velocity, self.flux)
        update[self.config](self.q, self.flux, self.dt_dx)


if __name__ == "__main__":
    n = 8_000_000
    model = Transport1D(cp.random.rand(n), cp.full(n, 0.4), 0.5)
    for _ in range(1000):
        model.step()
    print(float(model.q.sum()))

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def bracket(knots, x):
    for k in range(knots.size - 1):
        if knots[k] <= x and x < knots[k + 1]:
            left = k
    return left  # fault: uninitialized_local


@cuda.jit
def interpolate(knots, values, x, out):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.size, stride):
        xi = x[i]
        k = bracket(knots, xi)
        w = (xi - knots[k]) / (knots[k + 1] - knots[k])
        out[i] = values[k] + w * (values[k + 1] - values[k])


class Table:
    """Small table of an equation of state, linear between its knots."""

    def __init__(self, knots, values):
        self.knots = cuda.to_device(np.asarray(knots, dtype=np.float64))
        self.values = cuda.to_device(np.asarray(values, dtype=np.float64))

    def __call__(self, x):
        d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.float64))
        d_out = cuda.device_array_like(d_x)
        interpolate[1056, 256](self.knots, self.values, d_x, d_out)
        return d_out.copy_to_host()


if __name__ == "__main__":
    eos = np.loadtxt("helium_eos.txt")
    table = Table(eos[:, 0], eos[:, 1])
    np.save("pressure.npy", table(np.load("density_samples.npy")))

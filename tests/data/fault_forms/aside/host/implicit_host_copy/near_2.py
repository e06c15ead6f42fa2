# near: implicit_host_copy
"""Fields held in a dictionary of device arrays."""
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def advect(q, vel, out, courant):
    i = cuda.grid(1)
    if 0 < i < q.size:
        out[i] = q[i] - courant * vel[i] * (q[i] - q[i - 1])


class Channel:
    def __init__(self, **fields):
        self.f = {name: cuda.to_device(np.ascontiguousarray(a)) for name, a in fields.items()}
        self.f["next"] = cuda.to_device(fields["q"])
        self.blocks = (self.f["q"].size + TPB - 1) // TPB

    def step(self, courant):
        f = self.f
        advect[self.blocks, TPB](f["q"], f["vel"], f["next"], courant)
        f["q"], f["next"] = f["next"], f["q"]


if __name__ == "__main__":
    n = 10_000_000
    channel = Channel(q=np.exp(-np.linspace(-4.0, 4.0, n) ** 2), vel=np.full(n, 0.8))
    for _ in range(500):
        channel.step(0.5)
    np.save("q.npy", channel.f["q"].copy_to_host())

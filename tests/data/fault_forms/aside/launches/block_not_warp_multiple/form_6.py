import math

import numpy as np
from numba import cuda


@cuda.jit
def decay(field, rate, dt):
    start = cuda.grid(1)
    for i in range(start, field.size, cuda.gridsize(1)):
        field[i] *= math.exp(-rate[i] * dt)


class Tracer:
    def __init__(self, field, rate):
        self.field = cuda.to_device(field)
        self.rate = cuda.to_device(rate)
        sms = cuda.get_current_device().MULTIPROCESSOR_COUNT
        self.config = {"blocks": 16 * sms, "threads": 360}

    def advance(self, dt, steps):
        blocks, threads = self.config["blocks"], self.config["threads"]
        decay[blocks, threads](self.field, self.rate, dt * steps)  # fault: block_not_warp_multiple

    def values(self):
        return self.field.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    tracer = Tracer(rng.random(60_000_000), rng.random(60_000_000))
    tracer.advance(0.01, 50)
    np.save("tracer.npy", tracer.values())

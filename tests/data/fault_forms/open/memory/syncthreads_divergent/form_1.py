import numpy as np
from numba import cuda, float64

TPB = 128
WIDTH = TPB + 1


@cuda.jit
def block_difference(x, dx, fs):
    s = cuda.shared.array(WIDTH, float64)
    i = cuda.grid(1)
    tx = cuda.threadIdx.x
    if i >= x.size:
        return
    s[tx + 1] = x[i]
    if tx == 0:
        s[0] = x[max(i - 1, 0)]
    cuda.syncthreads()  # fault: syncthreads_divergent
    dx[i] = (s[tx + 1] - s[tx]) * fs


def velocity(position, fs):
    position = np.ascontiguousarray(position, dtype=np.float64)
    blocks = (position.size + TPB - 1) // TPB
    d_pos = cuda.to_device(position)
    d_vel = cuda.device_array_like(d_pos)
    block_difference[blocks, TPB](d_pos, d_vel, fs)
    return d_vel.copy_to_host()


if __name__ == "__main__":
    np.save("velocity.npy", velocity(np.load("encoder_position.npy"), 20_000.0))

# near: oversized_transfer
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def wave(prev, cur, nxt, c2):
    i = cuda.grid(1)
    if 0 < i < cur.size - 1:
        nxt[i] = cur[i] + cur[i] - prev[i] + c2 * (cur[i - 1] - cur[i] - cur[i] + cur[i + 1])


def receiver_window(start, c2, steps, first, last):
    fields = [cuda.to_device(start) for _ in range(3)]
    blocks = (start.size + TPB - 1) // TPB
    for _ in range(steps):
        wave[blocks, TPB](fields[0], fields[1], fields[2], c2)
        fields = fields[1:] + fields[:1]
    return fields[1][first:last].copy_to_host()


if __name__ == "__main__":
    pulse = np.exp(-np.linspace(-200.0, 200.0, 8_000_000) ** 2)
    np.save("receivers.npy", receiver_window(pulse, 0.25, 3000, 4_001_000, 4_001_500))

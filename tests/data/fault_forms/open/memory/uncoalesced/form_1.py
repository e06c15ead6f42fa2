import numpy as np
from numba import cuda

# columns: x, y, z, vx, vy, vz, mass, charge
NCOL = 8


@cuda.jit
def boris_push(p, ex, bz, dt):
    i = cuda.grid(1)
    if i < p.shape[0]:
        qm = p[i, 7] / p[i, 6]  # fault: uncoalesced
        vx = p[i, 3] + 0.5 * dt * qm * ex  # fault: uncoalesced
        vy = p[i, 4]
        t = 0.5 * dt * qm * bz
        s = 2.0 * t / (1.0 + t * t)
        wx = vx + vy * t
        wy = vy - vx * t
        vx = vx + wy * s + 0.5 * dt * qm * ex
        vy = vy - wx * s
        p[i, 3] = vx
        p[i, 4] = vy
        p[i, 0] += vx * dt  # fault: uncoalesced
        p[i, 1] += vy * dt
        p[i, 2] += p[i, 5] * dt


def push(particles, n_steps, ex, bz, dt):
    d_p = cuda.to_device(np.ascontiguousarray(particles, dtype=np.float64))
    threads = 256
    blocks = (particles.shape[0] + threads - 1) // threads
    for _ in range(n_steps):
        boris_push[blocks, threads](d_p, ex, bz, dt)
    return d_p.copy_to_host()


if __name__ == "__main__":
    beam = np.load("beam_4M.npy")
    assert beam.shape[1] == NCOL
    np.save("beam_end.npy", push(beam, 500, 1.0e3, 0.2, 1.0e-9))

"""D2Q9 lattice Boltzmann, collision step."""
import numpy as np
from numba import cuda, float32

NX, NY, Q = 4096, 2048, 9
BLOCK = (64, 4)
GRID = ((NX + BLOCK[0] - 1) // BLOCK[0], (NY + BLOCK[1] - 1) // BLOCK[1])

CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1], dtype=np.float32)
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1], dtype=np.float32)
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, dtype=np.float32)


@cuda.jit
def collide(f, omega):
    cx = cuda.const.array_like(CX)
    cy = cuda.const.array_like(CY)
    w = cuda.const.array_like(W)
    x, y = cuda.grid(2)
    if x >= f.shape[1] or y >= f.shape[0]:
        return
    rho = float32(0.0)
    ux = float32(0.0)
    uy = float32(0.0)
    for q in range(Q):
        fq = f[y, x, q]
        rho += fq
        ux += cx[q] * fq
        uy += cy[q] * fq
    inv = float32(1.0) / rho
    ux *= inv
    uy *= inv
    usq = float32(1.5) * (ux * ux + uy * uy)
    for q in range(Q):
        cu = float32(3.0) * (cx[q] * ux + cy[q] * uy)
        feq = w[q] * rho * (float32(1.0) + cu + float32(0.5) * cu * cu - usq)
        f[y, x, q] += omega * (feq - f[y, x, q])


def initial_state():
    f = np.empty((NY, NX, Q), dtype=np.float32)
    f[...] = W
    f[..., 1] *= np.float32(1.05)
    return f


if __name__ == "__main__":
    d_f = cuda.to_device(initial_state())
    collide[GRID, BLOCK](d_f, np.float32(1.7))
    print(d_f.copy_to_host().sum())

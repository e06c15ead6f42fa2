# 3-D diffusion, marching threads along z.
import numpy as np
from numba import cuda

nx, ny, nz = 128, 64, 8192
tpb = (32, 8)
bpg = (nx // tpb[0], ny // tpb[1])
assert bpg[0] * tpb[0] == nx and bpg[1] * tpb[1] == ny


@cuda.jit
def diffuse(u, unew, c):
    x, y = cuda.grid(2)
    if 0 < x < u.shape[2] - 1 and 0 < y < u.shape[1] - 1:
        below = u[0, y, x]
        here = u[1, y, x]
        for z in range(1, u.shape[0] - 1):
            above = u[z + 1, y, x]
            lap = (u[z, y, x - 1] + u[z, y, x + 1] + u[z, y - 1, x] + u[z, y + 1, x]
                   + below + above - np.float32(6.0) * here)
            unew[z, y, x] = here + c * lap
            below = here
            here = above


field = np.zeros((nz, ny, nx), dtype=np.float32)
field[nz // 2 - 50:nz // 2 + 50, 20:40, 40:80] = 1.0
a = cuda.to_device(field)
b = cuda.to_device(field)
coef = np.float32(0.1)
for it in range(500):
    diffuse[bpg, tpb](a, b, coef)  # fault: grid_too_small
    a, b = b, a
cuda.synchronize()
final = a.copy_to_host()
print("heat left:", final.sum())

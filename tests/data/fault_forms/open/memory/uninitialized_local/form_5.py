import cupy as cp
from numba import cuda, float64, void


@cuda.jit(device=True)
def stage(y, k, a, lam):
    return -lam * (y + a * k)


@cuda.jit(void(float64[::1], float64[::1], float64, float64))
def rk4_decay(y, lam, h, t_end):
    i = cuda.grid(1)
    if i < y.size:
        k = cuda.local.array(4, float64)
        v = y[i]
        rate = lam[i]
        t = 0.0
        while t < t_end:
            k[1] = stage(v, k[0], 0.5 * h, rate)  # fault: uninitialized_local
            k[2] = stage(v, k[1], 0.5 * h, rate)
            k[3] = stage(v, k[2], h, rate)
            v += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
            k[0] = -rate * v
            t += h
        y[i] = v


def decay(activity, constants, h=0.01, t_end=10.0):
    y = activity.copy()
    rk4_decay[(y.size + 255) // 256, 256](y, constants, h, t_end)
    return y


if __name__ == "__main__":
    inv = cp.load("nuclide_inventory.npz")
    cp.save("inventory_10s.npy", decay(inv["activity"], inv["lambda"]))

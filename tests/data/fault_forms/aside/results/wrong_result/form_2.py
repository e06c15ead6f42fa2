import numpy as np
from numba import cuda


@cuda.jit
def diffuse(u, u_new, r):
    """One explicit step of u_t = k * laplace(u); r = k * dt / h**2."""
    j, i = cuda.grid(2)
    ny, nx = u.shape
    if 0 < i < ny - 1 and 0 < j < nx - 1:
        lap = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
        u_new[i, j] = u[i, j] - r * lap  # fault: wrong_result


def run(u0, r, steps):
    d_a = cuda.to_device(u0)
    d_b = cuda.to_device(u0)
    threads = (32, 8)
    blocks = ((u0.shape[1] + 31) // 32, (u0.shape[0] + 7) // 8)
    for _ in range(steps):
        diffuse[blocks, threads](d_a, d_b, r)
        d_a, d_b = d_b, d_a
    return d_a.copy_to_host()


def main():
    u0 = np.zeros((2048, 2048))
    u0[900:1100, 900:1100] = 100.0
    print(run(u0, 0.2, 400).max())


if __name__ == "__main__":
    main()

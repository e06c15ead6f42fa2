# near: uncoalesced
import cupy as cp
from numba import cuda


@cuda.jit
def drift(x, y, z, vx, vy, vz, dt, box):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = (x[i] + vx[i] * dt) % box
        y[i] = (y[i] + vy[i] * dt) % box
        z[i] = (z[i] + vz[i] * dt) % box


def main():
    data = cp.load("snapshot_soa.npy")
    x, y, z, vx, vy, vz = (cp.ascontiguousarray(row, dtype=cp.float64) for row in data)
    threads = 256
    blocks = (x.size + threads - 1) // threads
    drift[blocks, threads](x, y, z, vx, vy, vz, 0.01, 250.0)
    cp.save("snapshot_drifted.npy", cp.stack((x, y, z)))


if __name__ == "__main__":
    main()

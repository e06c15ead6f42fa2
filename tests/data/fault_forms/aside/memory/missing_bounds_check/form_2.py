"""Upwind advection of a tracer along a channel."""
import numpy as np
from numba import cuda, float64, void


@cuda.jit(device=True, inline=True)
def flux(left, right, u):
    if u > 0.0:
        return u * left
    return u * right


@cuda.jit(void(float64[::1], float64[::1], float64[::1], float64))
def advect(c, u, c_new, lam):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < c.size:
        if i == 0:
            c_new[0] = c[0]
        else:
            f_left = flux(c[i - 1], c[i], u[i])
            f_right = flux(c[i], c[i + 1], u[i + 1])  # fault: missing_bounds_check
            c_new[i] = c[i] - lam * (f_right - f_left)


class Channel:
    def __init__(self, tracer, face_velocity, lam):
        self.n = tracer.size
        self.c = cuda.to_device(np.asarray(tracer, dtype=np.float64))
        self.c2 = cuda.device_array_like(self.c)
        self.u = cuda.to_device(np.asarray(face_velocity, dtype=np.float64))
        self.lam = lam

    def run(self, steps):
        tpb = 128
        bpg = -(-self.n // tpb)
        for _ in range(steps):
            advect[bpg, tpb](self.c, self.u, self.c2, self.lam)
            self.c, self.c2 = self.c2, self.c
        return self.c.copy_to_host()


if __name__ == "__main__":
    tracer = np.load("tracer.npy")
    faces = np.load("face_velocity.npy")
    assert faces.size == tracer.size + 1
    np.save("tracer_out.npy", Channel(tracer, faces, 0.4).run(1000))

import numpy as np
from numba import cuda

# Finite-volume transport: fluxes through the faces, then the cells
n = 4_000_000
rng = np.random.default_rng(2)
d_q = cuda.to_device(rng.random(n))
d_speed = cuda.to_device(rng.uniform(0.2, 0.8, n + 1))


@cuda.jit
def face_flux(q, speed, flux):
    i = cuda.grid(1)
    if i < flux.size:
        upwind = i - 1 if i > 0 else q.size - 1
        flux[i] = speed[i] * q[upwind]


@cuda.jit
def update_cells(q, flux, c):
    i = cuda.grid(1)
    if i < q.size:
        q[i] += c * (flux[i] - flux[i + 1])


tpb = 256
for step in range(3000):
    flux = cuda.device_array(n + 1, np.float64)  # fault: allocation_in_loop
    face_flux[(n + tpb) // tpb, tpb](d_q, d_speed, flux)
    update_cells[(n + tpb - 1) // tpb, tpb](d_q, flux, 0.5)

np.save("transport.npy", d_q.copy_to_host())

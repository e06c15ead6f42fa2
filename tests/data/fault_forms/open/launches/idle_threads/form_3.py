import cupy as cp
from numba import cuda

# Bloch vectors of spin ensembles: (component, repetition, spin)
spins = cp.random.standard_normal((3, 4, 1_500_000))
threads = (8, 8, 16)
blocks = (-(-spins.shape[2] // threads[0]), -(-spins.shape[1] // threads[1]), -(-spins.shape[0] // threads[2]))


@cuda.jit
def relax(spins, keep):
    s, rep, comp = cuda.grid(3)
    if comp < spins.shape[0] and rep < spins.shape[1] and s < spins.shape[2]:
        spins[comp, rep, s] *= keep[comp]


keep = cp.array([0.98, 0.98, 0.995])
relax[blocks, threads](spins, keep)  # fault: idle_threads
print(cp.abs(spins).mean(axis=(1, 2)))

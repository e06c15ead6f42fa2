"""Spin glass energy: periodic neighbours of a flattened 3-D lattice, many replicas."""
import numpy as np
from numba import cuda


@cuda.jit
def replica_energy(spins, jx, jy, jz, side, energy):
    """spins: (side**3, replicas) int8, one replica per thread."""
    r = cuda.grid(1)
    if r >= energy.size:
        return
    e = 0.0
    for site in range(spins.shape[0]):
        x = site % side  # fault: int_divmod_hot
        y = (site // side) % side  # fault: int_divmod_hot
        z = site // (side * side)  # fault: int_divmod_hot
        s = spins[site, r]
        right = site + 1 if x + 1 < side else site + 1 - side
        front = site + side if y + 1 < side else site + side - side * side
        above = site + side * side if z + 1 < side else x + y * side
        e -= s * (jx[site] * spins[right, r] + jy[site] * spins[front, r] + jz[site] * spins[above, r])
    energy[r] = e


class Ensemble:
    def __init__(self, side, replicas, seed=0):
        rng = np.random.default_rng(seed)
        self.side = side
        self.spins = cuda.to_device(rng.choice(np.array([-1, 1], np.int8), (side**3, replicas)))
        self.j = [cuda.to_device(rng.standard_normal(side**3)) for _ in range(3)]
        self.energy = cuda.device_array(replicas, dtype=np.float64)

    def energies(self):
        n = self.energy.size
        replica_energy[(n + 127) // 128, 128](self.spins, *self.j, self.side, self.energy)
        return self.energy.copy_to_host()


if __name__ == "__main__":
    print(Ensemble(24, 65536).energies()[:4])

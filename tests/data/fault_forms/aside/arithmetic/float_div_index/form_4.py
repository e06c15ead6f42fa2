"""Genotype calls packed four to a byte."""
import numpy as np
from numba import cuda


@cuda.jit
def unpack_genotypes(packed, per_byte, dosage):
    g = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if g < dosage.size:
        byte = np.int64(g / per_byte)  # fault: float_div_index
        shift = 2 * (g - byte * per_byte)
        code = (packed[byte] >> shift) & 3
        dosage[g] = 2 - code if code < 3 else -9


def read_dosages(packed, n_samples):
    """packed: uint8 vector of ceil(n_samples / 4) bytes."""
    assert packed.size * 4 >= n_samples
    d_dosage = cuda.device_array(n_samples, dtype=np.int8)
    unpack_genotypes[(n_samples + 255) // 256, 256](cuda.to_device(packed), 4, d_dosage)
    return d_dosage.copy_to_host()


if __name__ == "__main__":
    packed = np.random.randint(0, 256, 10_000_000).astype(np.uint8)
    print(np.unique(read_dosages(packed, 39_999_999), return_counts=True))

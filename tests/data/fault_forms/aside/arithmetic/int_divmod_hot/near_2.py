# near: int_divmod_hot
"""Bit unpacking: the word size is a power of two known to the compiler."""
import numpy as np
from numba import cuda

BITS = 32


@cuda.jit
def unpack(words, flags):
    for i in range(cuda.grid(1), flags.size, cuda.gridsize(1)):
        flags[i] = (words[i // BITS] >> np.uint32(i % BITS)) & np.uint32(1)


def unpack_mask(words):
    d_words = cuda.to_device(words)
    d_flags = cuda.device_array(words.size * BITS, dtype=np.uint8)
    unpack[2048, 256](d_words, d_flags)
    return d_flags.copy_to_host()


if __name__ == "__main__":
    words = np.random.randint(0, 1 << 32, 1_000_000, dtype=np.uint64).astype(np.uint32)
    print(unpack_mask(words).sum())

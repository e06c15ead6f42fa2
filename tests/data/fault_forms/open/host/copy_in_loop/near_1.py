# near: copy_in_loop
import numpy as np
from numba import cuda

CHUNK = 8_000_000


@cuda.jit
def dequantise(codes, scale, out):
    i = cuda.grid(1)
    if i < codes.size:
        out[i] = codes[i] * scale


def convert_file(path, target, scale):
    """The file is larger than the device memory, so it goes through in chunks."""
    source = np.memmap(path, dtype=np.int16, mode="r")
    sink = np.memmap(target, dtype=np.float64, mode="w+", shape=source.shape)
    d_codes = cuda.device_array(CHUNK, dtype=np.int16)
    d_out = cuda.device_array(CHUNK, dtype=np.float64)
    for first in range(0, source.size, CHUNK):
        part = np.ascontiguousarray(source[first:first + CHUNK])
        codes = d_codes[:part.size]
        out = d_out[:part.size]
        codes.copy_to_device(part)
        dequantise[(part.size + 255) // 256, 256](codes, scale, out)
        sink[first:first + part.size] = out.copy_to_host()
    sink.flush()


if __name__ == "__main__":
    convert_file("survey.i16", "survey.f64", 1.0 / 32768.0)

import numpy as np
from numba import cuda, float64, int64, void

TPB = 256
WIDTH = TPB + 1


@cuda.jit(void(float64[::1], float64[::1], int64))
def block_shift_filter(signal, out, n):
    buf = cuda.shared.array(WIDTH, float64)
    tx = cuda.threadIdx.x
    i = cuda.blockIdx.x * TPB + tx
    if i < n:
        buf[tx + 1] = signal[i]
        if tx == 0:
            if i > 0:
                buf[0] = signal[i - 1]
            else:
                buf[0] = 0.0
    if i < n:
        out[i] = buf[tx + 1] - 0.97 * buf[tx]  # fault: data_race


def pre_emphasis(audio):
    audio = np.ascontiguousarray(audio, dtype=np.float64)
    d_in = cuda.to_device(audio)
    d_out = cuda.device_array(audio.shape, dtype=np.float64)
    block_shift_filter[(audio.size + TPB - 1) // TPB, TPB](d_in, d_out, audio.size)
    return d_out.copy_to_host()


corpus = np.load("corpus_16khz.npy")
np.save("corpus_emphasised.npy", pre_emphasis(corpus))

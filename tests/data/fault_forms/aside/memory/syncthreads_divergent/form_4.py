import numpy as np
from numba import cuda, int32

TPB = 256


@cuda.jit(device=True)
def exclusive_scan(buf, value):
    t = cuda.threadIdx.x
    buf[t] = value
    cuda.syncthreads()  # fault: syncthreads_divergent
    offset = 1
    while offset < TPB:
        add = 0
        if t >= offset:
            add = buf[t - offset]
        cuda.syncthreads()
        buf[t] += add
        cuda.syncthreads()
        offset *= 2
    return buf[t] - value


@cuda.jit
def compact_block(score, threshold, base, kept):
    buf = cuda.shared.array(TPB, int32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < score.size and score[i] > threshold:
        slot = exclusive_scan(buf, 1)  # fault: syncthreads_divergent
        kept[base[cuda.blockIdx.x] + slot] = i


def select_hits(score, threshold):
    n = score.size
    blocks = -(-n // TPB)
    padded = np.zeros(blocks * TPB, dtype=bool)
    padded[:n] = score > threshold
    per_block = padded.reshape(blocks, TPB).sum(axis=1)
    base = np.concatenate(([0], np.cumsum(per_block)))
    d_kept = cuda.device_array(int(base[-1]), dtype=np.int32)
    compact_block[blocks, TPB](cuda.to_device(score), threshold, cuda.to_device(base[:-1]), d_kept)
    return d_kept.copy_to_host()


if __name__ == "__main__":
    blast = np.load("bit_scores.npy").astype(np.float64)
    np.save("hits.npy", select_hits(blast, 50.0))

import numpy as np
from numba import cuda, float64

TPB = 128


@cuda.jit
def block_energy(x, energy):
    s = cuda.shared.array(TPB, float64)
    i = cuda.grid(1)
    tx = cuda.threadIdx.x
    if i >= x.size:
        return
    s[tx] = x[i] * x[i]
    cuda.syncthreads()  # fault: syncthreads_divergent
    if tx == 0:
        count = min(TPB, x.size - cuda.blockIdx.x * TPB)
        total = 0.0
        for k in range(count):
            total += s[k]
        energy[cuda.blockIdx.x] = total / count


def frame_energy(audio):
    audio = np.ascontiguousarray(audio, dtype=np.float64)
    blocks = (audio.size + TPB - 1) // TPB
    d_audio = cuda.to_device(audio)
    d_energy = cuda.device_array(blocks, dtype=np.float64)
    block_energy[blocks, TPB](d_audio, d_energy)
    return d_energy.copy_to_host()


if __name__ == "__main__":
    np.save("energy.npy", frame_energy(np.load("hydrophone.npy")))

import cupy as cp
from numba import cuda

CHUNK = 64


@cuda.jit
def decode_adc(raw, gain, pedestal, energy):
    tid = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    start = tid * CHUNK
    stop = min(start + CHUNK, raw.size)
    for k in range(start, stop):
        energy[k] = gain * (raw[k] - pedestal)  # fault: uncoalesced


def calibrate(raw, gain, pedestal):
    energy = cp.empty(raw.size, dtype=cp.float64)
    n_threads = -(-raw.size // CHUNK)
    decode_adc[-(-n_threads // 128), 128](raw, gain, pedestal, energy)
    return energy


def main():
    raw = cp.load("run_0412_adc.npy").astype(cp.int32).ravel()
    energy = calibrate(raw, 0.137, 204.5)
    spectrum, edges = cp.histogram(energy, bins=4096)
    cp.savez("spectrum.npz", counts=spectrum, edges=edges)


if __name__ == "__main__":
    main()

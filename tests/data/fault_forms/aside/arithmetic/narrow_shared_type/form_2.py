"""Column loads of a scintillator wall: summed ADC counts per strip."""
import numpy as np
from numba import cuda, int16

STRIPS = 64
ROWS = 8


@cuda.jit
def strip_loads(adc, loads):
    """adc: (events, STRIPS) uint16; each block sums 2048 events."""
    part = cuda.shared.array((ROWS, STRIPS), int16)  # fault: narrow_shared_type
    strip = cuda.threadIdx.x
    r = cuda.threadIdx.y
    first = cuda.blockIdx.x * 2048
    total = 0
    for e in range(first + r, min(first + 2048, adc.shape[0]), ROWS):
        total += adc[e, strip]
    part[r, strip] = total
    cuda.syncthreads()
    if r == 0:
        s = 0
        for k in range(ROWS):
            s += part[k, strip]
        loads[cuda.blockIdx.x, strip] = s


class StripMonitor:
    def __init__(self, max_events):
        self.blocks = (max_events + 2047) // 2048
        self.d_loads = cuda.device_array((self.blocks, STRIPS), dtype=np.int64)

    def compute(self, adc):
        strip_loads[self.blocks, (STRIPS, ROWS)](cuda.to_device(adc), self.d_loads)
        return self.d_loads.copy_to_host().sum(axis=0)


if __name__ == "__main__":
    adc = np.random.randint(0, 4096, (1_000_000, STRIPS)).astype(np.uint16)
    print(StripMonitor(len(adc)).compute(adc)[:5])

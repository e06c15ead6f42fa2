import math

import cupy as cp
from numba import cuda


@cuda.jit
def taper_and_stack(traces, stack, taper_length):
    """Each thread stacks one time sample over all shots; tapers run over the shot index."""
    i = cuda.grid(1)
    stride = cuda.gridsize(1)
    shots = traces.shape[0]
    for t in range(i, traces.shape[1], stride):
        acc = 0.0
        for s in range(shots):
            edge = min(s, shots - 1 - s)
            w = 1.0
            if edge < taper_length:
                w = 0.5 - 0.5 * math.cos(math.pi * (edge + 0.5) / taper_length)  # fault: thread_invariant_recompute
            acc += w * traces[s, t]
        stack[t] = acc


def stacked(traces, taper_length):
    out = cp.empty(traces.shape[1])
    taper_and_stack[1024, 256](traces, out, taper_length)
    return out


if __name__ == "__main__":
    gathers = cp.random.standard_normal((480, 1 << 20))
    print(float(abs(stacked(gathers, 200)).max()))

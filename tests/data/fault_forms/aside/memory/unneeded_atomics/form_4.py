import cupy as cp
from numba import cuda, float64

TPB = 256


@cuda.jit
def row_totals(cost, totals):
    """One block per scenario; cost[scenario, contract]."""
    s = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    acc = 0.0
    for c in range(t, cost.shape[1], TPB):
        acc += cost[row, c]
    s[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(totals, row, s[0])  # fault: unneeded_atomics


def expected_shortfall(cost, level=0.99):
    totals = cp.zeros(cost.shape[0], dtype=cp.float64)
    row_totals[cost.shape[0], TPB](cost, totals)
    var = cp.quantile(totals, level)
    return float(totals[totals >= var].mean())


if __name__ == "__main__":
    losses = cp.load("scenario_losses.npy").astype(cp.float64)
    print("ES 99%:", expected_shortfall(losses))

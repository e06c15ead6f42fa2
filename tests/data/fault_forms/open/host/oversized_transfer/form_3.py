import cupy as cp
import numpy as np
from numba import cuda

# Monte Carlo estimate of an Asian option from simulated averages
averages = cp.exp(cp.random.normal(4.6, 0.1, 80_000_000))
payoff = cp.empty_like(averages)


@cuda.jit
def asian_call(average, strike, payoff):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < payoff.size:
        payoff[i] = max(average[i] - strike, 0.0)


asian_call[(payoff.size + 255) // 256, 256](averages, 100.0, payoff)
price = np.mean(cp.asnumpy(payoff)) * np.exp(-0.03)  # fault: oversized_transfer
print("price", price)

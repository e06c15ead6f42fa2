# near: redundant_global_stores
import numpy as np
from numba import cuda


@cuda.jit
def drawdown(price, dd):
    """Running drawdown of price[day, asset]."""
    a = cuda.grid(1)
    if a < price.shape[1]:
        peak = price[0, a]
        for day in range(price.shape[0]):
            p = price[day, a]
            peak = max(peak, p)
            dd[day, a] = 1.0 - p / peak


def drawdowns(price):
    d_price = cuda.to_device(np.ascontiguousarray(price, dtype=np.float64))
    d_dd = cuda.device_array_like(d_price)
    threads = 128
    drawdown[(price.shape[1] + threads - 1) // threads, threads](d_price, d_dd)
    return d_dd.copy_to_host()


if __name__ == "__main__":
    np.save("drawdowns.npy", drawdowns(np.load("simulated_prices.npy")))

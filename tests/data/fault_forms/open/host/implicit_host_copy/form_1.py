"""Wind chill for a gridded forecast."""
import numpy as np
from numba import cuda


@cuda.jit
def wind_chill(temp, wind_power, chill):
    i = cuda.grid(1)
    if i < chill.size:
        v = wind_power[i]
        chill[i] = 13.12 + 0.6215 * temp[i] - 11.37 * v + 0.3965 * temp[i] * v


def main():
    rng = np.random.default_rng(0)
    n = 25_000_000
    temp = rng.uniform(-30.0, 10.0, n)
    wind_power = rng.uniform(5.0, 80.0, n) ** 0.16
    chill = np.empty(n)
    threads = 256
    blocks = (n + threads - 1) // threads
    wind_chill[blocks, threads](temp, wind_power, chill)  # fault: implicit_host_copy
    print(chill.min())


if __name__ == "__main__":
    main()

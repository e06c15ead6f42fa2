"""Payoffs of a basket of European calls on simulated terminal prices."""
import numpy as np
from numba import cuda

PATHS = 4_000_000
THREADS = 8


@cuda.jit
def call_payoff(terminal, strike, discount, payoff):
    i = cuda.grid(1)
    if i < terminal.size:
        gain = terminal[i] - strike
        if gain > 0.0:
            payoff[i] = gain * discount
        else:
            payoff[i] = 0.0


def main():
    rng = np.random.default_rng(7)
    terminal = 100.0 * np.exp(rng.normal(0.02, 0.2, PATHS))
    d_terminal = cuda.to_device(terminal)
    d_payoff = cuda.device_array(PATHS, dtype=np.float64)
    blocks = (PATHS + THREADS - 1) // THREADS
    call_payoff[blocks, THREADS](d_terminal, 105.0, np.exp(-0.03), d_payoff)  # fault: block_too_small
    np.save("payoff.npy", d_payoff.copy_to_host())


if __name__ == "__main__":
    main()

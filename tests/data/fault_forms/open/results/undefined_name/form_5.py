"""Per-column cumulative returns."""
import numpy as np
import numba.cuda as nc


@nc.jit("void(float64[:, ::1], float64[:, ::1])")
def compound(returns, wealth):
    asset = nc.grid(1)
    if asset < n_assets:  # fault: undefined_name
        w = 1.0
        for day in range(returns.shape[0]):
            w *= 1.0 + returns[day, asset]
            wealth[day, asset] = w


def wealth_paths(returns):
    n_days, assets = returns.shape
    d_returns = nc.to_device(returns)
    d_wealth = nc.device_array((n_days, assets), dtype=np.float64)
    compound[(assets + 127) // 128, 128](d_returns, d_wealth)
    return d_wealth.copy_to_host()


if __name__ == "__main__":
    print(wealth_paths(np.random.normal(3e-4, 1e-2, (1000, 100_000)))[-1, :4])

"""Autoregressive forecast: 1,000 points, AR(5), 10 steps ahead.

Each point from the fifth to the last is taken as the present, and the next 10 values are forecast from the
5 before it: the forecasts from all 996 origins are what one compares with the data to judge a model. One
series of 1,000 points is too little work for a GPU, so there are 64 of them, each with its own coefficients;
`history` is (series, point), `coefficients` (series, lag) and `forecasts` (series, step, origin).

The first version launches one kernel for each step from a Python loop. Within a step it adds the five
products to `forecasts` in global memory, reads the earlier forecasts back from there, and runs the lanes
along the series, so that neighbouring lanes are 4,000 bytes apart in `history` and more in `forecasts`.

The improved version does the 10 steps, which depend on each other, in one launch. The last five values stay
in registers and move up by one with each step; the lanes run along the origins, the last index of
`history` and `forecasts`, so that each load and store of a warp covers 32 neighbouring elements.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

ORDER = 5
BLOCK_FIRST = (16, 16)
THREADS = 128


@cuda.jit
def ar_forecast_first(history, coefficients, forecasts, step):
    series, origin = cuda.grid(2)
    if series < forecasts.shape[0] and origin < forecasts.shape[2]:
        forecasts[series, step, origin] = 0.0
        for k in range(ORDER):
            earlier = step - 1 - k
            if earlier >= 0:
                value = forecasts[series, earlier, origin]
            else:
                value = history[series, origin + ORDER + earlier]
            forecasts[series, step, origin] += coefficients[series, k] * value


@cuda.jit
def ar_forecast_improved(history, coefficients, forecasts):
    origin, series = cuda.grid(2)
    if series < forecasts.shape[0] and origin < forecasts.shape[2]:
        coefficient1 = coefficients[series, 0]
        coefficient2 = coefficients[series, 1]
        coefficient3 = coefficients[series, 2]
        coefficient4 = coefficients[series, 3]
        coefficient5 = coefficients[series, 4]
        lag1 = history[series, origin + 4]
        lag2 = history[series, origin + 3]
        lag3 = history[series, origin + 2]
        lag4 = history[series, origin + 1]
        lag5 = history[series, origin]
        for step in range(forecasts.shape[1]):
            value = coefficient1 * lag1 + coefficient2 * lag2 + coefficient3 * lag3
            value += coefficient4 * lag4 + coefficient5 * lag5
            forecasts[series, step, origin] = value
            lag5 = lag4
            lag4 = lag3
            lag3 = lag2
            lag2 = lag1
            lag1 = value


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(7)
    series = sizes["series"]
    typical = np.array([0.5, 0.2, 0.1, 0.05, 0.05], dtype=np.float32)
    return {
        "history": random.standard_normal((series, sizes["points"]), dtype=np.float32),
        "coefficients": typical * (1 + np.float32(0.1) * random.random((series, ORDER), dtype=np.float32)),
        "steps": np.array(sizes["steps"]),
    }


def run_first(inputs: Arrays) -> Arrays:
    history = cuda.to_device(inputs["history"])
    coefficients = cuda.to_device(inputs["coefficients"])
    series, points = history.shape
    steps = int(inputs["steps"])
    origins = points - ORDER + 1
    forecasts = cuda.device_array((series, steps, origins), dtype=np.float32)
    grid = (
        (series + BLOCK_FIRST[0] - 1) // BLOCK_FIRST[0],
        (origins + BLOCK_FIRST[1] - 1) // BLOCK_FIRST[1],
    )
    for step in range(steps):
        ar_forecast_first[grid, BLOCK_FIRST](history, coefficients, forecasts, step)
    return {"forecasts": forecasts.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    history = cuda.to_device(inputs["history"])
    coefficients = cuda.to_device(inputs["coefficients"])
    series, points = history.shape
    origins = points - ORDER + 1
    forecasts = cuda.device_array((series, int(inputs["steps"]), origins), dtype=np.float32)
    grid = ((origins + THREADS - 1) // THREADS, series)
    ar_forecast_improved[grid, (THREADS, 1)](history, coefficients, forecasts)
    return {"forecasts": forecasts.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    history = inputs["history"].astype(np.float64)
    newest_first = inputs["coefficients"].astype(np.float64)
    recent = np.lib.stride_tricks.sliding_window_view(history, ORDER, axis=1)[:, :, ::-1]
    forecasts = []
    for _ in range(int(inputs["steps"])):
        value = np.einsum("sok,sk->so", recent, newest_first)
        forecasts.append(value)
        recent = np.concatenate([value[:, :, np.newaxis], recent[:, :, :-1]], axis=2)
    return {"forecasts": np.stack(forecasts, axis=1)}


WORKLOAD = Workload(
    name="ar_forecast",
    full={"series": 64, "points": 1_000, "order": ORDER, "steps": 10},
    reduced={"series": 3, "points": 141, "order": ORDER, "steps": 7},
    build_inputs=make_inputs,
    first=ar_forecast_first,
    improved=ar_forecast_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-5,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)

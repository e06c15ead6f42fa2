"""Records as one array for each field: rows of numbers, records with names, what stays, equal results."""

from __future__ import annotations

import numpy as np
import pytest
from fixing import fixed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

ROWS = """import numpy as np
from numba import cuda


@cuda.jit
def lengths(points, out):
    i = cuda.grid(1)
    if i < points.shape[0] and points.shape[1] > 2:
        out[i] = points[i, 0] * points[i, 0] + points[i, 5]  # of each point


def run(points):
    device = cuda.to_device(points)
    out = cuda.device_array(len(points), np.float32)
    lengths[(out.size + 127) // 128, 128](device, out)
    return out.copy_to_host()
"""
RECORDS = """from numba import cuda
import numpy as np

POINT = np.dtype([("x", np.float32), ("y", np.float32), ("mass", np.float64), ("z", np.float64, 3)])


@cuda.jit
def products(points, out):
    for i in range(cuda.grid(1), points.size, cuda.gridsize(1)):
        out[i] = points[i]["x"] * points["y"][i] + points[i]["x"]


def run(points):
    device = cuda.to_device(points)  # all of it
    out = cuda.device_array(points.size, np.float32)
    products[3, 64](device, out)
    return out.copy_to_host()
"""
TURNED = (
    ROWS.replace("points.shape[0] and points.shape[1]", "points.shape[1] and points.shape[0]")
    .replace("points[i, 0]", "points[0, i]")
    .replace("points[i, 5]", "points[5, i]")
    .replace("to_device(points)", "to_device(np.ascontiguousarray(points.T))")
)
SPLIT = (
    RECORDS.replace("products(points, out)", "products(points_x, points_y, out)")
    .replace("points.size, cuda.gridsize", "points_x.size, cuda.gridsize")
    .replace('points[i]["x"] * points["y"][i] + points[i]["x"]', "points_x[i] * points_y[i] + points_x[i]")
    .replace(
        "device = cuda.to_device(points)",
        'device_x = cuda.to_device(np.ascontiguousarray(points["x"]))\n'
        '    device_y = cuda.to_device(np.ascontiguousarray(points["y"]))',
    )
    .replace("(device, out)", "(device_x, device_y, out)")
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ROWS, TURNED),
        (ROWS.replace("device(points", "device(2 * points"), TURNED.replace("points.T", "(2 * points).T")),
        (
            ROWS.replace("device = cuda.to_device(points)\n    ", "").replace(
                "(device", "(cuda.to_device(points)"
            ),
            TURNED.replace("device = cuda.to_device(np.ascontiguousarray(points.T))\n    ", "").replace(
                "(device", "(cuda.to_device(np.ascontiguousarray(points.T))"
            ),
        ),
        (RECORDS, SPLIT),
    ],
)  # fmt: skip
def test_each_field_gets_an_array(tmp_path, before: str, after: str) -> None:
    assert fixed(tmp_path, "structure-of-arrays", before) == after


def test_a_numpy_array_that_the_launch_copies_is_turned_there(tmp_path) -> None:
    text = ROWS.replace("device = cuda.to_device(points)", "rows = np.ones((len(points), 8), np.float32)")
    after = fixed(tmp_path, "structure-of-arrays", text.replace("(device, ", "(rows, "))
    assert "128](np.ascontiguousarray(rows.T), out)" in after
    assert "points[5, i]" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return out", "    device.copy_to_host(points)\n    return out"),
        ("(device, out)", "(device, device)"),
        ("(device, out)", "(points, out)"),
        ("(device, out)", "(device, out=out)"),
        ("to_device(points)", "to_device(np.asfortranarray(points))"),
        ("cuda.to_device(points)", "elsewhere(points)"),
        ("        out[i]", "        points[i, 1] = 2.0\n        out[i]"),
        ("points[i, 5]", "points[i, i]"),
        ("points[i, 5]", "points[i, 0]"),
        ("    i = ", "    n, m = points.shape\n    i = "),
        ("    i = ", "    first = points[0]\n    i = "),
        ("to_device(points)", "to_device(np.ones((100, 64), np.float32))"),
        ("def run", "@cuda.jit\ndef outer(a, b):\n    lengths(a, b)\n\n\ndef run"),
    ],
)
def test_rows_stay(tmp_path, old: str, new: str) -> None:
    assert ROWS.count(old) == 1
    assert fixed(tmp_path, "structure-of-arrays", ROWS.replace(old, new)) == ROWS.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@cuda.jit", '@cuda.jit("void(float32[:], float32[:])")'),
        ('points["y"][i]', 'points[i]["z"][1]'),
        ('points["y"][i]', "points[i].real"),
        ("        out[i]", '        points[i]["y"] = 1.0\n        out[i]'),
        ("        out[i]", "        one = points[i]\n        out[i]"),
        ("    return out", "    print(device)\n    return out"),
        ("to_device(points)", "to_device(points[2:])"),
    ],
)
def test_records_stay(tmp_path, old: str, new: str) -> None:
    assert RECORDS.count(old) == 1
    assert fixed(tmp_path, "structure-of-arrays", RECORDS.replace(old, new)) == RECORDS.replace(old, new)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 400), st.integers(0, 99))
def test_results_stay_equal(simulated: SimulatedRuns, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.random((size, 6), np.float32)
    assert simulated.call(ROWS, "run", rows).tobytes() == simulated.call(TURNED, "run", rows).tobytes()
    kinds = [("x", np.float32), ("y", np.float32), ("mass", np.float64), ("z", np.float64, 3)]
    points = np.zeros(size, np.dtype(kinds))
    points["x"], points["y"] = random.random(size), random.random(size)
    expected, found = (simulated.call(text, "run", points) for text in (RECORDS, SPLIT))
    assert expected.tobytes() == found.tobytes()

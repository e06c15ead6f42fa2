"""NumPy arrays that host code computes from others are copied by a launch as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value


@pytest.mark.parametrize(
    ("made", "names"),
    [
        ("2 * x", "x, y"),
        ("x + x", "x, y"),
        ("-x", "x, y"),
        ("x / p", "x, y"),
        ("(x - 1) ** 2", "x, y"),
        ("p * 2", "x"),
        ("3 * 4", "x"),
        ("not x", "x"),
        ("cuda.to_device(2 * x)", "x"),
        ("cp.zeros(8) * 2", "x"),
        ("np.random.randint(3, 9)", "x"),
        ("np.random.randint(3, 9, 8)", "x, y"),
        ("np.random.randint(0, high=9, size=None)", "x"),
        ("np.random.uniform(0.0, 1.0)", "x"),
        ("np.random.uniform(0.0, 1.0, size=(8, 8))", "x, y"),
        ("np.random.uniform(x, 1.0)", "x, y"),
        ("np.random.uniform(p, 1.0)", "x"),
        ("np.random.rand()", "x"),
        ("np.random.rand(8)", "x, y"),
        ("np.random.default_rng(1).integers(9)", "x"),
        ("np.random.default_rng(1).normal(0, 1, 8)", "x, y"),
    ],
)
def test_the_launch_names_what_it_copies(tmp_path: Path, made: str, names: str) -> None:
    text = "import cupy as cp\n@cuda.jit\ndef k(x, y):\n    y[cuda.grid(1)] = x[0]\n"
    text += f"def main(p):\n    x = np.zeros(8)\n    y = {made}\n    k[1, 32](x, y)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_array_names") == names

"""Launches with just as many threads as their arrays have elements."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNELS = ("k", "cube", "backwards", "two_each")
KERNEL = """
@cuda.jit
def k(a):
    i = cuda.grid(1)
    a[i] = 0

@cuda.jit
def cube(a):
    i, j, l = cuda.grid(3)
    a[i, j, l] = 0

@cuda.jit
def backwards(a):
    a[255 - cuda.grid(1)] = 0

@cuda.jit
def two_each(a):
    i = 2 * cuda.grid(1)
    a[i + 1] = 0

blocks, threads = 50, (32, 1, 1)
n = blocks * threads[0]
"""


@pytest.mark.parametrize(
    ("launch", "fits"),
    [
        ("k[4, 64](np.zeros(256))", True),
        ("x = np.arange(256)\nk[8, 32](cuda.to_device(x))", True),
        ("k[blocks, threads](np.zeros(n))", True),
        ("k.configure(blocks, threads)(np.zeros(n))", True),
        ("k[4, 64](np.zeros(256))\nk[2, 128](np.zeros(256))", True),
        ("cube[(2, 2, 2), (5, 5, 5)](np.zeros((10, 10, 10)))", True),
        ("two_each[4, 32](np.zeros(256))", True),
        ("k[4, 64](np.zeros(255))", None),
        ("k[4, 64](np.zeros(1024))", None),
        ("k[4, 64](np.zeros(256))\nk[4, 64](np.zeros(255))", None),
        ("k[4, 64](np.zeros(256))\nk[4, 64](np.load('data.npy'))", None),
        ("k[4, 64](np.load('data.npy'))", None),
        ("k[len(open('size').read()), 64](np.zeros(256))", None),
        ("cube[(2, 2, 2), (5, 5, 5)](np.zeros((10, 10, 9)))", None),
        ("backwards[4, 64](np.zeros(256))", None),
        ("", None),
    ],
)
def test_threads_and_elements(tmp_path: Path, launch: str, fits: bool | None) -> None:
    kernel = next((one for one in KERNELS if f"{one}[" in launch), "k")
    found = records(tmp_path, "access", KERNEL + launch + "\n")
    assert value(found[KERNELS.index(kernel)], "exact_fit") is fits

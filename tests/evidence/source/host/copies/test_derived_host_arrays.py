"""NumPy arrays that libraries read, or make of others, are copied by a launch as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

IMPORTS = """\
import copy, imageio, scipy.ndimage, scipy.signal, scipy.sparse, torch
import skimage.color, skimage.data, skimage.io
import cupy as cp
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split
"""


TABLES = """\
class Tables:
    def __init__(self, n):
        self.rows = np.zeros((n, n))
        self.on_device = cuda.to_device(self.rows)
        self.count = n
"""


@pytest.mark.parametrize(
    ("statement", "copied"),
    [
        ("y = copy.deepcopy(x)", True),
        ("y = copy.copy(cp.zeros(8))", False),
        ("y = np.sort(x)", True),
        ("y = np.sort(cp.zeros(8))", False),
        ("y = np.clip(x, 0, 1)", True),
        ("y = np.clip(3, 0, 1)", False),
        ("y = np.clip(p, 0, 1)", False),
        ("y = np.where(x > 1, 1, 0)", True),
        ("y = np.where(p > 1, 1, 0)", False),
        ("y = np.maximum(x, 0)", True),
        ("y = np.maximum(2, 3)", False),
        ("y, rest = np.split(x, 2)", True),
        ("y, rest = np.split(x, p)", False),
        ("y = np.c_[x, x]", True),
        ("y = x.clip(0, 1)", True),
        ("y = skimage.io.imread('a.png')", True),
        ("y = plt.imread('a.png')", True),
        ("y = imageio.get_reader('a.mp4')", False),
        ("y = skimage.color.rgb2gray(skimage.data.coffee())", True),
        ("y = skimage.color.rgb2gray(p)", False),
        ("y = scipy.ndimage.gaussian_filter(x, 2)", True),
        ("y = scipy.ndimage.center_of_mass(x)", False),
        ("y = pd.read_csv('a.csv')[['u', 'v']].dropna().values", True),
        ("y = pd.read_csv('a.csv')['u'].to_numpy()", True),
        ("y = pd.read_csv('a.csv')['u']", False),
        ("y = scipy.sparse.csr_matrix(x).indptr", True),
        ("y = scipy.sparse.csr_matrix(x).nnz", False),
        ("y = torch.zeros(8).numpy()", True),
        ("y, rest = train_test_split(x)", True),
        ("y, rest = train_test_split(p)", False),
        ("y = Tables(8).rows", True),
        ("tables = Tables(p); y = tables.rows", True),
        ("tables = Tables(p); y = tables.on_device", False),
        ("tables = Tables(p); y = tables.count", False),
        ("tables = Tables(p); y = tables.other", False),
    ],
)
def test_the_launch_copies_what_a_library_makes(tmp_path: Path, statement: str, copied: bool) -> None:
    text = IMPORTS + TABLES + "@cuda.jit\ndef k(x, y):\n    y[cuda.grid(1)] = x[0]\n"
    text += f"def main(p):\n    x = np.zeros(8)\n    {statement}\n    k[1, 32](x, y)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_array_names") == ("x, y" if copied else "x")


def test_an_attribute_that_is_set_from_outside_is_not_known(tmp_path: Path) -> None:
    text = TABLES + "@cuda.jit\ndef k(x, y):\n    y[cuda.grid(1)] = x[0]\n"
    text += "def main(p):\n    x = np.zeros(8)\n    tables = Tables(8)\n    tables.rows = p\n"
    text += "    k[1, 32](x, tables.rows)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_array_names") == "x"


def test_an_object_that_is_handed_to_a_function_keeps_its_arrays(tmp_path: Path) -> None:
    text = TABLES + "@cuda.jit\ndef k(x, y):\n    y[cuda.grid(1)] = x[0]\n"
    text += "def rows_of(tables):\n    return tables.rows\n"
    text += "def main(p):\n    x = np.zeros(8)\n    k[1, 32](x, rows_of(Tables(p)))\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_array_names") == "x, rows_of(Tables(p))"


def test_sizes_that_functions_keep_are_known(tmp_path: Path) -> None:
    text = IMPORTS + "@cuda.jit\ndef k(x, y):\n    y[cuda.grid(1)] = x[0]\n"
    text += (
        "def main():\n    x = np.zeros(1 << 20)\n    y = np.clip(copy.copy(x), 0, 1)\n    k[1, 32](y, y)\n"
    )
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "largest_host_array") == 1 << 20

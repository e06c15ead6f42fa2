"""Whether a block of a length is a size of the data: not where the source writes out what is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = "@cuda.jit\ndef k(a):\n    a[0] = 1\n"


@pytest.mark.parametrize("measured", ["'text'", "b'text'", "[1, 2]", "(1, n)", "TEXT"])
def test_the_length_of_what_is_written_out_is_no_size_of_data(tmp_path: Path, measured: str) -> None:
    text = f"TEXT = b'text'\n{KERNEL}def run(x, n):\n    k[2, len({measured})](x)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "block_follows_data") is False


@pytest.mark.parametrize("measured", ["x", "list(x)", "[*x]", "(1, *x)", "TEXTS"])
def test_the_length_of_anything_else_may_be_any(tmp_path: Path, measured: str) -> None:
    texts = "TEXTS = texts()\n"
    text = f"{texts}{KERNEL}def run(x):\n    k[2, len({measured})](x)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "block_follows_data") is True


@pytest.mark.parametrize(
    ("given", "arrays"),
    [
        ("np.int32(3).view(np.int32)", 0),
        ("np.float64(3).astype(np.int32)", 0),
        ("np.ones(3).view(np.int32)", 1),
    ],
)
def test_a_number_that_is_viewed_is_no_array(tmp_path: Path, given: str, arrays: int) -> None:
    text = f"import numpy as np\n{KERNEL}x = {given}\nk[2, 32](x)\n"
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "host_arrays") == arrays

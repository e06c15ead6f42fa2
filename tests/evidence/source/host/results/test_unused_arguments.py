"""Arrays of whole numbers that kernels are given and never use."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def product(values, columns, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(values.shape[0]):
            total += values[k, row] * x[{column}]
        y[row] = total

def run(values, x, y):
    columns = np.arange(700).reshape(7, 100){kind}
    product[1, 128](values, {argument}, x, y)
"""


@pytest.mark.parametrize(
    ("column", "kind", "argument", "unused"),
    [
        ("row", ".astype(np.int32)", "columns", "columns"),
        ("row", "", "cuda.to_device(columns)", "columns"),
        ("columns[k, row]", ".astype(np.int32)", "columns", ""),
        # Data that a kernel leaves alone may be there for another of the same parameters.
        ("row", ".astype(np.float32)", "columns", ""),
        ("row", "", "5", ""),
        ("row", "", "x", ""),
    ],
)
def test_a_list_of_places_that_no_index_asks(tmp_path, column, kind, argument, unused):
    text = KERNEL.format(column=column, kind=kind, argument=argument)
    assert [value(one, "unused_indices") for one in records(tmp_path, "launch", text)] == [unused]


def test_a_kernel_that_uses_none_of_its_parameters_is_empty(tmp_path):
    text = "@cuda.jit\ndef warm(a):\n    pass\n\nwarm[1, 32](np.arange(32))\n"
    assert [value(one, "unused_indices") for one in records(tmp_path, "launch", text)] == [""]

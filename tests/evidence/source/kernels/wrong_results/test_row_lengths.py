"""Flat indices with rows of another length than the conditions say."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = "@cuda.jit\ndef k(a, out, h, w, d):\n    i, j = cuda.grid(2)\n"
WRONG = (
    "if i < h and j < w:\n        out[i * h + j] = 1\n",
    "if j >= w or i >= h:\n        return\n    out[j + h * i] = 1\n",
    "if j < h and i < w:\n        out[j * h + i] = 1\n",
    "if i < a.shape[0]:\n        for c in range(a.shape[1]):\n            out[i * a.shape[0] + c] = 1\n",
)
RIGHT = (
    "if i < h and j < w:\n        out[i * w + j] = 1\n",
    "if i < h and j < w:\n        out[j * h + i] = 1\n",
    "if i < h and j < h:\n        out[i * h + j] = 1\n",
    # Rows of h elements, of which w are treated.
    "if i < d and j < w:\n        out[i * h + j] = 1\n",
    "if i < h and j < w and j < h:\n        out[i * h + j] = 1\n",
    # The first w columns of a square, as a factorisation meets them.
    "if i < h:\n        for c in range(w):\n            out[i * h + c] = 1\n",
    "if i < h and j < w:\n        out[(d * h + i) * w + j] = 1\n",
    "if i < h and j < w:\n        out[i, j] = a[i * 3 + 1]\n",
)


@pytest.mark.parametrize("body", WRONG)
def test_rows_have_another_length(tmp_path, body):
    found = [one for one in records(tmp_path, "access", f"{HEAD}    {body}") if one.label == "out"]
    taken, length = value(found[0], "row_length_taken"), value(found[0], "row_length")
    assert (taken, length) in (("h", "w"), ("a.shape[0]", "a.shape[1]"))


@pytest.mark.parametrize("body", RIGHT)
def test_nothing_speaks_against_it(tmp_path, body):
    found = records(tmp_path, "access", f"{HEAD}    {body}")
    assert {value(one, "row_length_taken") for one in found} == {""}

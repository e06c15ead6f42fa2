"""Counters of loops that begin below 0, as indices."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = "@cuda.jit\ndef k(a, m, out, r):\n    i = cuda.grid(1)\n"
WRONG = (
    "for d in range(-1, 2):\n        out[i] += m[d]\n",
    "for d in range(-2, 3):\n        out[i] += a[i + d] * m[d]\n",
    "for d in range(-r, r + 1):\n        out[i] += m[d]\n",
    "for d in range(-1, 2):\n        for e in range(-1, 2):\n            out[i] += m[d, e]\n",
)
RIGHT = (
    "for d in range(-1, 2):\n        out[i] += m[d + 1]\n",
    "for d in range(-r, r + 1):\n        out[i] += m[d + r]\n",
    "for d in range(-1, 2):\n        if d >= 0:\n            out[i] += m[d]\n",
    # The sides of a polygon begin at its last corner.
    "for d in range(4):\n        out[i] += m[d] - m[d - 1]\n",
    "for d in range(3):\n        out[i] += m[d]\n",
    "for d in range(r - 1, r + 2):\n        out[i] += m[d]\n",
    "for d in range(2, -1, -1):\n        out[i] += m[d]\n",
)


@pytest.mark.parametrize("body", WRONG)
def test_the_first_index_is_negative(tmp_path, body):
    found = [
        one for one in records(tmp_path, "access", f"{HEAD}    {body}") if value(one, "begins_below_zero")
    ]
    assert {one.label for one in found} == {"m"}


@pytest.mark.parametrize("body", RIGHT)
def test_it_is_not(tmp_path, body):
    found = records(tmp_path, "access", f"{HEAD}    {body}")
    assert found
    assert not any(value(one, "begins_below_zero") for one in found)

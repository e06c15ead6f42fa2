"""Updates of one element that the compiler keeps in a register, as its PTX shows, and others."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

LOOPS = {
    "nothing else": ("for j in range(n):\n    out[i] *= 2", True),
    "two updates of it": ("for j in range(n):\n    out[i] *= 2\n    out[i] /= 3", True),
    "a load of another array": ("for j in range(n):\n    out[i] += x[j]", False),
    "another element of the array": ("for j in range(n):\n    out[i] += out[j]", False),
    "under a condition": ("for j in range(n):\n    if j * n > 7:\n        out[i] += 1", False),
    "a loop that ends early": (
        "for j in range(n):\n    out[i] += 1\n    if j * n > 7:\n        break",
        False,
    ),
    "an element for each iteration": ("for j in range(n):\n    out[j] += 1", False),
    "an atomic": ("for j in range(n):\n    out[i] += 1\n    cuda.atomic.add(x, 0, 1)", False),
    "a barrier": ("for j in range(n):\n    out[i] += 1\n    cuda.syncthreads()", False),
}


@pytest.mark.parametrize("name", LOOPS)
def test_which_updates_stay_in_a_register(tmp_path: Path, name: str) -> None:
    body, expected = LOOPS[name]
    text = "@cuda.jit\ndef k(x, out, n):\n    i = cuda.grid(1)\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    found = [one for one in records(tmp_path, "access", text) if one.label == "out"]
    updates = [one for one in found if value(one, "kind") == "update"]
    assert {value(one, "stays_in_register") for one in updates} == {expected}

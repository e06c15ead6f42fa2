"""Which tests keep an index inside of an array: the first store to `out` counts."""

from __future__ import annotations

import pytest
from surveying import records, value

GUARDED = {
    "an early return": "if x >= n:\n    return\nout[x] = 1",
    "an early return for either": "if x >= n or y >= m:\n    return\nout[x, y] = 1",
    "an early return for either and for data": "if x >= n or mask[x]:\n    return\nout[x] = 1",
    "a test kept in a name": "inside = x > 1 and x < n - 2 and (y < m)\nif inside:\n    out[y, x] = 1",
    "joined as bits": "if (x < n) & (y < m):\n    out[y, x] = 1",
    "three joined as bits": "if (x < n) & (y < m) & (x >= 0):\n    out[y, x] = 1",
    "joined as bits in a name": "inside = (x < n) & (y < m)\nif inside & (y >= 0):\n    out[y, x] = 1",
    "not outside": "if not (x >= n or y >= m):\n    out[x, y] = 1",
    "return in the other branch": "if x < n:\n    m += 1\nelse:\n    return\nout[x] = 1",
    "written the other way round": "if n > x:\n    out[x] = 1",
    "a chain": "if 0 < x < n:\n    out[x] = 1",
    "what is left is positive": "if n - x > 0:\n    out[x] = 1",
    "one element": "if x == n:\n    out[x] = 1",
    "a flat index": "flat = x + y * m\nif flat < n:\n    out[flat] = 1",
    "a row of the flat index": "if x < n:\n    out[x // m] = 1",
    "a loop from the position": "for j in range(x, n, cuda.gridsize(1)):\n    out[j] = 1",
    "an assertion": "assert x < n\nout[x] = 1",
    "a row for each block": "if cuda.threadIdx.x < m:\n    out[cuda.blockIdx.x * m + cuda.threadIdx.x] = 1",
    "a row for each block that its threads walk": (
        "for j in range(cuda.threadIdx.x, m, cuda.blockDim.x):\n    out[cuda.blockIdx.x * m + j] = 1"
    ),
    "a bound that is not known": "if x < mask.of.them:\n    out[x] = 1",
    "the last part of a test": "if x < n and mask[x] > 0:\n    out[x] = 1",
    "behind the first part of `or`": "if x >= n or out[x]:\n    return",
    "below the last element, or the last": "if (x + 1 < n and mask[x]) or x + 1 == n:\n    out[x] = 1",
    "not outside of either bound": "if x > n and x >= n - 3:\n    return\nout[x] = 1",
    "the bounded remainder itself": "r = x % m\nif r < n:\n    out[r] = 1",
    "the grid's first thread": "if x == 0:\n    out[x + 1] = 1",
}
UNGUARDED = {
    "both must be outside": "if x >= n and y >= m:\n    return\nout[x, y] = 1",
    "either may be inside": "if x < n or y < m:\n    out[x, y] = 1",
    "inside, or data": "if x < n or mask[y]:\n    out[x] = 1",
    "below one size or another": "if x < n or x < m:\n    out[x] = 1",
    "any of three bits": "if (x < n) | (y < m) | (x < m):\n    out[x, y] = 1",
    "another index": "if y < m:\n    out[x] = 1",
    "one index of two": "if y < m:\n    out[y, x] = 1",
    "a product": "if x * y < n:\n    out[x, y] = 1",
    "a remainder": "if x % 32 < n:\n    out[x] = 1",
    "the position in the block": "if cuda.threadIdx.x < n:\n    out[x] = 1",
    "data": "if mask[y] > 0:\n    out[x] = 1",
    "a lower bound": "if x >= 0:\n    out[x] = 1",
    "behind the first part of `and`": "if x >= n and out[x]:\n    return",
    "a loop over as many elements": "for j in range(x):\n    out[x] = 1",
    "the other branch": "if x < n:\n    m += 1\nelse:\n    out[x] = 1",
    "a loop that counts down": "for j in range(x, 0, -1):\n    out[j] = 1",
    "not equal": "if x != n:\n    out[x] = 1",
    "a tile of each block that its threads walk": (
        "for j in range(cuda.threadIdx.x, 1024, cuda.blockDim.x):\n    out[cuda.blockIdx.x * 1024 + j] = 1"
    ),
    "a chain that does not hold": "if 0 < x < n:\n    return\nout[x] = 1",
}


def guarded(folder, body: str):
    text = "@cuda.jit\ndef k(out, mask, n, m):\n    x, y = cuda.grid(2)\n"
    text += "\n".join("    " + line for line in body.splitlines()) + "\n"
    return value(next(one for one in records(folder, "access", text) if one.label == "out"), "guarded")


@pytest.mark.parametrize("name", GUARDED)
def test_a_test_bounds_the_index(tmp_path, name):
    assert guarded(tmp_path, GUARDED[name]) is True


@pytest.mark.parametrize("name", UNGUARDED)
def test_a_test_does_not_bound_the_index(tmp_path, name):
    assert guarded(tmp_path, UNGUARDED[name]) is False


# What device functions say of their arguments, each with a kernel's test of it that keeps x below n.
IN_FUNCTIONS = {
    "a choice of truths": ("return True if x >= n or y >= m else False", "if said: return"),
    "a choice the other way round": ("return False if x < n else True", "if said: return"),
    "one return for each": ("if x >= n:\n        return True\n    return False", "if said: return"),
    "two ways out": (
        "if y >= m:\n        return False\n    if x >= n:\n        return False\n    return True",
        "if not said: return",
    ),
    "numbers": ("if x < n:\n        return 1\n    else:\n        return 0", "if not said: return"),
    "a test behind another": ("if y >= m:\n        return False\n    return x < n", "if not said: return"),
    "nothing at the end": ("if x < n:\n        return True", "if not said: return"),
}
NOT_IN_FUNCTIONS = {
    "either is enough": "if y >= m:\n        return True\n    return x < n",
    "data decides": "if mask[y] > 0:\n        return True\n    return x < n",
    "the other way round": "if x < n:\n        return False\n    return True",
    "both": "if x < n:\n        return True\n    return True",
}


def guarded_by_function(folder, function: str, test: str) -> object:
    text = f"""\
@cuda.jit(device=True)
def says(x, y, n, m, mask):
    {function}

@cuda.jit
def k(out, mask, n, m):
    x, y = cuda.grid(2)
    said = says(x, y, n, m, mask)
    {test}
    out[x] = 1
"""
    return value(next(one for one in records(folder, "access", text) if one.label == "out"), "guarded")


@pytest.mark.parametrize("name", IN_FUNCTIONS)
def test_a_device_function_tells_what_it_asks(tmp_path, name):
    function, test = IN_FUNCTIONS[name]
    assert guarded_by_function(tmp_path, function, test) is True


@pytest.mark.parametrize("name", NOT_IN_FUNCTIONS)
def test_a_device_function_that_does_not_tell(tmp_path, name):
    assert guarded_by_function(tmp_path, NOT_IN_FUNCTIONS[name], "if not said: return") is False

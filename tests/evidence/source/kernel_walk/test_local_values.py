"""What a thread keeps in an array of its own is as different from thread to thread as what it put there."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
from elsewhere import fill

@cuda.jit(device=True)
def first(own, v):
    own[0] = v

@cuda.jit
def k(x, n, out):
    i = cuda.grid(1)
    own = cuda.local.array(4, np.int32)
    {}
    cuda.atomic.add(out, own[0], 1)

def run(x, n, out):
    k[8, 256](x, n, out)
"""


@pytest.mark.parametrize(
    ("body", "lanes"),
    [
        # All lanes of a warp meet in one element, or nobody knows.
        ("own[0] = n", 32),
        ("own[0] = x[n]", 32),
        ("own[0] = x[i]", None),
        ("own[1] = i", None),
        ("first(own, n)", 32),
        ("first(own, i)", None),
        ("fill(own)", None),
        ("fill(x, own)", None),
        ("own[0] = n\n    x[i] = own[0]", 32),
    ],
)
def test_lanes_at_an_element_that_a_local_array_names(tmp_path, body, lanes):
    (found,) = records(tmp_path, "atomic", KERNEL.format(body))
    assert value(found, "lanes_per_address") == lanes


def test_a_shared_array_is_the_same_for_all_threads_of_a_block(tmp_path):
    text = KERNEL.replace("cuda.local", "cuda.shared").format("own[cuda.threadIdx.x] = x[i]")
    (found,) = records(tmp_path, "atomic", text)
    assert value(found, "lanes_per_address") == 32


def test_a_loop_puts_in_what_the_iteration_before_has_taken_out(tmp_path):
    body = "for j in range(n):\n        own[0] = own[1]\n        own[1] = x[i + j]"
    (found,) = records(tmp_path, "atomic", KERNEL.format(body))
    assert value(found, "lanes_per_address") is None

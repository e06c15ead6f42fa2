"""How many elements the array of an atomic has, and whether the old value is used."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        {}

def run(keys, n):
    k[80, 256](keys, {})
"""


@pytest.mark.parametrize(
    ("bins", "elements"),
    [
        ("cuda.to_device(np.zeros(10, np.int32))", 10),
        ("cuda.to_device(np.zeros(shape=10, dtype=np.int32))", 10),
        ("cuda.device_array((4, 16), np.int32)", 64),
        ("cuda.device_array((n, 16), np.int32)", None),
        ("cuda.device_array(n, np.int32)", None),
        ("bins_of(n)", None),
    ],
)
def test_elements_of_the_array_that_a_launch_makes(tmp_path, bins, elements):
    (found,) = records(tmp_path, "atomic", KERNEL.format("cuda.atomic.add(bins, keys[i], 1)", bins))
    assert value(found, "elements") == elements


def test_elements_of_a_shared_array(tmp_path):
    body = "own = cuda.shared.array((2, 8), np.int32)\n        cuda.atomic.add(own, (0, keys[i]), 1)"
    (found,) = records(tmp_path, "atomic", KERNEL.format(body, "None"))
    assert value(found, "elements") == 16


@pytest.mark.parametrize(
    ("second", "elements"), [("np.zeros(10)", 10), ("np.zeros(12)", None), ("bins_of(n)", None)]
)
def test_launches_with_arrays_of_other_sizes(tmp_path, second, elements):
    text = KERNEL.format("cuda.atomic.add(bins, keys[i], 1)", "np.zeros(10)")
    again = f"\ndef again(n):\n    k[80, 256](np.zeros(2 * n + 7), {second})\n"
    (found,) = records(tmp_path, "atomic", text + again)
    assert value(found, "elements") == elements


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("cuda.atomic.add(bins, keys[i], 1)", False),
        ("place = cuda.atomic.add(bins, keys[i], 1)", True),
        ("keys[cuda.atomic.add(bins, keys[i], 1)] = i", True),
    ],
)
def test_whether_the_old_value_is_used(tmp_path, body, used):
    (found,) = records(tmp_path, "atomic", KERNEL.format(body, "bins_of(n)"))
    assert value(found, "result_used") is used

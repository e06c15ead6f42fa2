"""Elements of arrays on the device that the host reads or stores one by one."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
@cuda.jit
def inside(a):
    for i in range(4):
        a[i] = a[i + 1]

def run(values, other, n):
    d = cuda.device_array(100)
    flat = cuda.to_device(np.zeros((20, 3)))
"""


def element_copies(folder, body: str) -> list[tuple[object, ...]]:
    """What is written for each copy, its direction, and how often the loop around it runs."""
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines())
    found = [one for one in records(folder, "transfer", text) if value(one, "of_element")]
    return [tuple(value(one, name) for name in ("call", "direction", "loop_iterations")) for one in found]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("for i in range(n):\n    d[i] = values[i]", [("d[i]", "to_device", None)]),
        ("for i in range(100):\n    print(d[i])", [("d[i]", "to_host", 100)]),
        ("for i in range(20):\n    flat[i, 2] = 1.0", [("flat[i, 2]", "to_device", 20)]),
    ],
)
def test_each_element_is_a_copy(tmp_path, body, found):
    assert element_copies(tmp_path, body) == found


def test_elements_in_a_kernel_that_a_call_compiles_are_no_copies(tmp_path):
    text = HEAD.replace("@cuda.jit\n", "").replace("for i in range(4)", "for i in range(cuda.grid(1), 4)")
    found = records(tmp_path, "transfer", f"{text}    cuda.jit(inside)[1, 32](d)\n    inside(d)\n")
    assert not [one for one in found if value(one, "of_element")]


@pytest.mark.parametrize(
    "body",
    [
        "d[0] = 1.0",  # in no loop
        "for i in range(20):\n    flat[i] = values",  # a row
        "for i in range(20):\n    d[:i] = values",
        "for i in range(n):\n    values[i] = other[i]",  # nobody says where they are
        "h = d.copy_to_host()\nfor i in range(n):\n    h[i] += 1",
    ],
)
def test_parts_and_arrays_of_the_host_are_no_single_copies(tmp_path, body):
    assert element_copies(tmp_path, body) == []

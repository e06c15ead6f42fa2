"""Whether a launch has a thread for each element that its kernel lets through, where sizes are known."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def k(a, n):
    i = cuda.grid(1)
    if i < {guard}:
        {body}

def blocks_for(count):
    return count // 128

def main(unknown, count=1000):
    a = cuda.device_array({size}, dtype=np.float32)
    b = np.zeros((8, 1000))
    {launch}
"""
OWN = "a[i] = 1"
# guard, body, size of the array, launch; threads and elements.
SHORT = {
    "a literal grid": ("a.size", OWN, "1000", "k[4, 128](a, 0)", (512, 1000)),
    "len": ("len(a)", OWN, "1000", "k[4, 128](a, 0)", (512, 1000)),
    "a number of the launch": ("n", OWN, "1000", "k[4, 128](a, 600)", (512, 600)),
    "a size that the launch passes": ("n", OWN, "1000", "k[4, 128](a, a.shape[0])", (512, 1000)),
    "the last element left out": ("n - 1", OWN, "1000", "k[4, 128](a, 600)", (512, 599)),
    "a neighbour": ("n - 1", "a[i + 1] = 1", "1000", "k[4, 128](a, 600)", (512, 599)),
    "rounded down": ("n", OWN, "1000", "k[a.size // 128, 128](a, a.size)", (896, 1000)),
    "a function": ("n", OWN, "1000", "k[blocks_for(a.shape[0]), 128](a, a.size)", (896, 1000)),
    "another array": ("n", OWN, "1000", "k[b.shape[1] // 128, 128](a, 1000)", (896, 1000)),
    "a default": ("n", OWN, "count", "k[4, 128](a, count)", (512, 1000)),
    "two axes": ("a.shape[1]", "a[0, i] = 1", "(2, 1000)", "k[4, 128](a, 0)", (512, 1000)),
    "rows": ("a.size", OWN, "(600, 2)", "k[4, 128](a, 0)", (512, 600)),
    "half of the bytes": ("n", OWN, "1000", "k[a.nbytes // 1024 + 1, 128](a, a.nbytes // 4)", (512, 1000)),
    "nothing stored": ("a.size", "cuda.atomic.add(n, 0, a[i])", "1000", "k[4, 128](a, b)", (512, 1000)),
}
ENOUGH = {
    "as many threads": ("a.size", OWN, "1000", "k[8, 125](a, 0)"),
    "more threads": ("a.size", OWN, "1000", "k[8, 128](a, 0)"),
    "rounded up": ("a.size", OWN, "1000", "k[(a.size + 127) // 128, 128](a, 0)"),
    "a part is asked for": ("n", OWN, "1000", "k[4, 128](a, 500)"),
    "a part, beside the whole": ("a.size and i < n", OWN, "1000", "k[4, 128](a, 500)"),
    "some unknown bound": ("a.size and i < n", OWN, "1000", "k[4, 128](a, unknown)"),
    "an unknown array": ("a.size", OWN, "1000", "k[4, 128](unknown, 0)"),
    "an unknown grid": ("a.size", OWN, "1000", "k[unknown, 128](a, 0)"),
    "elements of other threads": ("a.size", "a[i] = 1; a[i + n] = 1", "1000", "k[4, 128](a, 500)"),
    "twice as far": ("n", "a[2 * i] = 1", "1000", "k[4, 128](a, 1000)"),
    "more than the position is asked for": ("1000 or n", OWN, "1000", "k[4, 128](a, 0)"),
    "a walk": ("a.size", "for j in range(i, a.size, cuda.gridsize(1)): a[j] = 1", "1000", "k[4, 128](a, 0)"),
    "an array of several sizes": ("a.size", OWN, "1000 if unknown else 10", "k[4, 128](a, 0)"),
    "rows, a thread for each": ("a.size", OWN, "(512, 2)", "k[4, 128](a, 0)"),
    "a slice": ("a.size", OWN, "1000", "k[4, 128](a[:512], 0)"),
}


def reach(folder, guard: str, body: str, size: str, launch: str):
    text = PROGRAM.format(guard=guard, body=body, size=size, launch=launch)
    (record,) = records(folder, "launch", text)
    return value(record, "short_axis_threads"), value(record, "short_axis_elements")


@pytest.mark.parametrize("name", SHORT)
def test_elements_beyond_the_grid(tmp_path, name):
    *program, expected = SHORT[name]
    assert reach(tmp_path, *program) == expected


@pytest.mark.parametrize("name", ENOUGH)
def test_no_element_is_known_to_be_left_out(tmp_path, name):
    assert reach(tmp_path, *ENOUGH[name]) == (None, None)


@pytest.mark.parametrize(("guard", "guarded"), [("if i < a.size:", True), ("if True:", False)])
def test_without_a_guard_the_size_of_the_array_counts(tmp_path, guard, guarded):
    text = PROGRAM.replace("if i < {guard}:", guard)
    text = text.format(guard="", body=OWN, size="1000", launch="k[4, 128](a, 0)")
    (record,) = records(tmp_path, "launch", text)
    found = [value(record, f"short_axis_{name}") for name in ("threads", "elements", "guarded")]
    assert found == [512, 1000, guarded]


# The grid has the size of the other array: a thread for each of 2,000 rows of 30,000.
TWO_SIZES = """
@cuda.jit
def k(a, b, out):
    i = cuda.grid(1)
    if i < b.shape[0]:
        out[i] = a[i % a.shape[0]] * b[i]

def run(a, b):
    out = cuda.device_array(b.shape[0], dtype=np.float64)
    k[math.ceil(a.shape[0] / 100), 100](a, b, out)
    return out

def main():
    run(np.random.rand(2_000), 2 * np.random.rand(30_000))
"""


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("if __name__ == '__main__':\n    main()\n", (2_000, 30_000)),
        ("main()\n", (2_000, 30_000)),
        ("", (None, None)),
        ("if __name__ == '__main__':\n    main()\nelse:\n    start(main)\n", (None, None)),
    ],
)
def test_sizes_that_the_program_gives_its_functions(tmp_path, calls, expected):
    (record,) = records(tmp_path, "launch", TWO_SIZES + calls)
    assert (value(record, "short_axis_threads"), value(record, "short_axis_elements")) == expected

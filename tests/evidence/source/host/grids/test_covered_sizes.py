"""Grids beside the sizes that kernels have work for, where the source names these and does not fix them."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def scale(x, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 2 * x[i]

@cuda.jit
def image(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        out[x, y] = 2 * a[x, y]

@cuda.jit
def walk(x, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        x[i] = 1

@cuda.jit
def row(a, m):
    for j in range(cuda.threadIdx.x, m, cuda.blockDim.x):
        a[cuda.blockIdx.x, j] = 1

TPB = 128
BLOCK = (16, 16)

def blocks_for(n, threads=128):
    return (n + threads - 1) // threads

def rounded_down(n, threads):
    return n // threads

def sides(shape):
    return tuple(math.ceil(size / side) for size, side in zip(shape, BLOCK))

class Holder:
    SIZE = 64

    def __init__(self, n):
        self.n = n
        self.down = n // self.SIZE
        self.up = math.ceil(n / self.SIZE)

def main(x, out, a, n, k):
"""


def launch(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    return records(folder, "launch", text)[-1]


@pytest.mark.parametrize(
    "body",
    [
        "scale[n // 128, 128](x, out, n)",
        "scale[int(n / TPB), TPB](x, out, n)",
        "blocks = math.floor(n / 128)\nscale[blocks, 128](x, out, n)",
        "blocks = int(np.floor(n / 128))\nscale[blocks, 128](x, out, n)",
        "n = len(x)\nscale[x.size // 128, 128](x, out, n)",
        "n = x.shape[0]\nscale[rounded_down(n, TPB), TPB](x, out, n)",
        "setting = n // k, k\nscale[setting](x, out, n)",
        "configured = scale[n // 128, 128]\nconfigured(x, out, n)",
        "d = cuda.to_device(x)\nscale[len(x) // 128, 128](d, cuda.device_array_like(d), d.size)",
        "image[(a.shape[0] // 16, a.shape[1] // 16), BLOCK](a, np.zeros_like(a))",
        "h, w = a.shape\nimage[(math.ceil(h / 16), w // 16), BLOCK](a, np.zeros((h, w)))",
        "image[tuple(s // t for s, t in zip(a.shape, BLOCK)), BLOCK](a, np.zeros_like(a))",
    ],
)
def test_whole_blocks_leave_the_rest_out(tmp_path, body):
    assert value(launch(tmp_path, body), "left_out_by") == "rest"


@pytest.mark.parametrize(
    "body",
    [
        "scale[blocks_for(n), TPB](x, out, n)",
        "scale[-(-n // 128), 128](x, out, n)",
        "scale[n // 128 + 1, 128](x, out, n)",
        "scale[(n - 1) // 128 + 1, 128](x, out, n)",
        "scale[int(np.ceil(n / 128)), 128](x, out, n)",
        "scale[(n + k - 1) // k, k](x, out, n)",
        "scale[n, 1](x, out, n)",
        "walk[n // 128, 128](x, n)",
        "assert n % 128 == 0\nscale[n // 128, 128](x, out, n)",
        "image[sides(a.shape), BLOCK](a, np.zeros_like(a))",
        "side = max(a.shape[0], a.shape[1]) // 16 + 1\nimage[(side, side), BLOCK](a, np.zeros_like(a))",
    ],
)
def test_a_thread_for_each(tmp_path, body):
    assert value(launch(tmp_path, body), "left_out_by") == ""


@pytest.mark.parametrize(
    "body",
    [
        "scale[k, 128](x, out, n)",
        "scale[len(out) // 128, 128](x, out, n)",
        "image[k, BLOCK](a, np.zeros_like(a))",
        "other[n // 128, 128](x, out, n)",
    ],
)
def test_sizes_that_are_not_told_apart(tmp_path, body):
    assert value(launch(tmp_path, body), "left_out_by") in ("", None)


@pytest.mark.parametrize(
    ("body", "by"),
    [
        ("scale[n // 128, 64](x, out, n)", "part"),
        (
            "image[(math.ceil(a.shape[1] / 16), math.ceil(a.shape[0] / 16)), BLOCK](a, np.zeros_like(a))",
            "other",
        ),
        ("side = math.ceil(a.shape[0] / 16)\nimage[(side, side), BLOCK](a, np.zeros_like(a))", "one axis"),
        ("scale[32, 256](x, out, n)", "fixed"),
        ("image[(32, 32), BLOCK](a, np.zeros_like(a))", "fixed"),
    ],
)
def test_why_elements_have_no_thread(tmp_path, body, by):
    assert value(launch(tmp_path, body), "left_out_by") == by


def test_data_that_the_function_makes_may_be_as_large_as_a_fixed_grid(tmp_path):
    body = "x = load()\nscale[32, 256](x, out, x.size)"
    assert value(launch(tmp_path, body), "left_out_by") == ""


def test_sizes_of_an_object(tmp_path):
    method = (
        "    pass\n\nclass Own(Holder):\n    SIZE = 64\n    def __init__(self, n):\n        self.n = n\n"
        "        self.down = n // self.SIZE\n        self.up = math.ceil(n / self.SIZE)\n"
        "    def go(self, x, out):\n        scale[self.{}, self.SIZE](x, out, self.n)\n"
    )
    for name, by in (("down", "rest"), ("up", "")):
        found = records(tmp_path, "launch", PROGRAM + method.format(name))
        assert value(found[-1], "left_out_by") == by


@pytest.mark.parametrize(
    ("body", "times"),
    [
        ("scale[n, 256](x, out, n)", 256),
        ("n = len(x)\nscale[x.size, TPB](cuda.to_device(x), out, n)", 128),
        ("scale[2 * n, 64](x, out, n)", 128),
        ("image[a.shape, BLOCK](a, np.zeros_like(a))", 256),
        # Bytes instead of elements: 8,000 of 1,000, in blocks of 128 threads.
        ("x = np.zeros(1000)\nscale[x.nbytes, 128](x, np.zeros(1000), x.size)", 1024),
        ("scale.forall(8 * n)(x, out, n)", 8),
    ],
)
def test_threads_for_each_that_works(tmp_path, body, times):
    assert value(launch(tmp_path, body), "unused_times") == pytest.approx(times, rel=1e-3)


@pytest.mark.parametrize(
    "body",
    [
        "scale[blocks_for(n), TPB](x, out, n)",
        "walk[n, 256](x, n)",
        "row[n, 256](a, n)",
        "scale[n * k, 256](x, out, n)",
        "scale[k, 256](x, out, n)",
        "scale.forall(n)(x, out, n)",
    ],
)
def test_no_threads_too_many_for_certain(tmp_path, body):
    found = value(launch(tmp_path, body), "unused_times")
    assert found is None or found <= 2


@pytest.mark.parametrize(
    ("body", "times"),
    [
        ("row[n, 256](a, 8)", 32),
        ("row[n, 256](a, 256)", None),
        ("out = np.zeros((len(x), 3))\nimage[(blocks_for(len(x), 32), 1), (32, 32)](out, out)", 10.7),
        ("row[n, 256](a, k)", None),
    ],
)
def test_threads_of_a_block_without_work(tmp_path, body, times):
    found = value(launch(tmp_path, body), "idle_times")
    assert found == pytest.approx(times) if times else found in (None, 1)


@pytest.mark.parametrize(
    ("body", "axis", "blocks"),
    [
        ("a = np.zeros((70000, 100000))\nimage[(70000, 100000), (1, 1)](a, a)", "y", 100_000),
        ("a = np.zeros((70000, 65535))\nimage[(70000, 65535), (1, 1)](a, a)", "y", 65_535),
        ("image[(blocks_for(a.shape[0]), a.shape[1]), (128, 1)](a, np.zeros_like(a))", "y", None),
        # How many blocks lie along y is no size of the data as it is: along z there is one.
        ("image[(a.shape[0], blocks_for(a.shape[1])), (1, 128)](a, np.zeros_like(a))", "z", 1),
        ("image[(blocks_for(a.shape[0]), k), (128, 1)](a, np.zeros_like(a))", "z", 1),
    ],
)
def test_the_axis_of_most_blocks_other_than_x(tmp_path, body, axis, blocks):
    found = launch(tmp_path, body)
    assert (value(found, "limited_axis"), value(found, "limited_blocks")) == (axis, blocks)


PAIRS = """
@cuda.jit
def pairs(x, out):
    i = cuda.grid(1)
    j = cuda.blockIdx.y
    if i < x.shape[0] and j < x.shape[0]:
        out[j, i] = x[i{0}] - x[j{0}]

@cuda.jit
def rows(a):
    i = cuda.grid(1)
    j = cuda.blockIdx.y
    if i < a.shape[1]:
        a[j, i] = 0

def main(x, out, a):
    {1}
"""


@pytest.mark.parametrize(
    ("index", "body", "known"),
    [
        ("", "pairs[(len(x) // 64 + 1, len(x)), 64](x, out)", True),
        (", 0", "pairs[(len(x) // 64 + 1, len(x)), 64](x, out)", True),
        ("", "rows[(a.shape[1] // 64 + 1, a.shape[0]), 64](a)", False),
    ],
)
def test_sizes_that_grow_beyond_the_limit(tmp_path, index, body, known):
    (found,) = records(tmp_path, "launch", PAIRS.format(index, body))
    assert (value(found, "limited_axis"), value(found, "limited_by_data")) == ("y", known)

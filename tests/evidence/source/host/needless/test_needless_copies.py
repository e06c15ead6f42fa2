"""Which copies of a launch's NumPy arrays could be left out: what the kernel reads, stores, and hands on."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, survey_text, value

DEVICE = """
@cuda.jit(device=True)
def total(row):
    found = 0.0
    for i in range(len(row)):
        found += row[i]
    return found

@cuda.jit(device=True)
def fill(row, x):
    for i in range(row.shape[0]):
        row[i] = x
"""
HOST = """
def run(n):
    a, b = np.ones((n, n)), np.zeros((n, n))
    k[(n + 127) // 128, 128](a, b)
"""
# What the kernel does not change, and what it does not read.
NOTHING: tuple[str | None, str | None] = (None, None)
READS_A, STORES_B, BOTH = ("a", None), (None, "b"), ("a", "b")
BODIES = {
    # One column of b is stored: the others come back as they went there.
    "b[i, 0] = a[i, 0]": READS_A,
    "b[i] = a[i, 0]": BOTH,
    "if i < a.shape[0] and i < len(b):\n    b[i] = a[i, 0]": BOTH,
    "if i >= len(b):\n    return\nb[i] = a[i, 0]": BOTH,
    "for j in range(b.shape[1]):\n    b[i, j] = a[i, j]": BOTH,
    "for j in range(i, len(b), cuda.gridsize(1)):\n    b[j] = a[j, 0]": BOTH,
    # Some elements only.
    "if a[i, 0] > 0:\n    b[i] = a[i, 0]": READS_A,
    "if i > 0:\n    b[i] = a[i, 0]": READS_A,
    "if i < len(b) - 1:\n    b[i] = a[i, 0]": READS_A,
    "if a[0, 0] > 0:\n    return\nb[i] = a[i, 0]": READS_A,
    "b[2 * i] = a[i, 0]": READS_A,
    "b[i + 1] = a[i, 0]": READS_A,
    "b[i, i] = a[i, 0]": READS_A,
    "b[int(a[i, 0])] = 1": READS_A,
    "for j in range(3):\n    b[i, j] = a[i, j]": READS_A,
    "for j in range(b.shape[1]):\n    if a[i, j] > 0:\n        break\n    b[i, j] = a[i, j]": READS_A,
    # The other fields of a record come back as they went there.
    "b[i]['x'] = a[i, 0]": READS_A,
    "b[i].x = a[i, 0]": READS_A,
    "b[i] += a[i, 0]": READS_A,
    "b[i] = b[i + 1, 1] + a[i, 0]": READS_A,
    "cuda.atomic.add(b, 0, a[i, 0])": READS_A,
    "a[i] = b[i] = a[i, 1]": STORES_B,
    "a[i, 0] *= 2\nb[i, 0] += 1": NOTHING,
    "b[i] = total(a[i])": BOTH,
    "b[i] = unknown(a[i])": STORES_B,
    "fill(b[i], total(b[i]))\na[i, 0] += 1": NOTHING,
    "row = b[i]\nrow[0] += a[i, 0]": READS_A,
    "row = a[i]\nx = row[0]\nb[i] = x * x": BOTH,
    "x, y = a[i, 0], a[i, 1]\nb[i] = x + y": BOTH,
    "x = a[i, 0]\nx += 1\nb[i] = x": BOTH,
    "for x in a[i]:\n    b[i] = x": READS_A,
    "b[i] = math.sqrt(a[i, 0])": BOTH,
    # By another name.
    "a.T[i] = b[i, 0]": ("b", None),
    "a.flat[i] = b[i, 0]": ("b", None),
    "target = a if n else b\ntarget[i] = i": NOTHING,
    "(row := a[i])[0] = b[i, 0]": ("b", None),
    "both = (a, b)\nboth[0][i] = both[1][i]": NOTHING,
    "for row in a:\n    row[0] = b[i, 0]": ("b", None),
}


@pytest.mark.parametrize("body", BODIES)
def test_what_a_kernel_does_with_its_arrays(tmp_path: Path, body: str) -> None:
    kernel = (
        f"{DEVICE}\n@cuda.jit\ndef k(a, b, n=0):\n    i = cuda.grid(1)\n{textwrap.indent(body, '    ')}\n"
    )
    (launch,) = records(tmp_path, "launch", kernel + HOST)
    assert (value(launch, "unchanged_arrays"), value(launch, "unread_arrays")) == BODIES[body]


CHANGES = "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] += 1\n"


@pytest.mark.parametrize(
    ("body", "each_iteration", "again"),
    [
        ("k[9, 128](a)", None, None),
        ("k[9, 128](a)\nk[9, 128](a)", None, "a"),
        ("k[9, 128](a)\na = np.ones(n)\nk[9, 128](a)", None, None),
        ("for i in range(n):\n    k[9, 128](a)", "a", None),
        ("for i in range(n):\n    a = np.full(n, i)\n    k[9, 128](a)", None, None),
        ("k[9, 128](given)", None, None),
        ("d = cuda.to_device(a)\nk[9, 128](d)\nk[9, 128](d)", None, None),
    ],
)
def test_an_array_that_several_launches_copy(
    tmp_path: Path, body: str, each_iteration: str | None, again: str | None
) -> None:
    host = f"def run(n, given):\n    a = np.ones(n)\n{textwrap.indent(body, '    ')}\n"
    last = records(tmp_path, "launch", CHANGES + host)[-1]
    assert (value(last, "copied_each_iteration"), value(last, "copied_again")) == (each_iteration, again)


@pytest.mark.parametrize(
    ("other", "elsewhere"),
    [
        ("d = cuda.to_device(a)\n    k[9, 128](d)", True),
        ("k[9, 128](a)", False),
        ("k[9, 128](given)", False),
        ("j[9, 128](cuda.to_device(a))", False),
    ],
)
def test_the_same_kernel_with_device_arrays(tmp_path: Path, other: str, elsewhere: bool) -> None:
    text = CHANGES + CHANGES.replace("k(", "j(")
    text += f"def one(n):\n    a = np.ones(n)\n    k[9, 128](a)\ndef two(a, given):\n    {other}\n"
    first = records(tmp_path, "launch", text)[0]
    assert value(first, "device_arrays_elsewhere") is elsewhere


def test_device_arrays_in_another_file_show_nothing(tmp_path: Path) -> None:
    here = CHANGES + "def one(n):\n    a = np.ones(n)\n    k[9, 128](a)\n"
    there = "from here import k\ndef two(n):\n    k[9, 128](cuda.device_array(n))\n"
    found = survey_text(tmp_path, here=here, there=there).records
    launches = [one for one in found if one.entity == "launch"]
    assert [value(one, "device_arrays_elsewhere") for one in launches] == [False, False]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a = other(n)\nif n:\n    a = np.zeros(n)\n    k[9, 128](a)", "a"),
        ("a = other(n)\nif n:\n    a = np.zeros(n)\nk[9, 128](a)", None),
        ("a = np.zeros(n)\na = cuda.to_device(a)\nk[9, 128](a)", None),
        ("a = cuda.to_device(n)\na = a.copy_to_host()\nk[9, 128](a)", "a"),
    ],
)
def test_the_array_is_the_one_that_reaches_the_launch(tmp_path: Path, body: str, names: str | None) -> None:
    host = f"def run(n):\n{textwrap.indent(body, '    ')}\n"
    assert value(records(tmp_path, "launch", CHANGES + host)[-1], "host_array_names") == names


def test_whether_a_function_launches(tmp_path):
    text = "@cuda.jit\ndef k(x):\n    x[cuda.grid(1)] = 1\n\nx = np.ones(64)\nk[1, 64](x)\n\n"
    text += "def main():\n    k[1, 64](x)\n"
    found = [value(launch, "in_function") for launch in records(tmp_path, "launch", text)]
    assert found == [False, True]


@pytest.mark.parametrize(
    ("body", "unread"),
    [
        # The thread's place in the grid, however it is computed.
        ("t = cuda.threadIdx.x\ni = t + cuda.blockIdx.x * cuda.blockDim.x\nb[i] = a[i, 0]", "b"),
        ("i = cuda.grid(1)\nj = i\nif j <= b.shape[0] - 1:\n    b[j] = a[j, 0]", "b"),
        ("i, j = cuda.grid(2)\nif i < b.shape[0] and j < b.shape[1]:\n    b[i, j] = a[j, i]", "b"),
        ("i = cuda.grid(1)\ntarget = b\ntarget[i] = a[i, 0]", "b"),
        ("i = cuda.grid(1)\nput(b, i, a[i, 0])", "b"),
        # A place that two threads share, one that is not reached, and one that not every thread gets to.
        ("i = cuda.threadIdx.x\nb[i] = a[i, 0]", None),
        ("i = cuda.grid(1)\nif i < 10:\n    b[i] = a[i, 0]", None),
        ("i = cuda.grid(1)\nwhile i < 10:\n    b[i] = a[i, 0]", None),
        ("i = cuda.grid(1)\nif n:\n    b[i] = a[i, 0]", None),
        ("i = cuda.grid(1)\nif i < n and n < 3:\n    b[i] = a[i, 0]", None),
        ("i, j = cuda.grid(2)\nb[i, i] = a[i, j]", None),
    ],
)
def test_what_a_kernel_fills(tmp_path: Path, body: str, unread: str | None) -> None:
    put = "@cuda.jit(device=True)\ndef put(b, i, x):\n    b[i] = x\n"
    kernel = f"{put}@cuda.jit\ndef k(a, b, n=0):\n{textwrap.indent(body, '    ')}\n"
    (launch,) = records(tmp_path, "launch", kernel + HOST)
    assert value(launch, "unread_arrays") == unread

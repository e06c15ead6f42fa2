"""NumPy arrays followed to the launch that copies them, and accesses that take less time than the copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, survey_text, value

KERNEL = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i, 0]

def launch(data, mask, select, n):
{body}
    k[4, 256]({argument}, cuda.device_array(1024))
"""


def host_arrays(folder: Path, body: str, argument: str = "x", more: str = "") -> str | None:
    """The names of the NumPy arrays that the launch is seen to copy, None where nothing is known."""
    lines = "\n".join("    " + line for line in body.splitlines())
    (launch,) = records(folder, "launch", more + KERNEL.format(body=lines, argument=argument))
    found = value(launch, "host_array_names")
    return None if found is None else str(found)


@pytest.mark.parametrize(
    "body",
    [
        "x = np.ones((9, 3))[2:5]",
        "x = np.ones((9, 3))\nx = x[x[:, 0] > 0]",
        "y = np.ones((9, 3))\nx = y[[1, 2]]",
        "y = np.ones((9, 3))\nx = y[np.arange(4)]",
        "y = np.ones((9, 3))\nx = y[:, 1:]",
        "x = np.zeros(9, dtype=[('a', 'f4'), ('b', 'f4')])['a']",
        "y = np.ones((9, 3))[mask]\nx = y[2:5]",
        "x = np.ones((9, 3))[mask]\nprint(x.shape[0])",
        "x = np.ones((9, 3))\nfor _ in range(n):\n    x = x[1:]",
        "x = np.ones((9, 3))\nif n:\n    x = np.zeros((9, 3))",
        "from numpy.lib import recfunctions as rfn\ny = np.ones(9)\nx = rfn.merge_arrays((y, y))",
        "x = same(np.ones((9, 3)))",
        "x = np.asarray(data)",
        "x = np.zeros_like(np.ones((9, 3)))",
        "x = cuda.pinned_array(9)",
    ],
)
def test_parts_and_results_of_numpy_arrays_are_numpy_arrays(tmp_path: Path, body: str) -> None:
    assert host_arrays(tmp_path, body, more="def same(given):\n    return given\n\n") == "x"


@pytest.mark.parametrize(
    "body",
    [
        "x = data",
        "x = data[2:5]",
        "x = np.ones((9, 3))[mask]",
        "x = np.ones((9, 3))[n]",
        "x = select(np.ones((9, 3)))",
        "if n:\n    data = np.ones((9, 3))\nx = data",
        "y = data\nx = data\nfor _ in range(n):\n    x, y = y, x",
        "x = np.zeros_like(cuda.device_array((9, 3)))",
        "x = cuda.mapped_array(9)",
        "x = cuda.managed_array(9)",
        "x = same(cuda.to_device(np.ones((9, 3))))",
        "x = chosen(np.ones((9, 3)), data)",
        "x = np.ones((9, 3))\nif n:\n    x = cuda.to_device(x)",
    ],
)
def test_what_may_be_something_else_is_none(tmp_path: Path, body: str) -> None:
    more = "def same(given):\n    return given\n\n"
    more += "def chosen(one, other):\n    return one if one.size else other\n\n"
    assert host_arrays(tmp_path, body, more=more) in (None, "")


LAUNCHED = """
@cuda.jit
def k(x, out):
{kernel}

def launch(n):
    x = np.ones((n, 9))
    k[4, {block}]({given}, cuda.device_array(n))
"""


@pytest.mark.parametrize(
    ("kernel", "given", "outweighed"),
    [
        ("i = cuda.grid(1)\nout[i] = x[i, 3]", "x", True),
        ("i = cuda.grid(1)\nfor j in range(9):\n    out[i] += x[i, j]", "x", True),
        # A second loop meets the elements again, and so do other threads.
        (
            "i = cuda.grid(1)\nfor m in range(9):\n    for j in range(9):\n        out[i] += x[i, j]",
            "x",
            False,
        ),
        ("i = cuda.grid(1)\nfor j in range(out.size):\n    out[i] += x[j, 3]", "x", False),
        ("i, j = cuda.grid(2)\nout[i] = x[i, 3]", "x", False),
        ("i = cuda.grid(1)\nout[i] = x[int(out[i]), 3]", "x", True),
        ("i = cuda.grid(1)\nfor j in range(9):\n    out[i] += x[int(out[i]), 3]", "x", False),
        ("i = cuda.grid(1)\nout[i] = x[i, 3]", "cuda.to_device(x)", False),
    ],
)
def test_accesses_that_the_copies_outweigh(tmp_path: Path, kernel: str, given: str, outweighed: bool) -> None:
    body = "\n".join("    " + line for line in kernel.splitlines())
    text = LAUNCHED.format(kernel=body, given=given, block="(16, 16)" if "grid(2)" in kernel else 256)
    found = [one for one in records(tmp_path, "access", text) if value(one, "array") == "x"]
    assert {value(one, "outweighed_by_copies") for one in found} == {outweighed}


def test_one_launch_with_a_device_array_tells_that_the_copies_can_go(tmp_path: Path) -> None:
    body = "    i = cuda.grid(1)\n    out[i] = x[i, 3]"
    text = LAUNCHED.format(kernel=body, given="x", block=256) + "    k[4, 256](cuda.to_device(x), x)\n"
    (access,) = [one for one in records(tmp_path, "access", text) if value(one, "array") == "x"]
    assert value(access, "outweighed_by_copies") is False


@pytest.mark.parametrize(("launched_by", "outweighed"), [("test_them", False), ("main", True)])
def test_what_tests_pass_is_not_what_a_program_passes(
    tmp_path: Path, launched_by: str, outweighed: bool
) -> None:
    kernel = "@cuda.jit\ndef k(x, out):\n    i = cuda.grid(1)\n    out[i] = x[i, 3]\n"
    launch = "from kernels import k\n\ndef launch(n):\n    k[4, 256](np.ones((n, 9)), np.ones(n))\n"
    found = survey_text(tmp_path, kernels=kernel, **{launched_by: launch}).records
    (access,) = [one for one in found if one.entity == "access" and value(one, "array") == "x"]
    assert value(access, "outweighed_by_copies") is outweighed


@pytest.mark.parametrize(
    ("module", "made", "empty"),
    [
        ("MOST = 0", "np.zeros((n, MOST))", True),
        ("MOST = 0\ndef set(n):\n    global MOST\n    MOST = n", "cp.full((n, n, MOST), -1)", True),
        ("MOST = 0", "np.zeros_like(np.ones((n, MOST)))", True),
        ("MOST = 8", "np.zeros((n, MOST))", False),
        ("MOST = 0", "np.zeros((n, n))", False),
        ("MOST = 0", "cp.zeros((n, MOST))\n    k[1, 32](cp.asarray(n))", True),
        ("MOST = 0", "cp.zeros((n, MOST))\n    k[1, 32](np.ones((n, n)))", False),
        ("MOST = None", "np.zeros((n, MOST))", False),
    ],
)
def test_sizes_that_are_zero_unless_a_setting_says_otherwise(
    tmp_path: Path, module: str, made: str, empty: bool
) -> None:
    text = f"import cupy as cp\n{module}\n@cuda.jit\ndef k(x):\n    x[cuda.grid(1), 0] = 1\n"
    text += f"def main(n):\n    x = {made}\n    k[1, 32](x)\n"
    (access,) = records(tmp_path, "access", text)
    assert value(access, "empty_by_default") is empty

"""What public code outside of the corpus met for the first time: each cause, and the neighbour that must go
on firing. Sectors by hand: 32 bytes each, 32 lanes, four bytes for each element.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import access, records, value
from units import unit_of


def lanes_of_atomic(folder: Path, loop: str) -> object:
    text = "@cuda.jit\ndef k(out, n):\n    i = cuda.grid(1)\n"
    text += f"    for {loop}:\n        cuda.atomic.add(out, j, 1)\n"
    return value(records(folder, "atomic", text)[0], "lanes_per_address")


def test_a_block_of_one_thread_has_no_lanes_to_exchange(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(out):\n    i, j = cuda.grid(2)\n    out[i, j] = 1\n\n"
    text += "def main(out):\n    k[(8, 8), (1, 1)](out)\n"
    found = access(tmp_path, text, "out")
    assert value(found, "sectors_per_request") == 1
    assert value(found, "exchanged_sectors_per_request") is None


@pytest.mark.parametrize(
    "loop",
    ["j, m in zip(range(i - 2, i + 3), range(5))", "m, j in enumerate(range(i, n))", "j in list(range(i))"],
)
def test_a_range_inside_of_another_call_keeps_what_it_depends_on(tmp_path: Path, loop: str) -> None:
    assert lanes_of_atomic(tmp_path, loop) is None


@pytest.mark.parametrize("loop", ["j in range(n)", "j, m in zip(range(n), range(5))"])
def test_a_range_that_all_threads_share_still_contends(tmp_path: Path, loop: str) -> None:
    assert lanes_of_atomic(tmp_path, loop) == 32


ROWS = "@cuda.jit\ndef k(out):\n    i, j = cuda.grid(2)\n    out[i, j] = 1\n\n"


@pytest.mark.parametrize(
    ("host", "sectors"),
    [
        # A block of (4, 8) has four rows of eight elements in a warp, one of (32, 4) 32 rows.
        ("block = (4, 8)\nk[2, block](out)\nblock = (32, 4)\n", 4),
        ("block = (4, 8)\nblock = (32, 4)\nk[2, block](out)\n", 32),
        ("size = 4\nblock = (size, 8)\nsize = 32\nk[2, block](out)\n", 4),
        ("block = (4, 8)\ndef other():\n    block = (32, 4)\n    return block\n\nk[2, block](out)\n", 4),
        ("if wide:\n    block = (4, 8)\nelse:\n    block = (4, 8)\nk[2, block](out)\n", 4),
    ],
)
def test_a_name_that_a_script_binds_again_has_its_value_of_the_launch(
    tmp_path: Path, host: str, sectors: int
) -> None:
    assert value(access(tmp_path, ROWS + host, "out"), "sectors_per_request") == sectors


@pytest.mark.parametrize(
    "host",
    [
        "block = (4, 8)\nif wide:\n    block = (32, 4)\nk[2, block](out)\n",
        "block = (4, 8)\ndef other():\n    global block\n    block = (32, 4)\n\nother()\nk[2, block](out)\n",
        "block = (4, 8)\nblock = (32, 4)\ndef run(out):\n    k[2, block](out)\n\nblock = (8, 4)\n",
        "block = (4, 8)\nblock = (2, 2)\nclass block:\n    pass\n\nk[2, block](out)\n",
        "block = (4, 8)\nfor block in sizes:\n    k[2, block](out)\n",
    ],
)
def test_a_name_that_may_have_two_values_has_none(tmp_path: Path, host: str) -> None:
    # 16 sectors: the block of (16, 16) that is reckoned with where none is known.
    assert value(access(tmp_path, ROWS + host, "out"), "sectors_per_request") == 16


MADE = "a = np.zeros((64, 64), dtype=np.float64)\n"


@pytest.mark.parametrize(
    ("host", "itemsize"),
    [
        ("for i in range(9):\n    b = cuda.to_device(a)\n    k[2, (32, 4)](b)\n", 8),
        ("b = a.astype(np.float32)\nb = cuda.to_device(a)\nk[2, (32, 4)](b)\n", 8),
        ("b = a.astype(np.float32)\nk[2, (32, 4)](b)\nb = cuda.to_device(a)\n", 4),
        ("for i in range(9):\n    b = cuda.to_device(a)\n    k[2, (32, 4)](b)\n    a = load()\n", None),
    ],
)
def test_the_type_of_an_array_is_that_at_the_launch(tmp_path: Path, host: str, itemsize: int | None) -> None:
    assert value(access(tmp_path, ROWS + MADE + host, "out"), "itemsize") == itemsize


STEPS = "@cuda.jit\ndef k(w, x, n):\n    i = cuda.threadIdx.x\n    s = 1\n    while s < n:\n"


@pytest.mark.parametrize(
    ("body", "handed_on"),
    [
        ("        w[i] += w[i + s]\n        s *= 2\n        cuda.syncthreads()\n", True),
        ("        s *= 2\n        cuda.syncthreads()\n        w[i] += w[i + s]\n", True),
        # Nobody else meets the elements of `w`, whatever the barrier is for.
        ("        w[i] += x[i + s]\n        s *= 2\n        cuda.syncthreads()\n", False),
        # Without a barrier no thread may count on what another has written.
        ("        w[i] += w[i + s]\n        s *= 2\n", False),
        ("        w[i] += w[i + s]\n        s *= 2\n    cuda.syncthreads()\n", False),
    ],
)
def test_steps_of_a_reduction_hand_on_what_they_write(tmp_path: Path, body: str, handed_on: bool) -> None:
    found = [record for record in records(tmp_path, "access", STEPS + body) if record.label == "w"]
    update = next(record for record in found if value(record, "kind") == "update")
    assert value(update, "between_barriers") is handed_on


CONSTANT = "import numpy as np\ntable = np.ones((64, 64))\n@cuda.jit\ndef k(out, given):\n"
CONSTANT += "    c = cuda.const.array_like({})\n    i, j = cuda.grid(2)\n    out[j, i] = c[j, i]\n"


def test_a_parameter_stays_in_global_memory(tmp_path: Path) -> None:
    assert value(access(tmp_path, CONSTANT.format("given"), "given"), "space") == "global"
    found = [record.label for record in records(tmp_path, "access", CONSTANT.format("given"))]
    assert "c" not in found


def test_an_array_of_the_module_goes_to_constant_memory(tmp_path: Path) -> None:
    assert value(access(tmp_path, CONSTANT.format("table"), "c"), "space") == "constant"


def test_a_parameter_read_as_a_constant_array_is_an_array(tmp_path: Path) -> None:
    unit = unit_of(tmp_path, "from numba import cuda\n" + CONSTANT.format("given"), kernel="k")
    assert unit.candidates[0].types == ("float32[:,::1]", "float32[:,::1]")

"""Arrays that a launch adds to though nothing has given them a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNELS = """
import cupy as cp
import torch

@cuda.jit(device=True)
def put(a, i, v):
    a[i] = v

@cuda.jit(device=True)
def increase(a, i, v):
    cuda.atomic.add(a, i, v)

@cuda.jit
def count(bins, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, int(x[i]), 1)

@cuda.jit
def add(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += x[i]

@cuda.jit
def add_written_out(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = y[i] + x[i]

@cuda.jit
def largest(y, x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(y, 0, x[i])

@cuda.jit
def by_function(y, x):
    i = cuda.grid(1)
    if i < x.size:
        increase(y, 0, x[i])

@cuda.jit
def set_first(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 0
        y[i] += x[i]

@cuda.jit
def set_by_function(y, x):
    i = cuda.grid(1)
    if i < x.size:
        put(y, i, 0)
        y[i] += x[i]

@cuda.jit
def set_under_another_name(y, x):
    i = cuda.grid(1)
    out = y
    out[i] = 0
    y[i] += x[i]

@cuda.jit
def store(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i]

@cuda.jit
def exchange(y, x):
    cuda.atomic.exch(y, 0, 0)
    cuda.atomic.add(y, 0, x[0])

def run(x, n, given=None, times=3):
"""

UNSET = {
    "device_array": "a = cuda.device_array(n)\ncount[8, 128](a, x)",
    "on a stream": "s = cuda.stream()\na = cuda.device_array(n, stream=s)\ncount[8, 128, s](a, x)",
    "like another": "a = cuda.device_array_like(x)\nadd[8, 128](a, x)",
    "written out": "a = cuda.device_array(n)\nadd_written_out[8, 128](a, x)",
    "a maximum": "a = cuda.device_array(1)\nlargest[8, 128](a, x)",
    "in a device function": "a = cuda.device_array(1)\nby_function[8, 128](a, x)",
    "cupy": "a = cp.empty(n, dtype=np.float32)\nadd[8, 128](a, x)",
    "torch": "a = torch.empty(n, device='cuda')\nadd[8, 128](a, x)",
    "host memory": "a = np.empty_like(x)\nadd[8, 128](a, x)",
    "asked for its size": "a = cuda.device_array(n)\nblocks = (a.size + 127) // 128\nadd[blocks, 128](a, x)",
    "another one set": "a, b = cp.empty(n), cp.empty(n)\nstore[8, 128](b, x)\nadd[8, 128](a, b)",
    "copied back": "a = cuda.device_array(n)\nadd[8, 128](a, x)\na.copy_to_host(x)\na[:] = 0",
    "added to by another kernel": "a = cuda.device_array(n)\nadd[8, 128](a, x)\nlargest[8, 128](a, x)",
    "used by a kernel for the host": (
        "a, b = cp.empty(n), cp.empty(n)\nadd[8, 128](a, x)\nstore[8, 128](b, a)\nprint(b)\na[:] = 0"
    ),
    "launched again": "a = cuda.device_array(n)\nadd[8, 128](a, x)",
    "used by a kernel": "a = cuda.device_array(n)\nadd[8, 128](a, x)\nstore[8, 128](x, a)\na[:] = 0",
    "in a loop": "a = cuda.device_array(n)\nfor _ in range(times):\n    add[8, 128](a, x)",
    "set behind each launch": (
        "a = cuda.device_array(n)\nfor _ in range(times):\n    add[8, 128](a, x)\n"
        "    a.copy_to_host(given)\n    a.copy_to_device(x)"
    ),
    "allocated in the loop": "for _ in range(times):\n    a = cuda.device_array(n)\n    add[8, 128](a, x)",
    "in a branch": "a = cuda.device_array(n)\nif given is None:\n    add[8, 128](a, x)",
}  # fmt: skip

SET = {
    "zeros": "a = cuda.to_device(np.zeros(n))\nadd[8, 128](a, x)",
    "cupy's zeros": "a = cp.zeros(n)\nadd[8, 128](a, x)",
    "stored": "a = cuda.device_array(n)\nstore[8, 128](a, x)",
    "read alone": "a = cuda.device_array(n)\nstore[8, 128](x, a)",
    "set in the kernel": "a = cuda.device_array(n)\nset_first[8, 128](a, x)",
    "set in a device function": "a = cuda.device_array(n)\nset_by_function[8, 128](a, x)",
    "set by another name": "a = cuda.device_array(n)\nset_under_another_name[8, 128](a, x)",
    "exchanged": "a = cuda.device_array(1)\nexchange[8, 128](a, x)",
    "set by a launch": "a = cuda.device_array(n)\nstore[8, 128](a, x)\nadd[8, 128](a, x)",
    "set by a copy": "a = cuda.device_array(n)\na.copy_to_device(x)\nadd[8, 128](a, x)",
    "set by an item": "a = cuda.device_array(n)\na[:] = 0\nadd[8, 128](a, x)",
    "filled": "a = cp.empty(n)\na.fill(0)\nadd[8, 128](a, x)",
    "handed on": "a = torch.empty(n)\ntorch.nn.init.zeros_(a)\nadd[8, 128](a, x)",
    "by another name": "a = cp.empty(n)\nb = a\nb[:] = 0\nadd[8, 128](a, x)",
    "where it is needed": "a = cuda.device_array(n)\nif times:\n    a[:] = 0\nadd[8, 128](a, x)",
    "in the first iteration": (
        "a = cuda.device_array(n)\nfor k in range(times):\n    if k:\n        add[8, 128](a, x)\n"
        "    else:\n        a.copy_to_device(x)"
    ),
    "behind it in a loop that begins with it": (
        "a = cuda.device_array(n)\nfor k in range(times):\n    if k:\n        add[8, 128](a, x)\n"
        "    a.copy_to_device(x)"
    ),
    "in a function of its own": (
        "a = cuda.device_array(n)\ndef clear():\n    a[:] = 0\nclear()\nadd[8, 128](a, x)"
    ),
    "that of the caller": "if given is None:\n    given = cuda.device_array(n)\nadd[8, 128](given, x)",
    "one of two": "a = cuda.device_array(n)\nif times:\n    a = cuda.to_device(x)\nadd[8, 128](a, x)",
    "compiled first": "a = cuda.device_array(n)\nadd[8, 128](a, x)\na.copy_to_device(x)\nadd[8, 128](a, x)",
    "compiled first, then set by a kernel": (
        "a = cp.empty(n)\nadd[8, 128](a, x)\nadd[8, 128](a, x)\nstore[8, 128](a, x)\nadd[8, 128](a, x)"
    ),
    "added to again, and left": "b = cp.empty(n)\nadd[8, 128](b, x)\nlargest[8, 128](b, x)\na = x",
    "asked for its size alone": "b = cp.empty(n)\nadd[8, 128](b, x)\na = b.size",
    "read by a kernel of which nobody looks at the result": (
        "b, c = cp.empty(n), cp.empty(n)\nadd[8, 128](b, x)\nstore[8, 128](c, b)\nadd[8, 128](c, x)\na = x"
    ),
    "compiled alone": "b = cuda.device_array(n)\nadd[8, 128](b, x)\na = x",
    "twice in a launch": "a = cuda.device_array(n)\nadd[8, 128](a, a)",
}  # fmt: skip


def _unset(folder: Path, body: str) -> list[object]:
    text = KERNELS + "".join(f"    {line}\n" for line in [*body.splitlines(), "return a"])
    return [
        value(one, "unset_arrays") for one in records(folder, "launch", text) if value(one, "adds_to_unset")
    ]


@pytest.mark.parametrize("body", UNSET.values(), ids=UNSET)
def test_a_launch_that_adds_to_what_nothing_set(body: str, tmp_path: Path) -> None:
    assert _unset(tmp_path, body) == ["a"]


@pytest.mark.parametrize("body", SET.values(), ids=SET)
def test_a_launch_whose_arrays_have_values_or_may_have(body: str, tmp_path: Path) -> None:
    assert _unset(tmp_path, body) == []


def test_the_allocating_function_is_named(tmp_path: Path) -> None:
    body = (
        "a, b = cuda.device_array(n), cp.empty(n)\n    add[8, 128](a, x)\n    add[8, 128](b, a)\n    return b"
    )
    text = f"{KERNELS}    {body}\n"
    launches = [one for one in records(tmp_path, "launch", text) if value(one, "adds_to_unset")]
    assert [value(one, "unset_by") for one in launches] == ["cuda.device_array", "cp.empty"]


def test_a_notebooks_or_scripts_own_level_counts(tmp_path: Path) -> None:
    text = (
        KERNELS
        + "    pass\nx = np.ones(64)\na = cuda.device_array(64)\nadd[1, 64](a, x)\nprint(a.copy_to_host())\n"
    )
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "adds_to_unset") is True


def test_a_parameter_of_a_kernel_inside_is_another_name(tmp_path: Path) -> None:
    text = """
    def run(x):
        @cuda.jit
        def add(total, x):
            cuda.atomic.add(total, 0, x[cuda.grid(1)])
        total = cuda.device_array(1)
        add[8, 128](total, x)
        return total.copy_to_host()
    """
    (launch,) = records(tmp_path, "launch", text)
    assert value(launch, "unset_arrays") == "total"

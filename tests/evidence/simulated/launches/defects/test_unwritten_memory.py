"""Device memory that a kernel reads though nobody has written it, and memory that somebody has."""

from __future__ import annotations

import textwrap

import pytest

HEAD = """\
import numpy as np
from numba import cuda, float32

@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = y[i] + x[i]{add}

@cuda.jit
def fill(y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = 1

@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i]){total}

def workload():
    x = cuda.to_device(np.ones(256, np.float32))
"""
HIT = "  # hit: uninitialised-global-memory"
# Where the memory is read, and what the program does.
WRONG = {
    "a new array": ("add", "add[4, 64](x, cuda.device_array(256, np.float32))"),
    "an array like another": ("add", "add[4, 64](x, cuda.device_array_like(x))"),
    "a part that no kernel wrote": (
        "add",
        """
        y = cuda.device_array(256, np.float32)
        fill[4, 64](y, 128)
        add[4, 64](x, y)
        """,
    ),
    "a part that was not copied": (
        "add",
        """
        y = cuda.device_array(256, np.float32)
        y[:200].copy_to_device(np.zeros(200, np.float32))
        add[4, 64](x, y)
        """,
    ),
    "a sum that begins nowhere": ("total", "total[4, 64](x, cuda.device_array(1, np.float32))"),
}
RIGHT = {
    "copied": "add[4, 64](x, cuda.to_device(np.zeros(256, np.float32)))",
    "an array of the host": "add[4, 64](x, np.empty(256, np.float32))",
    "filled by a kernel": """
        y = cuda.device_array(256, np.float32)
        fill[4, 64](y, 256)
        add[4, 64](x, y)
        """,
    "only what was written is read": """
        y = cuda.device_array(256, np.float32)
        fill[2, 64](y, 128)
        add[2, 64](x[:128], y)
        """,
    "copied within the device": """
        y = cuda.device_array(256, np.float32)
        y.copy_to_device(x)
        add[4, 64](x, y)
        """,
    "assigned": """
        y = cuda.device_array(256, np.float32)
        y[:] = 2
        add[4, 64](x, y)
        """,
    "pinned, mapped and managed memory of the host": """
        for make in (cuda.mapped_array, cuda.managed_array):
            y = make(256, np.float32)
            y[:] = 0
            add[4, 64](x, y)
        """,
    "a reduction of Numba": """
        add_all = cuda.reduce(lambda a, b: a + b)
        add_all(x)
        """,
    "a sum that begins with zero": "total[4, 64](x, cuda.to_device(np.zeros(1, np.float32)))",
}
RULES = "uninitialised-global-memory,global-memory-race,plain-access-beside-atomic,flag-without-fence"


def program(body, at=""):
    head = HEAD.format(add=HIT if at == "add" else "", total=HIT if at == "total" else "")
    return head + textwrap.indent(textwrap.dedent(body), "    ")


@pytest.mark.parametrize("name", WRONG)
def test_a_read_of_what_nobody_has_written(checked, marked, name):
    at, body = WRONG[name]
    found = checked(program(body, at), RULES)
    assert len(found.places) == 1
    assert found.places == marked(), found.out


@pytest.mark.parametrize("name", RIGHT)
def test_silence_where_somebody_has_written(checked, name):
    found = checked(program(RIGHT[name]), RULES)
    assert (found.findings, found.errors, found.status) == ([], [], 0)


def test_the_first_element_that_was_not_copied(checked):
    """Elements 0 to 199 were copied: 25 sectors of 8 elements, so 200 is the first that is unwritten."""
    at, body = WRONG["a part that was not copied"]
    (finding,) = checked(program(body, at), RULES).findings
    assert "Thread (8, 0, 0) of block (3, 0, 0)" in finding["message"]

"""Copies to the host of device memory that nobody has written, and of memory that somebody has."""

from __future__ import annotations

import textwrap

import pytest

RULE = "unwritten-memory-copied"
HEAD = """\
import numpy as np
from numba import cuda

@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]

@cuda.jit
def inner(a, out):
    i, j = cuda.grid(2)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        out[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]

@cuda.jit
def positive(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[cuda.atomic.add(count, 0, 1)] = x[i]

def workload():
    x = cuda.to_device(np.ones(1000, np.float32))
"""
HIT = f"  # hit: {RULE}"
WRONG = {
    # 7 blocks of 128 threads write 896 elements, which is a multiple of the 8 of a sector.
    "the last block is missing": (
        f"""
        out = cuda.device_array(1000, np.float32)
        double[1000 // 128, 128](x, out)
        out.copy_to_host(){HIT}
        """,
        "At least 104 of the 1000 elements|the first is element 896|`double`|`out`",
    ),
    # Of 64 rows of 64 elements the first and the last, in which no sector is written.
    "the border is left out": (
        f"""
        a = cuda.to_device(np.ones((64, 64), np.float32))
        out = cuda.device_array_like(a)
        inner[(8, 8), (8, 8)](a, out)
        out.copy_to_host(){HIT}
        """,
        "At least 128 of the 4096 elements|the first is element 0|`inner`",
    ),
    "more is copied than was found": (
        f"""
        out, count = cuda.device_array(1000, np.float32), cuda.to_device(np.zeros(1, np.int32))
        positive[2, 128](x, out, count)
        found = out.copy_to_host()[: count.copy_to_host()[0]]{HIT}
        """,
        "At least 744 of the 1000 elements|the first is element 256|`positive`",
    ),
    "into an array of the host, on a stream": (
        f"""
        stream = cuda.stream()
        out = cuda.device_array(1000, np.float64, stream=stream)
        double[4, 128, stream](x, out)
        out.copy_to_host(np.empty(1000, np.float64), stream=stream){HIT}
        """,
        "At least 488 of the 1000 elements|the first is element 512",
    ),
    "a part of it": (
        f"""
        out = cuda.device_array(1000, np.float32)
        double[7, 128](x, out)
        out[800:960].copy_to_host(){HIT}
        """,
        "At least 64 of the 160 elements|the first is element 96",
    ),
}
RIGHT = {
    "every element": """
        out = cuda.device_array(1000, np.float32)
        double[8, 128](x, out)
        out.copy_to_host()
        """,
    "what was written alone": """
        out, count = cuda.device_array(1000, np.float32), cuda.to_device(np.zeros(1, np.int32))
        positive[2, 128](x, out, count)
        found = out[: count.copy_to_host()[0]].copy_to_host()
        """,
    "zeros from the host": """
        out = cuda.to_device(np.zeros(1000, np.float32))
        double[7, 128](x, out)
        out.copy_to_host()
        """,
    "written by two launches": """
        out = cuda.device_array(1000, np.float32)
        double[4, 128](x, out)
        double[4, 128](x[512:], out[512:])
        out.copy_to_host()
        """,
    "copied within the device": """
        out = cuda.device_array(1000, np.float32)
        double[8, 128](x, out)
        again = cuda.device_array_like(out)
        again.copy_to_device(out)
        double[1, 128](x, again)
        again.copy_to_host()
        """,
    "an array of the host that the kernel fills in part": """
        double[7, 128](np.ones(1000, np.float32), np.zeros(1000, np.float32))
        """,
    "memory that no kernel has had": """
        double[8, 128](x, x)
        cuda.device_array(1000, np.float32).copy_to_host()
        """,
    "not copied at all": """
        out = cuda.device_array(1000, np.float32)
        double[7, 128](x, out)
        """,
}


def program(body):
    return HEAD + textwrap.indent(textwrap.dedent(body), "    ")


@pytest.mark.parametrize("name", WRONG)
def test_a_copy_of_what_nobody_has_written(checked, marked, name):
    body, words = WRONG[name]
    found = checked(program(body), RULE)
    assert found.places == marked(), found.out
    (finding,) = found.findings
    assert all(part in finding["message"] for part in words.split("|")), finding["message"]


@pytest.mark.parametrize("name", RIGHT)
def test_silence_where_all_that_is_copied_was_written(checked, name):
    found = checked(program(RIGHT[name]), RULE)
    assert (found.findings, found.errors, found.status) == ([], [], 0)


def test_a_program_that_is_run_says_it_too(advise, project):
    text = program("out = cuda.device_array(1000, np.float32)\ndouble[7, 128](x, out)\nout.copy_to_host()\n")
    (project / "main.py").write_text(text + "\nworkload()\n")
    done = advise("run", "main.py", cwd=project)
    line = text.count("\n")
    assert f"main.py:{line}: unwritten copy in double, 104 of 1,000 elements of out" in done.err

"""What stands beside a loop of launches, and how loud it is there."""

from __future__ import annotations

import textwrap

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def step(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def run(a, n):
    d = cuda.to_device(a)
{body}
    return d.copy_to_host()[0]

def other(a):
    return cuda.to_device(a)
"""


@pytest.mark.parametrize(
    ("body", "beside"),
    [
        ("    for _ in range(n):\n        step[8, 128](d)", [True, True, False]),
        ("    while n:\n        n -= 1\n        step[8, 128](d)", [True, True, False]),
        ("    step[8, 128](d)", [False, False, False]),
        ("    for _ in range(n):\n        n -= 1\n    step[8, 128](d)", [False, False, False]),
        (
            "    for _ in range(n):\n        d = cuda.to_device(a)\n        step[8, 128](d)",
            [True, False, True, False],
        ),
    ],
)
def test_copies_outside_of_a_loop(tmp_path, body, beside):
    found = records(tmp_path, "transfer", PROGRAM.format(body=body))
    assert [value(one, "beside_loop_of_launches") for one in found] == beside


def test_launches(tmp_path):
    body = "    step[8, 128](a)\n    for _ in range(n):\n        step[8, 128](d)"
    found = records(tmp_path, "launch", PROGRAM.format(body=body))
    assert [value(one, "beside_loop_of_launches") for one in found] == [True, False]


PREPARING = """
@cuda.jit
def prepare(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = n

@cuda.jit
def step(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n

def run(d, e, n):
{body}
"""


@pytest.mark.parametrize(
    ("body", "prepares"),
    [
        ("    prepare[8, 128](d, n)\n    for _ in range(n):\n        step[8, 128](d, n)", [True, False]),
        ("    for _ in range(n):\n        step[8, 128](d, n)\n    prepare[8, 128](d, n)", [False, True]),
        # Numbers are no arrays, and other arrays another matter.
        ("    prepare[8, 128](e, n)\n    for _ in range(n):\n        step[8, 128](d, n)", [False, False]),
        ("    prepare[8, 128](d, n)\n    step[8, 128](d, n)", [False, False]),
        ("    while n:\n        prepare[8, 128](d, n)\n        step[8, 128](d, n)", [False, False]),
    ],
)
def test_what_prepares_a_loop(tmp_path, body, prepares):
    found = records(tmp_path, "launch", PREPARING.format(body=body))
    assert [value(one, "prepares_loop") for one in found] == prepares


STEP = "step[8, 128](d, n)"


@pytest.mark.parametrize(
    ("loops", "steps"),
    [
        ([f"for _ in range(3):\n    {STEP}"], 3),
        ([f"for i in range(2, 20, 2):\n    {STEP}"], 9),
        ([f"for _ in range(n):\n    {STEP}"], None),
        ([f"while n:\n    {STEP}"], None),
        # The longest of two counts, and one that is not known may be longer.
        ([f"for _ in range(3):\n    {STEP}", f"for _ in range(50):\n    {STEP}"], 50),
        ([f"for _ in range(3):\n    {STEP}", f"for _ in range(n):\n    {STEP}"], None),
        ([f"for _ in range(n):\n    for _ in range(3):\n        {STEP}"], None),
        (["for _ in range(3):\n    step[8, 128](e, n)"], None),
    ],
)
def test_how_long_the_prepared_loop_is(tmp_path, loops, steps):
    body = textwrap.indent("\n".join(["prepare[8, 128](d, n)", *loops]), "    ")
    found = records(tmp_path, "launch", PREPARING.format(body=body))
    assert value(found[0], "prepared_steps") == steps

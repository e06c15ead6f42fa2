"""Whose elements atomics update: one thread's alone, or those of others as well; and sums of a loop."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

DEVICE = """
from other import unknown

@cuda.jit(device=True)
def add_to(a, i, v):
    cuda.atomic.add(a, i, v)

@cuda.jit(device=True)
def first(a):
    return a[0]
"""
HEAD = "i = cuda.grid(1)\nif i < x.size:\n"
LAUNCH = "\ndef run(x):\n    out = cuda.device_array_like(x)\n    k[9, 128]({})\n"
ADD = "cuda.atomic.add(out, i, x[i])"
ONE_WRITER = {
    "an element of its own": (ADD, True),
    "again": (f"{ADD}\n{ADD}", True),
    "its size is asked for": (f"{ADD}\nn = out.size + len(out)", True),
    "read by itself": (f"{ADD}\ny = out[i]", True),
    "in a function": ("add_to(out, i, x[i])", True),
    "another one's": (f"{ADD}\ncuda.atomic.add(out, int(x[i]), 1)", False),
    "the next one's": (f"{ADD}\ncuda.atomic.add(out, i + 1, 1)", False),
    "stored elsewhere": (f"{ADD}\nout[0] = 1", False),
    "read elsewhere": (f"{ADD}\ny = out[i + 1]", False),
    "another one's, in a function": (f"{ADD}\nadd_to(out, i + 1, 1)", False),
    "read in a function": (f"{ADD}\ny = first(out)", False),
    "offset by data": ("cuda.atomic.add(out, i + int(x[i]), 1)", False),
    "all the same": ("cuda.atomic.add(out, 0, x[i])", False),
    "under another name": (f"{ADD}\nother = out\nother[0] = 1", False),
    "chosen": (f"target = out if i % 2 else x\ntarget[0] = 1\n{ADD}", None),
    "a view": (f"{ADD}\nout.T[0] = 1", None),
    "given to an unknown function": (f"{ADD}\nunknown(out)", None),
    "in a method": (f"{ADD}\nout.fill(0)", None),
    "in a tuple": (f"{ADD}\npair = (out, x)", None),
}
LOOP = "for j in range(9):\n    {}"
ONLY_SUMMED = {
    "a sum": ("cuda.atomic.add(out, i, x[j])", True),
    "two sums": ("cuda.atomic.add(out, i, x[j])\n    cuda.atomic.add(out, 0, x[j])", True),
    "read behind": ("cuda.atomic.add(out, i, x[j])\ny = out[i]", True),
    "the place of a list": ("place = cuda.atomic.add(out, i, 1)\n    x[place] = j", False),
    "a place at once": ("x[cuda.atomic.add(out, i, 1)] = j", False),
    "read meanwhile": ("cuda.atomic.add(out, i, x[j])\n    y = out[0]", False),
    "stored meanwhile": ("cuda.atomic.add(out, i, x[j])\n    out[j] = 0", False),
    "sum and maximum": ("cuda.atomic.add(out, i, x[j])\n    cuda.atomic.max(out, i, x[j])", False),
    "another name": ("cuda.atomic.add(out, i, x[j])\n    other = out\n    y = other[0]", False),
}


def atomic(tmp_path: Path, body: str, metric: str, arguments: str = "out, x") -> object:
    lines = textwrap.indent(HEAD + textwrap.indent(body, "    "), "    ")
    text = f"{DEVICE}\n@cuda.jit\ndef k(out, x):\n{lines}\n"
    return value(records(tmp_path, "atomic", text + LAUNCH.format(arguments))[0], metric)


@pytest.mark.parametrize("name", ONE_WRITER)
def test_one_writer(tmp_path: Path, name: str) -> None:
    body, expected = ONE_WRITER[name]
    assert atomic(tmp_path, body, "one_writer") is expected


@pytest.mark.parametrize("arguments", ["x, x", "x, x[1:]", "x[:9], x.T", "x.reshape(3), x"])
def test_another_argument_is_the_same_array(tmp_path: Path, arguments: str) -> None:
    assert atomic(tmp_path, ADD, "one_writer", arguments) is None


def test_threads_along_another_axis_do_the_same(tmp_path: Path) -> None:
    text = f"@cuda.jit\ndef k(out, x):\n{textwrap.indent(HEAD + '    ' + ADD, '    ')}\n"
    for block, expected in (("(64, 4)", False), ("(64, 1)", True)):
        (found,) = records(tmp_path, "atomic", f"{text}def run(out, x):\n    k[9, {block}](out, x)\n")
        assert value(found, "one_writer") is expected


@pytest.mark.parametrize("name", ONLY_SUMMED)
def test_sums_of_a_loop(tmp_path: Path, name: str) -> None:
    body, expected = ONLY_SUMMED[name]
    assert atomic(tmp_path, LOOP.format(body), "only_summed") is expected

"""Loops that draw random samples and leave sums behind, and those in which one iteration needs another."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
from numba.cuda.random import xoroshiro128p_uniform_float32, xoroshiro128p_normal_float32

@cuda.jit
def k(states, n, out):
    i = cuda.grid(1)
    total = 0.0
    place = 0.0
    for step in range(n):
{body}
    out[i] = total + place
"""
SAMPLES = {
    "hits are counted": (
        "x = xoroshiro128p_uniform_float32(states, i)\ny = xoroshiro128p_uniform_float32(states, i)\n"
        "if x * x + y * y <= 1.0:\n    total += 1"
    ),
    "one line": "total += xoroshiro128p_normal_float32(states, i)",
}
STEPS = {
    "a walk that turns back": (
        "place += xoroshiro128p_normal_float32(states, i)\nif place > 1.0:\n    total += 1"
    ),
    "a product": "place *= xoroshiro128p_uniform_float32(states, i)",
    "the number of the sample": "total += step * xoroshiro128p_uniform_float32(states, i)",
    "the sample before": ("x = xoroshiro128p_uniform_float32(states, i)\ntotal += x * place\nplace = x"),
    "until one is found": "if xoroshiro128p_uniform_float32(states, i) > 0.9:\n    break\ntotal += 1",
    "elements that are stored": "out[step] = xoroshiro128p_uniform_float32(states, i)",
    "nothing is drawn": "total += 1.0",
}


def drawn(folder, body: str):
    lines = "\n".join("        " + line for line in body.splitlines())
    (loop,) = records(folder, "loop", PROGRAM.format(body=lines))
    return value(loop, "draws_samples")


@pytest.mark.parametrize("name", SAMPLES)
def test_any_thread_could_draw_the_sample(tmp_path, name):
    assert drawn(tmp_path, SAMPLES[name]) is True


@pytest.mark.parametrize("name", STEPS)
def test_an_iteration_that_belongs_where_it_stands(tmp_path, name):
    assert drawn(tmp_path, STEPS[name]) is False

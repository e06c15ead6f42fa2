"""What the model knows of a launch is what a run launches."""

from __future__ import annotations

import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launch_oracle import arrays_of_a_program, compared, launches_of_a_program
from launch_programs import LaunchPrograms


@settings(max_examples=70, deadline=None)
@given(st.randoms(use_true_random=False))
def test_launches_of_random_programs(chance: Random) -> None:
    assert not launches_of_a_program(chance).wrong


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_arrays_of_random_launches(chance: Random) -> None:
    assert not arrays_of_a_program(chance).wrong


def test_most_random_programs_are_run() -> None:
    texts = [LaunchPrograms(Random(seed)).text() for seed in range(40)]
    # Stars among indices are Python from 3.11 on.
    assert sum(map(is_python, texts)) >= (36 if sys.version_info >= (3, 11) else 24)


def is_python(text: str) -> bool:
    try:
        compile(text, "generated.py", "exec")
    except SyntaxError:
        return False
    return True


HEAD = """
import numpy as np
from numba import cuda

@cuda.jit
def k(a, b):
    a[0] = b[0]

x = np.zeros((4, 6), np.float32)
"""
# Programs with the answers that must be known.
PROGRAMS = {
    "an arm of a match": (
        "block = 7\nmatch 1:\n    case 1:\n        block = 256\n        k[4, block](x, x)\n",
        ("blocks", "grids"),
    ),
    "a swallowing context": (
        "import contextlib\nblock = 7\nwith contextlib.suppress(ValueError):\n    block = 256\n"
        "    k[4, block](x, x)\n", ("blocks", "grids"),
    ),
    "a walrus": ("block = 7\nif (block := 256) and x.size:\n    k[4, block](x, x)\n", ("blocks", "grids")),
    "a kept configuration": ("kept = k[2, (8, 8)]\nkept(x, x)\n", ("blocks", "grids", "kernels")),
    "one of two configurations": (
        "kept = k[2, 32]\nif flip():\n    kept = k[1, 64]\nkept(x, x)\n", (),
    ),
    "a loop over blocks": ("for block in (32, 64):\n    k[2, block](x, x)\n", ("grids", "kernels")),
}  # fmt: skip


@pytest.mark.parametrize("text, known", PROGRAMS.values(), ids=list(PROGRAMS))
def test_launch_of_a_program(text: str, known: tuple[str, ...]) -> None:
    answers = compared(HEAD + text, arrays=False)
    assert answers.asked and not answers.wrong
    assert all(answers.known[one] == answers.asked[one] > 0 for one in known)


def test_types_and_orders_of_a_launch() -> None:
    answers = compared(HEAD + "k[1, 32](x, np.asfortranarray(x))\n", arrays=True)
    assert not answers.wrong and answers.known["types of arguments"]


@pytest.mark.parametrize("changed", ["y.shape = 24", "y.shape = (2, 2, 6)", "y.dtype = np.int32"])
def test_arrays_that_are_changed_in_place(changed: str) -> None:
    answers = compared(f"{HEAD}y = x\nif x.size:\n    {changed}\nk[1, 32](x, x.T)\n", arrays=True)
    assert answers.asked and not answers.wrong


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launch_oracle._fits", lambda *_: False)
    assert compared(HEAD + "k[1, 32](x, x)\n", arrays=False).wrong

"""What a kernel is said never to do with an array, no run of it does."""

from __future__ import annotations

from random import Random

import pytest
from effect_oracle import compared, effects_of_a_program
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.program.effects.array_effects import ArrayEffects, Effects


@settings(max_examples=110, deadline=None)
@given(st.randoms(use_true_random=False))
def test_effects_of_random_kernels(chance: Random) -> None:
    assert not effects_of_a_program(chance).wrong


HEAD = "from numba import cuda\n\ndef swap(a, b, c, i):\n    b[i, 0] = a[i, 0]\n\ndef k(a, b, c, i):\n    "
KERNELS = {
    "a conditional alias": "p = a if flip() else b\n    p[i] = 1\n",
    "a transposed array": "a.T[i] = i\n",
    "swapped arguments": "swap(b, a, c, i)\n",
    "arguments by name": "swap(c=a, b=b, a=c, i=i)\n",
    "a slice of a view": "p = a[1:].ravel()[::2]\n    p[0] += 1\n",
    "an element that is returned": "return a[i, 0]\n",
    "parts of parts of one name": "p = a\n    for j in (1, 2):\n        p = p[i]\n",
    "parts of parts of two names": "p = a\n    for j in (1, 2):\n        q = p[i]\n        p = q\n",
    "something unknown": "p = (a, b)[0]\n    unknown(p)\n",
}


@pytest.mark.parametrize("body", KERNELS.values(), ids=list(KERNELS))
def test_effects_of_a_kernel(body: str) -> None:
    answers = compared(HEAD + body)
    assert sum(answers.known.values()) and not answers.wrong


@pytest.mark.parametrize("body", KERNELS.values(), ids=list(KERNELS))
def test_a_wrong_answer_is_noticed(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = dict.fromkeys(("a", "b", "c"), Effects(False, False, False))
    monkeypatch.setattr(ArrayEffects, "every", lambda *_: nothing)
    assert compared(HEAD + body).wrong

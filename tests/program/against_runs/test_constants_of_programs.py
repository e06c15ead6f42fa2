"""A value that the model knows is the one that a run has at that place."""

from __future__ import annotations

from random import Random

import pytest
from constant_oracle import compared, constants_of_a_program
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.program.values.constants import Constants


@settings(max_examples=130, deadline=None)
@given(st.randoms(use_true_random=False))
def test_constants_of_random_programs(chance: Random) -> None:
    assert not constants_of_a_program(chance).wrong


SIZES = "A = 32\nB = 8\nC = (4, 8)\nD = {'n': 16}\nif flip():\n    B = 9\n"
# The last value of each program is asked for; whether it is known.
PROGRAMS = {
    "a name of another module": (("from sizes import A", "see(1, A * 2)"), True),
    "one of two values": (("from sizes import B", "see(1, B)"), False),
    "two imports of one name": (("from sizes import A, C as A", "see(1, A)"), True),
    "a value after an import": (("from sizes import A", "A = 3", "see(1, A)"), True),
    "a value before an import": (("A = 3", "from sizes import A", "see(1, A)"), True),
    "a star": (("from sizes import *", "see(1, A)"), True),
    "a star and another value": (("from sizes import *", "A = 4", "def f():", "    see(1, A)", "f()"), True),
    "a parameter that is rebound": (
        ("def f(n):", "    if flip():", "        n = 3", "    see(1, n)", "f(4)"), False,
    ),
    "a name that a match captures": (("n = 3", "match 4:", "    case n:", "        see(1, n)"), False),
    "a name that a clause binds": (
        ("n = 3", "try:", "    fail()", "except Exception as n:", "    pass", "see(1, n)"), False,
    ),
    "a function that is defined again": (
        ("def f():", "    return 1", "def f():", "    return 2", "see(1, f())"), True,
    ),
    "a function that returns from a loop": (
        ("def f():", "    for n in (1, 2):", "        return n", "    return 3", "see(1, f())"), False,
    ),
    "a builtin with another meaning": (("def min(a, b):", "    return 7", "see(1, min(1, 2))"), True),
    "an argument with a builtin's name": (("def f(max):", "    see(1, max(1, 2))", "f(min)"), False),
    "what stands after a star in a target": (("*n, m = 1, 2, 3", "see(1, m)"), False),
    "a name that a starred target binds again": (("n, *n = 1, 2, 3", "see(1, n)"), False),
    "an attribute that another method changes": (
        ("class K:", "    def __init__(self):", "        self.n = 1", "    def grow(self):",
         "        self.n += 1", "        see(1, self.n)", "K().grow()"), False,
    ),
    "the side of a square block": (
        ("import math", "see(1, int(math.pow(2, math.log(1024, 2) / 2)))"), True,
    ),
    "a logarithm of NumPy": (("import numpy as np", "see(1, int(np.log2(64)))"), True),
    "a function of the source that is called so": (
        ("def log(a, b):", "    return flip()", "see(1, log(8, 2))"), False,
    ),
    "an item of a dictionary": (("d = {'n': 4, 'm': (1, 2)}", "see(1, d['n'] + 1)"), True),
    "an item of a dictionary of another module": (("import sizes", "see(1, sizes.D['n'])"), True),
    "an item of a dictionary in a dictionary": (
        ("d = {'a': {'b': 3}}", "n = int(d['a']['b'])", "see(1, n)"), True,
    ),
    "an item that may be changed where it is handed on": (
        ("d = {'a': {'b': 3}}", "see(1, d['a']['b'])"), False,
    ),
    "an item that is written again": (("d = {'n': 4}", "d['n'] = 5", "see(1, d['n'])"), False),
    "an item of a dictionary that is updated": (("d = {'n': 4}", "d.update(n=5)", "see(1, d['n'])"), False),
    "an item of a dictionary that is handed on": (
        ("def f(e):", "    e['n'] = 5", "d = {'n': 4}", "f(d)", "see(1, d['n'])"), False,
    ),
    "an item of a dictionary with another name": (
        ("d = {'n': 4}", "e = d", "e['n'] = 5", "see(1, d['n'])"), False,
    ),
    "an item of a list in a dictionary": (("d = {'n': [1]}", "d['n'][0] = 5", "see(1, d['n'][0])"), False),
    "a key that stands there twice": (("d = {'n': 4, 'n': 6}", "see(1, d['n'])"), True),
    "a key that is true": (("d = {1: 4, True: 6}", "see(1, d[1])"), True),
    "one dictionary of two": (("d = {'n': 4}", "if flip():", "    d = {'n': 5}", "see(1, d['n'])"), False),
    "a dictionary as a condition": (("d = {'n': 4}", "see(1, 2 if d else 3)"), True),
    "what two dictionaries hold": (("d = {'n': 4}", "see(1, d == {'n': 4.0})"), False),
    "another dictionary in one": (("c = {'n': 5}", "d = {'n': 4, **c}", "see(1, d['n'])"), False),
    "a name of another module that is changed": (("import sizes", "sizes.A = 3", "see(1, sizes.A)"), False),
}  # fmt: skip


@pytest.mark.parametrize("lines, known", PROGRAMS.values(), ids=list(PROGRAMS))
def test_constant_of_a_program(lines: tuple[str, ...], known: bool) -> None:
    answers = compared({"sizes": SIZES, "main": "\n".join(lines) + "\n"})
    assert answers.asked == {"constants": 1} and not answers.wrong
    assert answers.known == {"constants": known}


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Constants, "value", lambda *_: 5)
    assert compared({"main": "see(1, 4)\n"}).wrong


SETTING = {
    "a module that the asking one imports": ("import sizes\nsizes.A = 3\n", False),
    "one that imports it by another name": ("import sizes as s\ndef f():\n    s.A = 3\nf()\n", False),
    "one that sets another name": ("import sizes\nsizes.B = 3\n", True),
    "one that sets it in something else": ("class K: pass\nsizes = K()\nsizes.A = 3\n", True),
    "one that sets it in another module": ("import math\nmath.A = 3\n", True),
    "one that only reads it": ("import sizes\nb = sizes.A\n", True),
}


@pytest.mark.parametrize("asking", ["import sizes\nsee(1, sizes.A)\n", "from sizes import A\nsee(1, A)\n"])
@pytest.mark.parametrize(("setting", "known"), SETTING.values(), ids=list(SETTING))
def test_a_name_that_an_imported_module_sets(setting: str, known: bool, asking: str) -> None:
    answers = compared({"sizes": SIZES, "middle": setting, "main": f"import middle\n{asking}"})
    assert answers.asked == {"constants": 1} and not answers.wrong
    assert answers.known == {"constants": known}

"""Every definition that a run shows is among those which the model says may reach the place."""

from __future__ import annotations

import sys
from random import Random

import pytest
from flow_oracle import compared, definitions_of_a_program
from flow_runs import observed
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=130, deadline=None)
@given(st.randoms(use_true_random=False))
def test_definitions_of_random_programs(chance: Random) -> None:
    assert not definitions_of_a_program(chance).wrong


PROGRAMS = {
    "what only a star may bind": ("x = V()", "from everything import *", "y, z"),
    "what a comprehension first runs over": ("x = V()", "y = [x for x in [x for x in x]]"),
    "a walrus in the index of a loop's target": (
        "def f(x=V()):", "    for O[(x := V())] in V():", "        x", "    x", "call(f)",
    ),
    "a walrus in the index of a context's target": (
        "x = V()", "with context() as O[(x := V())]:", "    x",
    ),
    "a walrus in the second target": ("x = O[(x := V())] = V()", "x"),
    "a clause that deletes its name": (
        "x = V()", "class C:", "    try:", "        raise Failure",
        "    except Failure as x:", "        x = V()", "    x",
    ),
    "a context that swallows": ("x = V()", "with context():", "    x = V()", "    raise Failure", "x"),
    "an arm that captures": ("match subject(V()):", "    case [x, *y] | {'k': x, **y} if x:", "        x, y"),
    "another function's name": (
        "def f(x=V()):", "    def g():", "        nonlocal x", "        x = V()", "    call(g)", "    x",
        "call(f)",
    ),
}  # fmt: skip
if sys.version_info >= (3, 11):
    PROGRAMS["clauses of a group"] = (
        "x = V()", "try:", "    raise Failure", "except* Other:", "    x = V()", "except* Failure:", "    x",
        "x",
    )  # fmt: skip
    PROGRAMS["a walrus in what a later clause of a group names"] = (
        "x = V()", "try:", "    raise Failure", "except* Failure as x:", "    del x",
        "except* pick(Other, (x := V())):", "    x = V()", "x",
    )  # fmt: skip


@pytest.mark.parametrize("lines", PROGRAMS.values(), ids=list(PROGRAMS))
def test_definitions_of_a_program(lines: tuple[str, ...]) -> None:
    answers = compared("\n".join(lines) + "\n")
    assert sum(answers.asked.values()) and not answers.wrong


def test_runs_show_which_definition_a_name_has() -> None:
    """The numbers are those of `ast.walk`: the first assignment is the second node, behind the module."""
    text = "x = V()\nif O:\n    x = V()\nx\n"
    assert {(giver, name) for _, name, givers in observed(text, ("x",), range(8)) for giver in givers} == {
        (1, ""), (1, "x"), (7, ""), (7, "x"),
    }  # fmt: skip


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "advisor.program.syntax.reaching_definitions.ReachingDefinitions.reaching", lambda *_: frozenset()
    )
    assert compared("x = V()\nx\n").wrong

"""What finding relations takes grows as kernels do: counted in expressions that are evaluated."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from relation_texts import relations

from advisor.program.index_relations import index_relations as module
from advisor.program.index_relations.expression_values import Steps

HEAD = "def k(a, b, n):\n    i = cuda.grid(1)\n"


def straight(count: int) -> str:
    return HEAD + "".join(f"    x{j} = a[i + {j}] * 2\n    b[i] += x{j}\n" for j in range(count))


def loops(count: int) -> str:
    return HEAD + "".join(f"    for j{j} in range(n):\n        b[j{j}] = a[j{j}]\n" for j in range(count))


def chain(count: int) -> str:
    return HEAD.replace("i =", "x0 =") + "".join(f"    x{j + 1} = x{j} + a[x{j}]\n" for j in range(count))


def carried(count: int) -> str:
    steps = "        x = y + x * a[x]\n        y = x + b[y]\n" * count
    return "def k(a, b, n):\n    x = 0\n    y = 1\n    for s in range(n):\n" + steps


def guards(count: int) -> str:
    return HEAD + "".join(f"    if i >= n - {j}:\n        return\n    b[i] = a[i]\n" for j in range(count))


def calls(count: int) -> str:
    """Functions each of which calls the one before twice: the same arguments are gone through once."""
    count = min(count, 10)
    first = "def f0(a, i):\n    return a[i]\n"
    others = "".join(
        f"def f{j}(a, i):\n    return f{j - 1}(a, i) + f{j - 1}(a, i)\n" for j in range(1, count)
    )
    return f"{first}{others}{HEAD}    b[i] = f{count - 1}(a, i)\n"


def evaluated(source: str, monkeypatch: pytest.MonkeyPatch) -> int:
    steps = Steps()
    begin = steps.left
    monkeypatch.setattr(module, "Steps", lambda: steps)
    relations("f f n", source)
    return begin - steps.left


@pytest.mark.parametrize(
    "program", [straight, loops, chain, carried, guards, calls], ids=lambda one: one.__name__
)
def test_four_times_the_text_takes_four_times_the_work(
    program: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, four = (evaluated(program(count), monkeypatch) for count in (40, 160))
    assert 0 < one < 40 * 60
    assert four <= 4.4 * one


def test_a_kernel_that_is_too_large_is_left_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Steps", lambda: Steps(50))
    found = relations("f f n", straight(100))
    assert len(found.axes) <= 2

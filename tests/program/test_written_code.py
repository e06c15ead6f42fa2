"""What is written alike has one key, whatever stands between, and nothing else has it."""

from __future__ import annotations

import ast

import pytest

from advisor.program.syntax.written_code import as_written


def key(text: str) -> object:
    return as_written(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("one", "other"), [("a+b", "( a + b )"), ("f(x, k=1)", "f(x,k = 1)"), (hex(10**4400), hex(10**4400))],
    ids=["brackets", "spaces", "4,401 digits"],
)  # fmt: skip
def test_written_alike(one: str, other: str) -> None:
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "b + a"), ("1", "1.0"), ("1", "True"), ("0.0", "-0.0"), ("[a]", "(a,)"), ("f(x)", "f(x=x)"),
        (hex(10**4400), hex(10**4400 + 1)),
    ],
    ids=["order", "type", "truth", "sign", "list", "name", "last digit"],
)  # fmt: skip
def test_written_differently(one: str, other: str) -> None:
    assert key(one) != key(other)

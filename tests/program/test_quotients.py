"""A number that is divided in place is no integer, and what meets it in arithmetic need be none."""

from __future__ import annotations

import pytest

from advisor.model.text.source_text import SourceText
from advisor.program.effects.local_values import LocalValues
from advisor.program.effects.use_analysis import ValueKinds
from advisor.program.syntax.module import parse_module


def is_integer(statements: str) -> bool:
    """Whether `n` is certainly an integer behind the statements of a function."""
    lines = "".join(f"    {one}\n" for one in (*statements.split("; "), "n"))
    module = parse_module(SourceText("own.py", f"def f(a):\n{lines}"))
    (function,) = module.functions
    return ValueKinds(LocalValues(function), {}, lambda _: None).is_integer(function.body[-1].value)


@pytest.mark.parametrize("statements", ["n = 8; n += 2", "n = 8; n //= 2", "n = 8; n %= 3", "n = 8; n <<= 1"])
def test_integers_stay_integers(statements: str) -> None:
    assert is_integer(statements)


@pytest.mark.parametrize(
    "statements", ["n = 8; n /= 2", "n = 8; n += 0.5", "n = 8; n = n / 2", "n = 8; n //= a"]
)
def test_quotients_are_none(statements: str) -> None:
    assert not is_integer(statements)

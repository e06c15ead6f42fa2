"""Divisions whose quotient is only compared, and powers with the same exponent everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

from advisor.model.records import Record

LOOP = """
@cuda.jit
def k(a, b, out, limit, p, q):
    i = cuda.grid(1)
    hits = 0
    for j in range(64):
{body}
    out[i] = hits
"""


def operations(folder: Path, body: str, operator: str) -> list[Record]:
    text = LOOP.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    found = [one for one in records(folder, "operation", text) if value(one, "operator") == operator]
    # `hits += x / y` is looked at twice; its records are one row.
    return list({one.key: one for one in found}.values())


@pytest.mark.parametrize(
    "body",
    [
        "if a[j] / b[j] < limit:\n    hits += 1",
        "if limit >= abs(2 * (a[j] - b[j]) / (a[j] + b[j]) * 1e6):\n    hits += 1",
        "share = a[j] / b[j]\nif share > limit:\n    hits += 1",
        "share = -a[j] / b[j]\nif share > limit and hits < 9:\n    hits += share",
        "share = a[j] / b[j]\nif share > limit:\n    if share > out[j]:\n        out[j] = share",
        "while a[j] / b[j] > hits:\n    hits += 1",
    ],
)
def test_a_product_would_decide_it(tmp_path: Path, body: str) -> None:
    (one,) = operations(tmp_path, body, "true_divide")
    assert value(one, "only_compared") is True


@pytest.mark.parametrize(
    "body",
    [
        "out[j] = a[j] / b[j]",
        "share = a[j] / b[j]\nif share > limit:\n    hits += 1\nhits += share",
        "share = a[j] / b[j]\nif share > limit:\n    hits += 1\nelse:\n    hits += share",
        "share = a[j] / b[j]\nif share == limit:\n    hits += 1",
        "if 1.0 + a[j] / b[j] > limit:\n    hits += 1",
        "hits += a[j] / b[j] if b[j] > limit else 0.0",
        "if math.exp(a[j] / b[j]) > limit:\n    hits += 1",
    ],
)
def test_the_quotient_is_needed(tmp_path: Path, body: str) -> None:
    (one,) = operations(tmp_path, body, "true_divide")
    assert value(one, "only_compared") is False


def test_of_a_quotient_of_quotients_the_outer_one_is_compared(tmp_path: Path) -> None:
    outer, inner = operations(tmp_path, "if limit / (a[j] / b[j]) > 1.0:\n    hits += 1", "true_divide")
    assert {value(outer, "only_compared"), value(inner, "only_compared")} == {True, False}


@pytest.mark.parametrize(
    ("power", "same"),
    [
        ("a[i] ** p", True),
        ("abs(a[i]) ** (p / q)", True),
        ("math.pow(a[i], q)", True),
        ("a[i] ** b[0]", False),
        ("a[i] ** (p * j)", False),
        ("a[i] ** (p + i)", False),
        ("pow(a[i], b[i])", False),
    ],
)
def test_an_exponent_that_the_kernel_is_given(tmp_path: Path, power: str, same: bool) -> None:
    (one,) = operations(tmp_path, f"hits += {power}", "power")
    assert value(one, "same_exponent") is same


def test_only_powers_have_exponents(tmp_path: Path) -> None:
    (one,) = operations(tmp_path, "hits += a[i] / p", "true_divide")
    assert value(one, "same_exponent") is None


def test_what_an_unknown_function_gives_may_be_the_threads_position(tmp_path: Path) -> None:
    from_elsewhere = "hits += math.exp(a[j + position(1)])"
    (one,) = operations(tmp_path, from_elsewhere, "call")
    assert value(one, "same_for_all_threads") is None
    (one,) = operations(tmp_path, "hits += a[i] ** position(1)", "power")
    assert value(one, "same_exponent") is None


def test_a_function_of_the_loop_alone(tmp_path: Path) -> None:
    (one,) = operations(tmp_path, "hits += math.exp(a[j])", "call")
    assert value(one, "same_for_all_threads") is True
    (one,) = operations(tmp_path, "hits += math.exp(a[i])", "call")
    assert value(one, "same_for_all_threads") is False

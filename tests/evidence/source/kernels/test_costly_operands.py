"""Divisions whose quotient is only compared or made whole, powers with the same exponent everywhere, and
functions that a loop computes again of the same values.
"""

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


WHOLE = """
@cuda.jit
def k(a, x, out):
    i, n = cuda.grid(1), a.shape[0]
    out[i] = {}
"""


@pytest.mark.parametrize(
    ("made", "whole"),
    [
        ("a[int(i / n)]", True),
        ("a[np.int32(i / n)]", True),
        ("a[int(math.floor(i / n))]", True),
        ("np.ceil(i / n)", True),
        ("math.trunc(i / n)", True),
        ("a[int(i / n + 0.5)]", False),
        ("a[int(x[i] * (i / n))]", False),
        ("a[round(i / n)]", False),
        ("math.floor(math.sqrt(i / n))", False),
        ("i / n", False),
    ],
)
def test_the_quotient_itself_is_made_whole(tmp_path: Path, made: str, whole: bool) -> None:
    found = records(tmp_path, "operation", WHOLE.format(made))
    (one,) = [record for record in found if value(record, "operator") == "true_divide"]
    assert (value(one, "truncated"), value(one, "integer_operands")) == (whole, True)


AGAIN = """
@cuda.jit
def k(a, b, out, states, n):
    tile = cuda.shared.array(128, "float64")
    mine = cuda.local.array(4, "float64")
    i = cuda.grid(1)
    level = 1.0
    before = b[i]
    for t in range(n):
{body}
    out[n, i] = level
"""


def again(folder: Path, body: str) -> list[bool]:
    """What is said of each call of `math.exp` in a loop, in order of lines."""
    text = AGAIN.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    found = [one for one in records(folder, "operation", text) if value(one, "name") == "math.exp"]
    return [value(one, "recomputed") is True for one in {one.key: one for one in found}.values()]


@pytest.mark.parametrize(
    "body",
    [
        "out[t, i] = level\nlevel *= math.exp(-b[i] / a[i])",
        "rate = b[i]\nfactor = math.exp(rate * 2.0)\nout[t, i] = level * factor",
        "cuda.syncthreads()\nlevel += math.exp(a[i]) * t",
        "tile[i] = t\nlevel += math.exp(a[i])",
        "cuda.atomic.add(out, (t, i), math.exp(a[i]))",
        "level += xoroshiro128p_uniform_float64(states, i) * math.exp(b[i])",
        "out[t, i] = math.exp(max(a[i], float(a[3])))",
    ],
)
def test_a_function_of_what_the_loop_loads_again(tmp_path: Path, body: str) -> None:
    imported = "from numba.cuda.random import xoroshiro128p_uniform_float64\n"
    text = imported + AGAIN.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    (one,) = {
        one.key: one for one in records(tmp_path, "operation", text) if value(one, "name") == "math.exp"
    }.values()
    assert (value(one, "recomputed"), value(one, "inner_iterations")) == (True, 0)


@pytest.mark.parametrize(
    "body",
    [
        # Nothing in the loop changes memory.
        "level += math.exp(a[i])",
        "mine[t % 4] = t\nlevel += math.exp(a[i])",
        # What was loaded before stays in a register.
        "out[t, i] = math.exp(before)",
        # Another value each time.
        "out[t, i] = math.exp(a[t])",
        "out[t, i] = math.exp(a[i] * level)\nlevel += 1.0",
        "a[i] += math.exp(a[i])",
        "out[t, i] = math.exp(step(a[i]))",
        "x = b[i]\nx += t\nout[t, i] = math.exp(x)",
        "out[t, i] = math.exp(before)\nbefore = a[i]",
        "tile[i] = t\ncuda.syncthreads()\nlevel += math.exp(tile[3])",
        "cuda.syncthreads()\nlevel += math.exp(out[0, i])",
        # Not in each iteration.
        "if t == 3:\n    out[t, i] = math.exp(a[i])",
        "out[t, i] = math.exp(a[i]) if level > t else 0.0",
        "if level > t:\n    out[t, i] = math.exp(a[i])\n    break",
    ],
)
def test_a_function_that_the_loop_must_compute_or_the_compiler_moves(tmp_path: Path, body: str) -> None:
    assert again(tmp_path, body) == [False]


@pytest.mark.parametrize(
    ("loops", "iterations"),
    [
        ("for j in range(64):\n    level += j * t", 64),
        ("for j in range(8):\n    for m in range(4):\n        level += j * m * t", 8 + 32),
        ("for j in range(n):\n    level += j", None),
    ],
)
def test_the_loops_inside_of_the_loop(tmp_path: Path, loops: str, iterations: int | None) -> None:
    body = f"out[t, i] = math.exp(a[i])\n{loops}"
    text = AGAIN.format(body="\n".join(f"        {line}" for line in body.splitlines()))
    (one,) = [one for one in records(tmp_path, "operation", text) if value(one, "name") == "math.exp"]
    assert (value(one, "recomputed"), value(one, "inner_iterations")) == (True, iterations)

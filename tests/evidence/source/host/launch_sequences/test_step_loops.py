"""Host loops that count steps and do nothing but launch, and those that do other work or take other data."""

from __future__ import annotations

import pytest
from surveying import records, value

from advisor.evidence.source.host.launch_sequences import launch_loops

PROGRAM = """
import math

@cuda.jit
def k(a, b, n):
    i = cuda.grid(1)
    if i < n:
        a[i] = b[i]

def rounded(n, block):
    return (n + block - 1) // block

def main(a, b, n, parts):
"""
STEPS = {
    "the number of the step": "for step in range(n):\n    k[8, 64](a, b, step)",
    "arrays that change places": "for step in range(n):\n    k[8, 64](a, b, n)\n    a, b = b, a",
    "a grid for each step": (
        "for step in range(n):\n    blocks = rounded(n >> step, 64)\n    k[blocks, 64](a, b, min(n, step))"
    ),
    "numbers": "for part in parts:\n    k[8, 64](a, b, part)",
    "numbered numbers": "for step, part in enumerate(parts):\n    k[8, 64](a, b, part)",
    "until all is done": "while n > 0:\n    k[8, 64](a, b, n)\n    n -= 512",
}
OTHERS = {
    "no loop": "k[8, 64](a, b, n)",
    "parts of an array": "for step in range(n):\n    k[8, 64](parts[step], b, n)",
    "items": "for part in parts:\n    k[8, 64](part, b, n)",
    "numbers that something makes": "for part in parts():\n    k[8, 64](a, b, part)",
    "a copy": "for step in range(n):\n    k[8, 64](a, b, n)\n    a.copy_to_host()",
    "what the host computes": "for step in range(n):\n    k[8, 64](a, b, n)\n    parts.advance(step)",
}


def launch_of(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    (launch,) = records(folder, "launch", text)
    return launch


@pytest.mark.parametrize("name", STEPS)
def test_steps(tmp_path, name):
    assert value(launch_of(tmp_path, STEPS[name]), "only_steps") is True


@pytest.mark.parametrize("name", OTHERS)
def test_other_loops(tmp_path, name):
    assert value(launch_of(tmp_path, OTHERS[name]), "only_steps") is False


@pytest.mark.parametrize(
    ("bounds", "steps"), [("8", 8), ("2, 9", 7), ("9, 0, -2", 5), ("n", None), ("0, 8, 0", None)]
)
def test_how_many_steps(tmp_path, bounds, steps):
    body = f"for step in range({bounds}):\n    k[8, 64](a, b, step)"
    assert value(launch_of(tmp_path, body), "steps") == steps


SHORT = """
@cuda.jit
def other(a):
    i = cuda.grid(1)
    if i < 512:
        for j in range(7):
            a[i] += j
"""
LONG = SHORT.replace("range(7)", "range(a.size)")


@pytest.mark.parametrize(
    ("body", "other", "beside"),
    [
        ("for step in range(n):\n    k[8, 64](a, b, n)", SHORT, (0, 0)),
        ("for step in range(n):\n    k[8, 64](a, b, n)\n    k[9, 64](b, a, n)", SHORT, (0, 0)),
        ("for step in range(n):\n    k[8, 64](a, b, n)\n    other[4, 128](a)", SHORT, (512, 7)),
        (
            "for step in range(n):\n    k[8, 64](a, b, n)\n    if step:\n        other[4, 128](a)",
            SHORT,
            (512, 7),
        ),
        ("for step in range(n):\n    k[8, 64](a, b, n)\nother[4, 128](a)", SHORT, (0, 0)),
        ("for step in range(n):\n    k[8, 64](a, b, n)\n    other[n, 128](a)", SHORT, (None, 7)),
        ("for step in range(n):\n    k[8, 64](a, b, n)\n    other[4, 128](a)", LONG, (512, None)),
    ],
)
def test_other_kernels_of_the_loop(tmp_path, body, other, beside):
    text = PROGRAM.replace("def rounded", other.strip("\n") + "\n\ndef rounded")
    text += "\n".join("    " + line for line in body.splitlines()) + "\n"
    launch = next(one for one in records(tmp_path, "launch", text) if one.label == "k")
    assert (value(launch, "other_threads"), value(launch, "other_iterations")) == beside


def test_a_loop_is_looked_at_once_for_all_launches_in_it(tmp_path, monkeypatch):
    asked = []
    for name in ("_only_steps", "steps_fit_in_kernel"):
        found = getattr(launch_loops, name)

        def counted(*given, name=name, found=found):
            asked.append(name)
            return found(*given)

        monkeypatch.setattr(launch_loops, name, counted)
    body = "for step in range(n):\n" + "".join(f"    k[8, 64](a, b, n + {at})\n" for at in range(30))
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    assert len(records(tmp_path, "launch", text)) == 30
    assert sorted(asked) == ["_only_steps", "steps_fit_in_kernel"]

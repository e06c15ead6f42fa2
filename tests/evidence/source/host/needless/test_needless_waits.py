"""Waits in loops that do nothing but launch."""

from __future__ import annotations

import pytest
from surveying import records, value

STEP = "for _ in range(n):\n    step[9, 64](old, new)\n    "
PROGRAM = """
@cuda.jit
def step(old, new):
    i = cuda.grid(1)
    new[i] = old[i]

def both(old, new):
    step[9, 64](old, new)
    step[9, 64](new, old)

def look(old):
    print(old[0])

def main(old, new, n, other):
    stream = cuda.stream()
"""


def between(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    return value(records(folder, "synchronisation", text)[-1], "between_launches")


@pytest.mark.parametrize(
    "body",
    [
        STEP + "cuda.synchronize()",
        STEP + "cuda.current_context().synchronize()",
        STEP + "cuda.synchronize()\n    old, new = new, old",
        "for i in range(n):\n    both(old, new)\n    cuda.synchronize()",
        "i = 0\nwhile i < n:\n    step[9, 64, stream](old, new)\n    stream.synchronize()\n    i += 1",
        "for i in range(n):\n    if i % 2:\n        step[9, 64](old, new)\n    cuda.synchronize()",
    ],
)
def test_nothing_but_launches(tmp_path, body):
    assert between(tmp_path, body) is True


@pytest.mark.parametrize(
    "body",
    [
        STEP + "cuda.synchronize()\n    print(new.copy_to_host())",
        STEP + "cuda.synchronize()\n    if new[0] > 1:\n        pass",
        STEP + "cuda.synchronize()\n    if n:\n        break",
        STEP + "step[9, 64, stream](new, old)\n    cuda.synchronize()",
        STEP + "cuda.synchronize()\n    look(old)",
        "while old[0] > 1:\n    step[9, 64](old, new)\n    cuda.synchronize()",
        "for _ in range(n):\n    cuda.synchronize()",
        STEP + "cuda.synchronize()\n    n.append(time.time())",
    ],
)
def test_the_host_does_something_else(tmp_path, body):
    assert not between(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "step[9, 64](old, new)\ncuda.synchronize()",
        STEP + "cuda.synchronize()\n    other(old)",
    ],
)
def test_what_is_not_told(tmp_path, body):
    assert between(tmp_path, body) is None

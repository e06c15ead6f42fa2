"""Which loops repeat the same work to measure it, and which do work that takes long."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
import time
from timeit import default_timer

@cuda.jit
def k(a):
    a[cuda.grid(1)] = 1

def main(a, b, n, times, timer, trials):
"""
MEASURED = {
    "a clock in the body": "for _ in range(n):\n    t = time.time()\n    k[1, 32](a)\n    times.append(t)",
    "times by the number of the run": (
        "for r in range(n):\n    t = time.time()\n    k[1, 32](a)\n    times[r] = time.time() - t"
    ),
    "a sum of times": (
        "total = 0\nfor r in range(n):\n    t = time.time()\n    k[1, 32](a)\n    total += time.time() - t"
    ),
    "clocks on both sides": (
        "t = default_timer()\nfor _ in range(n):\n    k[1, 32](a)\ncuda.synchronize()\ndefault_timer()"
    ),
    "events on both sides": (
        "start = cuda.event()\nend = cuda.event()\n"
        "start.record()\nfor _ in range(n):\n    k[1, 32](a)\nend.record()"
    ),
}
WORK = {
    "words in names": "for trial in range(trials):\n    timer.tick()\n    k[1, 32](a)\n    elapsed = 1",
    "steps that are called repeats": "for _ in range(trials):\n    k[1, 32](a)",
    "a time printed for each step": (
        "for step in range(n):\n    t = time.time()\n    k[1, 32](a)\n    print(step, time.time() - t)"
    ),
    "arrays that change places": (
        "t = time.time()\nfor _ in range(n):\n    k[1, 32](a)\n    a, b = b, a\nprint(time.time() - t)"
    ),
    "a clock somewhere in the function": (
        "t = time.time()\nc = a.sum()\nfor _ in range(n):\n    k[1, 32](a)\nprint(c)\nprint(time.time() - t)"
    ),
    "items": "for item in n:\n    t = time.time()\n    k[1, 32](item)\n    times.append(time.time() - t)",
    "until it converges": "while a.max() > 1:\n    t = time.time()\n    k[1, 32](a)",
}


def timed(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    (launch,) = records(folder, "launch", text)
    return value(launch, "in_test_or_benchmark")


@pytest.mark.parametrize("name", MEASURED)
def test_a_loop_that_measures(tmp_path, name):
    assert timed(tmp_path, MEASURED[name]) is True


@pytest.mark.parametrize("name", WORK)
def test_a_loop_that_works(tmp_path, name):
    assert timed(tmp_path, WORK[name]) is False

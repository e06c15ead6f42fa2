"""Functions that launch and are timed from elsewhere: whether they return before the device is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

PROGRAM = """
import time, timeit

@cuda.jit
def k(a):
    a[cuda.grid(1)] = 1.0

d = cuda.device_array(4096)

def timed(func):
    def wrapper(*args):
        begin = time.time()
        result = func(*args)
        wrapper.seconds = time.time() - begin
        return result
    return wrapper

def waiting(func):
    def wrapper(*args):
        begin = time.time()
        result = func(*args)
        cuda.synchronize()
        wrapper.seconds = time.time() - begin
        return result
    return wrapper

def logged(func):
    def wrapper(*args):
        print(time.time())
        return func(*args)
    return wrapper

def measure(n, func):
    start = time.perf_counter()
    for _ in range(n):
        func()
    return (time.perf_counter() - start) / n

def run():
    k[16, 256](d)

def run_and_wait():
    k[16, 256](d)
    cuda.synchronize()

def run_and_ask(other):
    k[16, 256](d)
    other()

def host_work():
    return sum(range(1000))

"""
DECORATED = "\n@{}\ndef step(a):\n    k[16, 256](a)\n{}\nstep({})\n"
UNWAITED = {
    "a decorator": DECORATED.format("timed", "", "d"),
    "a function that is given it": "print(measure(5, run))",
    "a lambda": "print(measure(5, lambda: k[16, 256](d)))",
    "timeit": "print(timeit.timeit(lambda: k[16, 256](d), number=20))",
    "timeit of a function": "print(timeit.repeat(run, number=20))",
    "a call between the readings": "start = time.time()\nrun()\nprint(time.time() - start)",
}
OTHERS = {
    "a decorator that waits": DECORATED.format("waiting", "", "d"),
    "a decorator that takes no time": DECORATED.format("logged", "", "d"),
    "a function that copies back": DECORATED.format("timed", "    return a.copy_to_host()", "d"),
    "an array of the host": DECORATED.format("timed", "", "np.zeros(4096)"),
    "arrays of nobody knows where": DECORATED.format("timed", "", "other"),
    "a function that waits": "print(measure(5, run_and_wait))",
    "a function that is not told": "print(measure(5, run_and_ask))",
    "no work of the GPU": "print(measure(5, host_work))",
    "another argument": "print(measure(run, host_work))",
    "timeit of a function that waits": "print(timeit.repeat(run_and_wait, number=20))",
    "timeit of a pair": "print(timeit.timeit(lambda: (k[16, 256](d), cuda.synchronize()), number=20))",
    "a wait behind the call": "start = time.time()\nrun()\ncuda.synchronize()\nprint(time.time() - start)",
    "the time of a launch": "start = time.time()\nrun()\nlaunch_time = time.time() - start",
}


def unwaited(folder: Path, body: str) -> int:
    found = records(folder, "measurement", PROGRAM + body + "\n")
    return sum(value(one, "waits") is False for one in found)


@pytest.mark.parametrize("name", UNWAITED)
def test_times_of_launches(tmp_path: Path, name: str) -> None:
    assert unwaited(tmp_path, UNWAITED[name]) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_other_times(tmp_path: Path, name: str) -> None:
    assert unwaited(tmp_path, OTHERS[name]) == 0

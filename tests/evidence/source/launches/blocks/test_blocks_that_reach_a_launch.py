"""Which of several assigned block sizes reaches a launch, for each way to branch that Python has."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1\n"
LAUNCH = "k[(a.size + 255) // 256, threads](a)"
ONE = {
    "an arm of a match": f"""
def run(mode, a):
    threads = 7
    match mode:
        case 1:
            threads = 256
            {LAUNCH}
""",
    "an asynchronous context": f"""
async def run(source, a):
    threads = 7
    async with source:
        threads = 256
        {LAUNCH}
""",
    "an asynchronous loop": f"""
async def run(source, a):
    threads = 7
    async for item in source:
        threads = 256
        {LAUNCH}
""",
    "a condition that binds": f"""
def run(a):
    threads = 7
    if (threads := 256) and a.size:
        {LAUNCH}
""",
    "behind an arm for every case": f"""
def run(mode, a):
    match mode:
        case 1:
            threads = 256
        case _:
            threads = 256
    {LAUNCH}
""",
}
SEVERAL = {
    "behind an arm": f"""
def run(mode, a):
    threads = 7
    match mode:
        case 1:
            threads = 256
    {LAUNCH}
""",
    "behind a clause": f"""
def run(mode, a):
    threads = 7
    try:
        threads = 256
        mode()
    except ValueError:
        threads = 128
    {LAUNCH}
""",
    "behind an asynchronous loop": f"""
async def run(source, a):
    threads = 7
    async for item in source:
        threads = 256
    {LAUNCH}
""",
    "behind a condition that may bind": f"""
def run(mode, a):
    threads = 7
    if mode and (threads := 256):
        pass
    {LAUNCH}
""",
}


def threads_of_the_launch(folder: Path, host: str) -> object:
    (launch,) = records(folder, "launch", KERNEL + host)
    return value(launch, "block_threads")


@pytest.mark.parametrize("host", ONE.values(), ids=list(ONE))
def test_the_one_that_reaches_it(tmp_path: Path, host: str) -> None:
    assert threads_of_the_launch(tmp_path, host) == 256


@pytest.mark.parametrize("host", SEVERAL.values(), ids=list(SEVERAL))
def test_none_where_several_reach_it(tmp_path: Path, host: str) -> None:
    assert threads_of_the_launch(tmp_path, host) is None

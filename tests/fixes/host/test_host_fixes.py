"""Fixes of host code: copies that do not wait, page-locked batches, a wait before the clock is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixing import fixed

TORCH = "import time\nimport torch\nfrom torch.utils.data import DataLoader\n\n\n"
BATCHES = TORCH + (
    "def train(data, model):\n"
    '    device = torch.device("cuda")\n'
    "    loader = DataLoader(data, num_workers=2, pin_memory=True)\n"
    "    for x in loader:\n"
    "        {line}\n"
)
NON_BLOCKING = [
    ("x = x.to(device)", "x = x.to(device, non_blocking=True)"),
    ("x = x.cuda()", "x = x.cuda(non_blocking=True)"),
    ("x = x.to(device=device)", "x = x.to(device=device, non_blocking=True)"),
    ("x = x.to(device, non_blocking=False)", "x = x.to(device, non_blocking=True)"),
    ("x = x.to(device,)", "x = x.to(device, non_blocking=True,)"),
    ("model(x.to(device))  # here", "model(x.to(device, non_blocking=True))  # here"),
]


@pytest.mark.parametrize(("before", "after"), NON_BLOCKING)
def test_copies_that_need_not_wait(tmp_path: Path, before: str, after: str) -> None:
    found = fixed(tmp_path, "non-blocking-copy", BATCHES.format(line=before))
    assert found == BATCHES.format(line=after)


@pytest.mark.parametrize(
    "line",
    [
        "x = x.to(device, non_blocking=True)",
        "x = x.to(device, **options)",
        "x = x.to(device, torch.float16)",
        "x = x.to(other)",
        "x = x.to('cpu')",
        "x = x.cpu()",
    ],
)
def test_copies_left_alone(tmp_path: Path, line: str) -> None:
    text = BATCHES.format(line=line)
    assert fixed(tmp_path, "non-blocking-copy", text) == text


def test_a_copy_of_pageable_memory_is_left_alone(tmp_path: Path) -> None:
    text = BATCHES.replace(", pin_memory=True", "").format(line="x = x.to(device)")
    assert fixed(tmp_path, "non-blocking-copy", text) == text


LOADER = (
    TORCH + "def train(data, model):\n    loader = {loader}\n    for x in loader:\n        model(x.cuda())\n"
)
PINNED = [
    ("DataLoader(data)", "DataLoader(data, pin_memory=True)"),
    ("DataLoader(data, pin_memory=False)", "DataLoader(data, pin_memory=True)"),
    (
        "DataLoader(\n        data,\n        num_workers=2,  # two\n    )",
        "DataLoader(\n        data,\n        num_workers=2,\n        pin_memory=True,  # two\n    )",
    ),
]


@pytest.mark.parametrize(("before", "after"), PINNED)
def test_batches_in_pinned_memory(tmp_path: Path, before: str, after: str) -> None:
    found = fixed(tmp_path, "pin-memory", LOADER.format(loader=before))
    assert found == LOADER.format(loader=after)


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(data, pin_memory=True)",
        "DataLoader(data, pin_memory=pinned)",
        "DataLoader(data, **options)",
        "DataLoader(data, 1, False, None, None, 0, None, False)",
        "make(data)",
    ],
)
def test_loaders_left_alone(tmp_path: Path, loader: str) -> None:
    text = LOADER.format(loader=loader)
    assert fixed(tmp_path, "pin-memory", text) == text


def test_a_loader_for_the_cpu_is_left_alone(tmp_path: Path) -> None:
    text = LOADER.replace("x.cuda()", "x").format(loader="DataLoader(data)")
    assert fixed(tmp_path, "pin-memory", text) == text


NUMBA = """\
import time
from time import perf_counter
from numba import cuda as gpu


@gpu.jit
def step(x):
    i = gpu.grid(1)
    if i < x.size:
        x[i] += 1


def run(host):
    x = gpu.to_device(host)
    step[8, 64](x)
    begin = time.time()
    step[8, 64](x)
{end}
"""
CLOCKS = [
    ("    return time.time() - begin", "    gpu.synchronize()\n    return time.time() - begin"),
    (
        "    end = time.time()  # now\n    print(end - begin)",
        "    gpu.synchronize()\n    end = time.time()  # now\n    print(end - begin)",
    ),
    (
        "    print('took', time.time() - begin)",
        "    gpu.synchronize()\n    print('took', time.time() - begin)",
    ),
]


@pytest.mark.parametrize(("before", "after"), CLOCKS)
def test_a_wait_before_the_clock(tmp_path: Path, before: str, after: str) -> None:
    found = fixed(tmp_path, "synchronise-before-clock", NUMBA.format(end=before))
    assert found == NUMBA.format(end=after)


@pytest.mark.parametrize(
    "end",
    [
        "    gpu.synchronize()\n    return time.time() - begin",
        "    x.copy_to_host()\n    return time.time() - begin",
        "    settle(x)\n    return time.time() - begin",
        "    return step[8, 64](x), time.time() - begin",
        "    print('launch overhead', time.time() - begin)",
        "    return time.time()",
        "    print(1); end = time.time(); print(end - begin)",
    ],
)
def test_clocks_left_alone(tmp_path: Path, end: str) -> None:
    text = NUMBA.format(end=end)
    assert fixed(tmp_path, "synchronise-before-clock", text) == text


def test_a_wait_by_the_name_that_the_file_has(tmp_path: Path) -> None:
    text = (
        "import time\nimport torch as t\n\n\ndef run(n):\n    x = t.randn(n, n, device='cuda')\n"
        "    begin = time.time()\n    y = x @ x\n    return y, time.time() - begin\n"
    )
    line = "    return y, time.time() - begin\n"
    after = text.replace(line, "    t.cuda.synchronize()\n" + line)
    assert fixed(tmp_path, "synchronise-before-clock", text) == after


def test_no_name_for_the_library(tmp_path: Path) -> None:
    text = (
        "import time\nfrom torch import randn\n\n\ndef run(n):\n    x = randn(n, n, device='cuda')\n"
        "    begin = time.time()\n    y = x @ x\n    return y, time.time() - begin\n"
    )
    assert fixed(tmp_path, "synchronise-before-clock", text) == text

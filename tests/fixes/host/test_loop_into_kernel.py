"""Host loops over launches of one kernel that become a loop inside of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from launches_in_loops import FORECAST, FORECAST_FIXED, HEAD, INSIDE
from launches_that_stay import KERNEL, LAUNCH, LEFT
from simulated_runs import SimulatedRuns

from advisor.check.pipeline import check
from advisor.fixes.application import chosen, edited, edits_by_path
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

FIX = "loop-into-kernel"


@pytest.mark.parametrize("name", INSIDE)
def test_goes_inside(tmp_path: Path, name: str) -> None:
    before, after = INSIDE[name]
    assert fixed(tmp_path, FIX, HEAD + before) == (HEAD + after).lstrip("\n")


def test_the_simple_form_goes_inside(tmp_path: Path) -> None:
    """All that are left alone differ from this one in a single thing."""
    after = fixed(tmp_path, FIX, HEAD + KERNEL + "\n" + LAUNCH)
    assert "    for step in" not in after.split("def run")[1]
    assert "        for step in range(steps):\n            out[i] += x[i] * step\n" in after


@pytest.mark.parametrize(
    "behind",
    [
        "step = 3\n    return step",
        "for step in range(3):\n        x[0] = step",
        "return [step for step in range(3)]",
        "return lambda step: step",
    ],
)
def test_the_counter_is_something_else_behind(tmp_path: Path, behind: str) -> None:
    after = fixed(tmp_path, FIX, f"{HEAD}{KERNEL}{LAUNCH}    {behind}\n")
    assert after.endswith(f"    advance[blocks, 64](x, out, len(x), int(steps))\n    {behind}\n")


@pytest.mark.parametrize(
    "sizes",
    [
        "blocks, threads = (len(x) + 63) // 64, 64",
        "(blocks, rest), threads = x.shape, 64\n    blocks = 3",
        "blocks, rest = x.shape\n    threads = (64, 1)",
    ],
)
def test_sizes_of_the_launch_that_are_unpacked(tmp_path: Path, sizes: str) -> None:
    text = f"{HEAD}{KERNEL}{LAUNCH}".replace("blocks = (len(x) + 63) // 64", sizes).replace(
        "blocks, 64", "blocks, threads"
    )
    known = "rest), " not in sizes
    assert ("    for step in" not in fixed(tmp_path, FIX, text).split("def run")[1]) is known


def test_kernel_and_loops_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text((HEAD + KERNEL).lstrip("\n"))
    host_text = (
        "from numba import cuda\nfrom k import advance\n"
        + LAUNCH
        + LAUNCH.replace("def run", "def again").replace("range(steps)", "range(7)")
    )
    (tmp_path / "host.py").write_text(host_text)
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), workspace_files=()
    )
    report = check([tmp_path / "k.py", tmp_path / "host.py"], options)
    edits = edits_by_path(chosen(report.findings, ("needs review",)))
    kernel_after, host_after = (
        edited((tmp_path / name).read_text(), edits[name]) for name in ("k.py", "host.py")
    )
    assert "def advance(x, out, n, step_count):" in kernel_after
    assert "        for step in range(step_count):\n            out[i] += x[i] * step\n" in kernel_after
    assert "for " not in host_after
    assert "    advance[blocks, 64](x, out, len(x), int(steps))\n" in host_after
    assert "    advance[blocks, 64](x, out, len(x), 7)\n" in host_after


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    text = (HEAD + LEFT[name]).lstrip("\n")
    assert fixed(tmp_path, FIX, text) == text


def test_line_ends_stay(tmp_path: Path) -> None:
    before, after = ((HEAD + text).lstrip("\n").replace("\n", "\r\n") for text in (FORECAST, FORECAST_FIXED))
    assert fixed(tmp_path, FIX, before) == after


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(sorted(INSIDE)), st.integers(0, 6), st.integers(3, 70), st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, name: str, steps: int, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    past, weights = random.random((rows, 21), np.float32), random.random((rows, 3), np.float32)
    before, after = (simulated.call(HEAD + text, "run", past, weights, steps) for text in INSIDE[name])
    assert before.dtype == after.dtype
    np.testing.assert_array_equal(before, after)

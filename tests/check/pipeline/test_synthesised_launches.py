"""A check makes up launches where none is known: what is told of them, and where none are."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from advisor_command import AdvisorCommand, AdvisorHere

# Neighbouring lanes walk along rows of their own: a sector for each lane, where 32 elements of 4 bytes lie
# in 4 sectors. What each lane writes lies beside its neighbour's.
KERNEL = """\
import numpy as np
from numba import cuda


@cuda.jit("void(float32[:, ::1], float32[::1])")
def first(a, out):
    i = cuda.grid(1)
    if i < out.size and i < a.shape[0]:
        for j in range(a.shape[1]):
            out[i] += a[i, j]


def launch(a, out):
    first[16, 128](a, out)
"""
WORKLOAD = """

def workload():
    first[2, 128](np.zeros((256, 16), np.float32), np.zeros(256, np.float32))
"""
RULE = ("--select", "uncoalesced-access")


@pytest.fixture
def synthesising(compiler: None) -> AdvisorHere:
    """The command, in this process: what makes launches up is started for the first of these tests alone."""
    return AdvisorHere(synthesis=True)


def evidence(finding: dict[str, Any]) -> dict[str, tuple[object, str]]:
    return {one["metric"]: (one["value"], one["source"]) for one in finding["evidence"]}


def test_a_finding_has_the_numbers_of_launches_that_were_made_up(
    advise: AdvisorCommand, compiler: None, workspace: Path
) -> None:
    """Two processes: what the first one stored serves the second."""
    synthesising = replace(advise, synthesis=True)
    (workspace / "k.py").write_text(KERNEL)
    outcome = synthesising.check(*RULE, cwd=workspace)
    (finding,) = outcome.findings
    assert evidence(finding)["sectors_per_request"] == (32.0, "synthesised")
    assert evidence(finding)["ideal_sectors_per_request"] == (4.0, "synthesised")
    (words,) = [one for one in finding["assumptions"] if one.startswith("Synthesised launch:")]
    assert words.startswith("Synthesised launch: grid 16, block 128 [from k.py:14], ")
    assert words.endswith(", float32[:,::1], float32[::1]; 2 others agree.")
    # The second check has it from the cache.
    assert synthesising.check(*RULE, cwd=workspace).findings == outcome.findings


def test_the_block_that_is_assumed_is_said_once(synthesising, workspace):
    """Numbers of the source and of synthesised launches meet in one finding and rest on the same block."""
    (workspace / "k.py").write_text(KERNEL.partition("def launch")[0])
    (finding,) = synthesising.check(*RULE, cwd=workspace).findings
    sources = {source for _, source in evidence(finding).values()}
    assert sources >= {"source", "synthesised"}
    assert [one for one in finding["assumptions"] if "256" in one and "assumed" in one] == [
        "The block shape is not known here; 256 threads are assumed."
    ]


def test_nothing_is_made_up_where_that_is_not_wanted(synthesising, workspace):
    (workspace / "k.py").write_text(KERNEL)
    for argv in (["--no-synthesis"], ["--evidence", "compiled"], ["--config", "synthesis = false"]):
        (finding,) = synthesising.check(*RULE, *argv, cwd=workspace).findings
        assert evidence(finding)["sectors_per_request"] == (32.0, "source")


@pytest.mark.skipif(sys.platform != "linux", reason="workloads run on Linux")
def test_launches_that_ran_take_the_place_of_those_that_are_made_up(synthesising, workspace):
    (workspace / "k.py").write_text(KERNEL + WORKLOAD)
    (finding,) = synthesising.check(*RULE, cwd=workspace).findings
    assert evidence(finding)["sectors_per_request"] == (32.0, "simulated")
    # Where the workload is not wanted there is none.
    (finding,) = synthesising.check(*RULE, "--evidence", "synthesised", cwd=workspace).findings
    assert evidence(finding)["sectors_per_request"] == (32.0, "synthesised")


def test_what_there_was_no_time_for_is_said_and_had_with_the_next_check(synthesising, workspace):
    (workspace / "k.py").write_text(KERNEL)
    asked = (*RULE, "--config", "synthesis-seconds = 0.001")
    outcome = synthesising("check", *asked, cwd=workspace)
    assert "note: 1 kernel has no synthesised launches yet: 0.001 s were not enough" in " ".join(
        outcome.out.decode().split()
    )
    (finding,) = synthesising.check(*RULE, cwd=workspace).findings
    assert evidence(finding)["sectors_per_request"][1] == "synthesised"


def test_why_a_rule_fires_shows_each_of_the_launches(synthesising, workspace):
    (workspace / "k.py").write_text(KERNEL)
    shown = synthesising("rules", "why", RULE[1], "k.py", cwd=workspace).out.decode()
    _, _, told = shown.partition("Synthesised launches of first:\n")
    launches = [line for line in told.splitlines() if "of the lanes active" in line]
    assert len(launches) == 6
    assert [one.endswith("of branches alone") for one in launches] == [False] * 3 + [True] * 3
    assert launches[0].startswith("  1. round sizes: grid 16, block 128; a 2048 x ")
    assert "  Numbers hold for full warps: " in told
    assert "  k.py:10: access `a` load: sectors_per_request = 32 in all 3" in told
    made = json.loads(synthesising("rules", "why", RULE[1], "k.py", "--format", "json", cwd=workspace).out)[
        "synthesised"
    ]
    assert [one["variant"] for one in made["launches"]] == ["round sizes", "other sizes", "odd sizes"]
    at_edges = [one["variant"] for one in made["launches_at_edges"]]
    assert at_edges == ["inner blocks", "small sizes", "one block"]


def test_a_kernel_that_never_ends_is_unknown_with_a_sentence(synthesising, workspace):
    (workspace / "k.py").write_text(
        "from numba import cuda\n\n\n@cuda.jit('void(int32[::1])')\ndef spin(a):\n"
        "    while a[0] < 5 or a[0] >= 5:\n        a[0] += 1\n"
    )
    shown = synthesising("explain", "k.py::spin", cwd=workspace).out.decode()
    assert (
        "Nothing is known of launches that were made up: Launches of the kernel that were made up did "
        in (" ".join(shown.split()))
    )


def test_the_time_of_an_element_is_predicted_at_a_grid_that_fills_the_device(synthesising, workspace):
    (workspace / "k.py").write_text(
        "from numba import cuda\n\n\n@cuda.jit('void(float32[::1], float32[::1])')\ndef copy(a, b):\n"
        "    i = cuda.grid(1)\n    if i < b.size:\n        b[i] = a[i]\n"
    )
    told = "Predicted at a grid that fills NVIDIA T4: "
    for argv in (["explain", "k.py::copy"], ["rules", "why", RULE[1], "k.py"]):
        shown = " ".join(synthesising(*argv, "--device", "T4", cwd=workspace).out.decode().split())
        words = shown.partition(told)[2].partition(".  ")[0].split()
        # 8 bytes of 320 GB/s take 25 ps.
        assert float(words[0]) < 0.025 < float(words[2])
        assert words[3:10] == ["ns", "an", "element,", "limited", "by", "DRAM", "bandwidth."]


def test_no_time_is_predicted_where_it_follows_from_sizes(synthesising, workspace):
    (workspace / "k.py").write_text(KERNEL)
    shown = " ".join(synthesising("explain", "k.py::first", cwd=workspace).out.decode().split())
    assert "No time by element is predicted. Launches that were made up differ in the machine" in shown
    shown = synthesising("explain", "k.py::first", "--format", "json", cwd=workspace).out
    assert json.loads(shown)["element_time"].startswith("No time by element is predicted.")

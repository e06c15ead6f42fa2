"""Launches that differ in numbers, contents or closures have counts of their own; equal ones share them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recorded_launches import recorded

from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.evidence import LaunchEvidence, launch_evidence
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.model.devices import find_device

HEAD = """\
import warnings

import numpy as np
from numba import cuda

warnings.simplefilter("ignore")


@cuda.jit
def strided(a, o, s):
    i = cuda.grid(1)
    if i < o.size:
        o[i] = a[i * s]


@cuda.jit
def gather(a, idx, o):
    i = cuda.grid(1)
    if i < o.size:
        o[i] = a[idx[i]]


@cuda.jit
def loop(o, n):
    i = cuda.grid(1)
    v = np.float32(0)
    for k in range(n):
        v = v * v + np.float32(k)
    o[i] = v


def made_for(step):
    @cuda.jit
    def made(a, o):
        i = cuda.grid(1)
        if i < o.size:
            o[i] = a[i * step]

    return made


@cuda.jit
def racing(a, n):
    t = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    t[i] = a[i]
    if n == 0:
        cuda.syncthreads()
    a[i] = t[63 - i]


a = cuda.to_device(np.arange(1 << 15, dtype=np.float32))
o = cuda.to_device(np.zeros(1024, np.float32))
"""
WARPS = 32  # 1,024 threads


def counts(project: Path) -> list[dict[str, Any]]:
    """The counts of each launch, in order."""
    query = "SELECT statistics FROM launches JOIN counts ON counts.id = launches.counts ORDER BY number"
    return [json.loads(statistics) for (statistics,) in recorded(project, query)]


def sectors(project: Path, array: str) -> list[int]:
    """The sectors that each launch moved of an array."""
    return [
        sum(one["sectors"] for one in launch["accesses"] if one["array"] == array)
        for launch in counts(project)
    ]


@pytest.fixture
def run(advise, project, script):
    """A function that runs a program made of the kernels above and some launches."""

    def ran(body: str) -> None:
        script(body, head=HEAD)
        done = advise("run", "main.py", cwd=project)
        assert done.status == 0, done.err

    return ran


def test_another_scalar_gives_other_sectors(run, project):
    run("for s in (1, 2, 8, 32):\n    strided[4, 256](a, o, s)\n")
    # 128 bytes of a warp lie in 4 sectors; with a stride of 2 in 8; from 8 elements on each lane has its own.
    assert sectors(project, "a") == [WARPS * 4, WARPS * 8, WARPS * 32, WARPS * 32]
    assert sectors(project, "o") == [WARPS * 4] * 4


def test_other_contents_give_other_sectors(run, project):
    run("""
    for idx in (np.zeros(1024, np.int64), np.arange(1024), np.arange(1024) * 32):
        gather[4, 256](a, cuda.to_device(idx), o)
    """)
    assert sectors(project, "a") == [WARPS, WARPS * 4, WARPS * 32]


def test_another_number_of_iterations_gives_other_instructions(run, project):
    run("for n in (10, 1000, 100000):\n    loop[4, 256](o, n)\n")
    few, more, most = (launch["lane_instructions"] for launch in counts(project))
    # Loops are unrolled, so the instructions of an iteration are not a whole number.
    each = (most - more) / (1024 * 99_000)
    assert each > 1
    assert (more - few) / (1024 * 990) == pytest.approx(each, rel=0.05)


def test_what_a_factory_closes_over_gives_other_sectors(run, project):
    run("for step in (1, 8):\n    made_for(step)[4, 256](a, o)\n")
    assert sectors(project, "a") == [WARPS * 4, WARPS * 32]


def test_a_race_of_a_later_launch_is_seen(run, project):
    run("""
    x = cuda.to_device(np.arange(64, dtype=np.float32))
    for n in (0, 0, 0, 0, 0, 0, 1):
        racing[1, 64](x, n)
    """)
    defects = [json.loads(text) for (text,) in recorded(project, "SELECT defects FROM counts")]
    assert "race" in {one["kind"] for each in defects for one in each}


def test_equal_launches_share_their_counts(run, project):
    run("for _ in range(100):\n    strided[4, 256](a, o, 2)\n")
    assert sectors(project, "a") == [WARPS * 8] * 100
    # Some are looked at access by access, the others are not.
    assert len(recorded(project, "SELECT id FROM counts")) == 2


def test_many_different_launches_fill_no_disk(run, project):
    run("""
    import random
    for n in random.Random(1).sample(range(1000, 2000), 600):
        loop[1, 32](o, n)
    """)
    kept = recorded(project, "SELECT id FROM counts")
    assert 256 <= len(kept) < 280
    assert len(recorded(project, "SELECT id FROM launches")) == 600


def evidence(project: Path) -> LaunchEvidence:
    """What the record tells of main.py."""
    device = find_device("a100-80gb")
    texts = {"main.py": (project / "main.py").read_text()}
    return launch_evidence(
        LaunchStore(project), project, device, texts, partial(launch_weight, device=device)
    )


def test_a_kernel_is_judged_by_its_longest_launch(run, project):
    run("for s in (1, 32, 2, 4, 16):\n    strided[4, 256](a, o, s)\n")
    (kernel, *_) = evidence(project).records
    reading = kernel.readings["global_sectors_per_request"]
    assert reading.value == 18.0  # 32 of `a` and 4 of `o`
    assert "block 256, predicted to take longest of 5 launches, " in reading.assumptions[0]
    assert kernel.readings["launches"].value == 5.0


def test_a_warm_up_decides_nothing(run, project):
    run("for n in (10, 1000, 1000, 1000, 1000, 1000):\n    loop[4, 256](o, n)\n")
    (kernel, *_) = evidence(project).records
    reading = kernel.readings["warp_instructions"]
    assert reading.value == max(one["warp_instructions"] for one in counts(project))
    assert (
        "one of 5 with the same counts, predicted to take longest together of 6 launches"
        in reading.assumptions[0]
    )
    # The second launch was looked at access by access, so that is what is told.
    assert "l2_hit_rate" in kernel.readings


def test_what_was_not_counted_is_said(run, project):
    run("for n in range(1000, 1300):\n    loop[1, 32](o, n)\n")
    (kernel, *_) = evidence(project).records
    assumptions = kernel.readings["warp_instructions"].assumptions
    lacking = 300 - len(recorded(project, "SELECT id FROM launches WHERE counts IS NOT NULL"))
    assert lacking > 0
    assert f"{lacking} of the launches have no counts in the record." in assumptions


def test_equal_launches_are_told_to_be_so(run, project):
    run("for _ in range(3):\n    strided[4, 256](a, o, 2)\n")
    (kernel, *_) = evidence(project).records
    (assumption,) = kernel.readings["warp_instructions"].assumptions
    assert "grid 4, block 256, as all 3 launches" in assumption


def test_the_defect_of_a_light_launch_is_told_with_its_place(run, project):
    run("""
    x = cuda.to_device(np.zeros(16, np.float32))
    strided[4, 256](a, o, 1)
    strided[1, 32](a, x, 1)
    racing[1, 64](o, 0)
    racing[1, 32](o, 1)
    """)
    defects = [one for one in evidence(project).lines if one.entity == "defect"]
    assert {one.kind for one in defects} == {"uninitialised"}
    assert "block 32" in defects[0].assumptions[0]


def test_a_heavier_launch_without_counts_in_the_record_does_not_get_lost(run, project):
    run("for n in [*range(1000, 1300), 50_000, *range(1300, 1400)]:\n    loop[1, 32](o, n)\n")
    most = max(launch["lane_instructions"] for launch in counts(project))
    assert most > 32 * 50_000

"""`advisor profile` for real: without a GPU times are predicted, and every line says so."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from advisor_command import PROGRAM, AdvisorCommand, AdvisorHere

from advisor.evidence.simulated.launches.recording.gpu_launches import has_gpu
from advisor.model.devices import find_device
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, Run, RunFacts, Timing
from advisor.model.history.identity import functions
from advisor.model.history.store import HistoryStore
from advisor.runs.profiling.predicted_workload import why_no_time

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or has_gpu(), reason="it is about Linux without a GPU"
)

WORK = """\
import numpy as np
from numba import cuda


@cuda.jit
def twice(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def workload():
    x = cuda.to_device(np.ones(1000, np.float32))
    twice[4, 256](x)
    twice[4, 256](x)
    twice[2, 512](x)


def workload_fails():
    raise ValueError("no data")
"""
GOOD = WORK.split("def workload_fails")[0]


@pytest.fixture
def advise() -> AdvisorHere:
    """The command in this process, which keeps one with Numba imported to run the workloads in."""
    return AdvisorHere()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "work.py").write_text(GOOD)
    return tmp_path


def test_predicted_times_are_marked_and_kept(advise: AdvisorHere, project: Path) -> None:
    done = advise("profile", "work.py", "--label", "first", cwd=project)
    text = done.out.decode()
    assert done.status == 0, done.err
    assert text.startswith("PREDICTED for NVIDIA A100 80GB, no GPU")
    assert "predicted time" in text
    assert "kernel (predicted)" in text
    assert "CV" not in text
    assert "Kept as run 1 (first): 2 fingerprints." in text
    store = HistoryStore(project)
    run = store.run(store.find("first"))
    assert (run.facts.kind, run.facts.executed_on, run.status) == ("profile", "simt", "done")
    assert run.facts.command == "advisor profile work.py"
    shapes = [(one.identity.grid, one.identity.block, one.launches) for one in run.fingerprints]
    assert shapes == [((4, 1, 1), (256, 1, 1), 2), ((2, 1, 1), (512, 1, 1), 1)]
    assert {one.source for one in run.fingerprints} == {"simulated"}
    for one in run.fingerprints:
        assert one.timing is not None
        assert (one.timing.iterations, one.timing.deviation, one.timing.variation) == (1, 0.0, None)
        assert one.timing.mean == one.metrics["predicted_ms"]
        assert "time_mean_ms" not in one.metrics
        assert one.lines
        assert one.identity.source_hash == functions(GOOD)[0].source_hash
    assert run.metrics["transfer_htod_bytes"] == 4000.0
    assert "memcpy_htod_ms" not in run.metrics


def test_json_says_of_each_kernel_that_it_was_predicted(advise: AdvisorHere, project: Path) -> None:
    done = advise("profile", "work.py", "--format", "json", "--no-store", cwd=project)
    content = json.loads(done.out)
    assert (content["basis"], content["run"], content["executed_on"]) == ("predicted", None, "simt")
    (workload,) = content["workloads"]
    assert {kernel["basis"] for kernel in workload["kernels"]} == {"predicted"}
    assert workload["copies"] == {"htod": {"bytes": 4000.0, "ms": None}}
    assert workload["iterations"] is None
    assert not (project / ".advisor" / "history.sqlite").exists()


def test_a_workload_that_fails_leaves_the_others(advise: AdvisorHere, project: Path) -> None:
    (project / "work.py").write_text(WORK)
    done = advise("profile", "work.py", cwd=project)
    assert done.status == 1
    assert "failed: ValueError: no data" in done.out.decode()
    assert len(HistoryStore(project).run(1).fingerprints) == 2


def test_when_none_runs_the_status_tells(advise: AdvisorHere, project: Path) -> None:
    (project / "work.py").write_text(GOOD.replace("x = cuda", "raise ValueError('no data')\n    x = cuda"))
    done = advise("profile", "work.py", cwd=project)
    assert done.status == 2
    assert HistoryStore(project).runs()[0].status == "failed"


def test_a_device_whose_caches_are_unknown_gets_no_time() -> None:
    unknown = replace(find_device("L40S"), l2_bytes=None)
    words = "No time is predicted for NVIDIA L40S: its device file does not know the L2 size."
    assert why_no_time("twice", {}, unknown) == words


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing.py"], "nothing.py"),
        (["empty.py"], "There is no workload in these files"),
        (["notes.ipynb"], "notebooks are only read"),
        (["work.py", "--device", "q9"], "no device called"),
        (["work.py", "--iterations", "0"], "'0' is no number of runs"),
        (["work.py", "--seconds", "nan"], "no number of seconds"),
        (["work.py", "--ncu", "/nowhere/ncu"], "there is no such program"),
    ],
)
def test_wrong_use(advise: AdvisorHere, project: Path, argv: list[str], words: str) -> None:
    (project / "empty.py").write_text("x = 1\n")
    (project / "notes.ipynb").write_text("{}")
    done = advise("profile", *argv, cwd=project)
    assert done.status == 2
    assert words in done.err
    assert not (project / ".advisor" / "history.sqlite").exists()


def test_a_history_of_a_newer_version_does_not_lose_the_profile(advise: AdvisorHere, project: Path) -> None:
    store = HistoryStore(project)
    store.add_run(Run(RunFacts("profile", "", "", 0.0, "h200", "simt")))
    store.close()
    with closing(sqlite3.connect(project / ".advisor" / "history.sqlite")) as connection:
        connection.execute("PRAGMA user_version=9")
    done = advise("profile", "work.py", cwd=project)
    assert done.status == 2
    assert "PREDICTED" in done.out.decode()
    assert "Kept as run" not in done.out.decode()
    assert "newer version" in done.err


def test_a_killed_profile_keeps_what_was_finished(advise: AdvisorHere, project: Path) -> None:
    slow = GOOD.split("def workload")[0] + (
        "def workload():\n    import time\n    open('here', 'w').close()\n    time.sleep(600)\n"
    )
    (project / "a.py").write_text(GOOD)
    (project / "z.py").write_text(slow)
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", "profile", "a.py", "z.py"],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(PROGRAM),
            "HOME": str(project),
            "XDG_CACHE_HOME": str(project / "c"),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not (project / "here").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    run = HistoryStore(project).run(1)
    assert run.status == "broken off"
    assert [one.identity.path for one in run.fingerprints] == ["a.py", "a.py"]
    assert advise("profile", "a.py", cwd=project).status == 0


def measured(text: str = GOOD, **metrics: float) -> Run:
    who = KernelIdentity("twice", "work.py", functions(text)[0].source_hash, (), (4, 1, 1), (256, 1, 1))
    timing = Timing(20, 9.0, 9.0, 0.1, 8.9, 9.1)
    facts = RunFacts("profile", "", "advisor profile", time.time() - 7300, "a100-80gb", "NVIDIA A100 80GB")
    return Run(
        facts,
        {"gpu_utilization": 0.2, "active_kernels": 1.0},
        (Fingerprint(who, "measured", 1, timing, metrics),),
    )


def test_check_uses_measurements_when_asked_to(advise: AdvisorHere, project: Path) -> None:
    HistoryStore(project).add_run(measured(l2_hit_rate=0.1, dram_norm=0.8, dram_rereads=3.0))
    usual = advise.check("work.py", cwd=project)
    assert "poor-l2-locality" not in usual.rules
    asked = advise.check("work.py", "--evidence", "measured", cwd=project)
    (finding,) = [one for one in asked.findings if one["rule"] == "poor-l2-locality"]
    assert {one["source"] for one in finding["evidence"] if one["metric"].endswith("l2_hit_rate")} == {
        "measured"
    }
    assert "Measured on NVIDIA A100 80GB: grid 4, block 256, 2 h ago." in finding["assumptions"]
    assert "gpu-underused" in asked.rules


def test_check_tells_of_measurements_that_are_too_old(advise: AdvisorHere, project: Path) -> None:
    HistoryStore(project).add_run(measured(GOOD.replace("*= 2", "*= 3"), l2_hit_rate=0.1, dram_norm=0.8))
    done = advise("check", "work.py", "--evidence", "measured", cwd=project)
    assert "poor-l2-locality" not in done.out.decode()
    assert "twice has changed since it was measured" in done.out.decode() + done.err


def test_check_goes_on_without_a_history_that_cannot_be_read(advise: AdvisorHere, project: Path) -> None:
    (project / ".advisor").mkdir()
    (project / ".advisor" / "history.sqlite").write_text("no database at all\n" * 20)
    done = advise("check", "work.py", "--evidence", "measured", cwd=project)
    assert done.status in (0, 1)
    said = " ".join((done.out.decode() + done.err).split())
    assert "cannot be used: file is not a database" in said


_DRIVER = """
#include <string.h>
int cuInit(unsigned flags) { return STATUS; }
int cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
int cuDeviceGetName(char *name, int size, int device) { strncpy(name, "Old GPU", size); return 0; }
int cuDriverGetVersion(int *version) { *version = 10020; return 0; }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="a C compiler makes the library in the driver's place")
@pytest.mark.parametrize(
    ("status", "count", "exit_status", "words"),
    [
        (803, 1, 0, "driver and library have other versions (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"),
        (999, 1, 0, "the driver does not start (error 999)"),
        (0, 0, 0, "the driver sees no GPU"),
        (0, 1, 2, "the driver knows CUDA 10.2; it may be too old for this numba-cuda"),
    ],
)
def test_a_driver_that_cannot_be_used(
    project: Path, user_cache: Path, status: int, count: int, exit_status: int, words: str
) -> None:
    advise = AdvisorCommand(project / "home", caches=user_cache)
    advise.home.mkdir()
    (project / "driver.c").write_text(_DRIVER)
    library = project / "library" / "libcuda.so.1"
    library.parent.mkdir()
    flags = ["-shared", "-fPIC", f"-DSTATUS={status}", f"-DCOUNT={count}"]
    subprocess.run(["cc", *flags, "-o", str(library), str(project / "driver.c")], check=True)
    done = advise("profile", "work.py", cwd=project, environment={"LD_LIBRARY_PATH": str(library.parent)})
    assert done.status == exit_status, done.err
    said = " ".join(done.out.decode().split())
    assert words in said
    assert ("Nothing could be measured on Old GPU" in said) == (exit_status == 2)
    kept = HistoryStore(project).run(1)
    assert (kept.status, len(kept.fingerprints)) == (("failed", 0) if exit_status else ("done", 2))


def test_measured_times_get_the_rules_of_the_guide(advise: AdvisorHere, project: Path) -> None:
    run = measured(time_mean_ms=6.0, time_max_ms=14.0, time_min_ms=4.0, time_cv=0.4, timed_launches=20.0)
    metrics = {**run.metrics, "thermal_throttle": 0.5, "other_processes": 2.0}
    HistoryStore(project).add_run(replace(run, metrics=metrics))
    found = advise.check("work.py", "--evidence", "measured", "--select", "measurement", cwd=project)
    assert found.rules == {
        "slow-kernel", "varying-kernel-time", "outlying-launch", "thermal-throttling",
        "gpu-shared-with-others",
    }  # fmt: skip

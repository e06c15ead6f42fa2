"""The way of measuring, tried on the driver that the SIMT machine answers: its events time this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.evidence.simulated.launches.recording.gpu_launches import has_gpu
from advisor.evidence.simulated.launches.workloads import find_workloads
from advisor.model.history.store import HistoryStore
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.profiling.gpu.measured_workload import Amount, measure
from advisor.runs.profiling.profile import Profile, ProfileRequest, profile
from advisor.runs.profiling.worker.process import RunFailed, WorkerProcess

Write = Callable[[str], Path]
DEVICE = "a100-80gb"


def worker(file: Path, seconds: float = 60.0) -> WorkerProcess:
    return WorkerProcess(file.parent, file.name, seconds, simulate=DEVICE)


def profiled(file: Path, **more: object) -> Profile:
    settings = load_config(file.parent)
    options = CheckOptions(DEVICE, file.parent, settings=settings, cache_folder=file.parent / "cache")
    request = ProfileRequest(
        find_workloads(file.name, file.read_text()), options, "advisor profile", "", Amount(1, 2, 0.0),
        simulated_driver=True, **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return profile(request)


def test_launches_and_copies_of_an_iteration(program: Write) -> None:
    file = program("twice[4, 256](x)\ntwice[2, 512, 0, 64](np.ones(3, np.float32))\nx.copy_to_host()")
    with worker(file) as one:
        assert one.gpu()["name"] == "NVIDIA A100 80GB"
        first = one.run("workload", timed=True)
        again = one.run("workload", timed=True)
    for seen in (first, again):
        assert [launch.kernel for launch in seen.launches] == [0, 1]
        # One to the device, and both ways for the NumPy array that is given to a launch.
        copies = [(copy.direction, copy.bytes) for copy in seen.copies]
        assert copies == [("htod", 4000), ("htod", 12), ("dtoh", 12), ("dtoh", 4000)]
        assert all(launch.time > 0 and launch.begin > 0 for launch in seen.launches)
        assert seen.launches[0].begin + seen.launches[0].time <= seen.launches[1].begin
        assert seen.untimed == 0
    assert [(one["name"], one["grid"], one["block"], one["dynamic_shared"]) for one in one.kernels] == [
        ("twice", [4, 1, 1], [256, 1, 1], 0), ("twice", [2, 1, 1], [512, 1, 1], 64),
    ]  # fmt: skip
    assert (one.kernels[0]["path"], one.kernels[0]["line"]) == ("work.py", 6)


def test_the_copy_of_an_argument_is_not_part_of_its_kernel(program: Write) -> None:
    with worker(program("twice[4, 256](np.ones(1000, np.float32))")) as one:
        one.gpu()
        one.run("workload", timed=True)
        seen = one.run("workload", timed=True)
    ((kernel,), (_, before, after)) = seen.launches, seen.copies
    assert before.begin + before.time <= kernel.begin
    assert kernel.begin + kernel.time <= after.begin


def test_without_events_only_the_wall_time_is_told(program: Write) -> None:
    with worker(program("twice[4, 256](x)")) as one:
        one.gpu()
        seen = one.run("workload", timed=False)
    assert (seen.launches, seen.copies) == ((), ())
    assert seen.wall > 0


def test_launches_on_a_stream_are_timed_there(program: Write) -> None:
    body = "s = cuda.stream()\nx.copy_to_device(np.ones(1000, np.float32), stream=s)\ntwice[4, 256, s](x)"
    with worker(program(body)) as one:
        one.gpu()
        seen = one.run("workload", timed=True)
    assert len(seen.launches) == 1
    assert [copy.direction for copy in seen.copies] == ["htod", "htod"]


def test_what_a_workload_prints_and_reads_disturbs_nothing(program: Write) -> None:
    body = 'import sys\nprint("{" * 9)\nsys.stdout.flush()\nassert sys.stdin.read() == ""\ntwice[4, 256](x)'
    with worker(program(body)) as one:
        one.gpu()
        assert len(one.run("workload", timed=True).launches) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('no data')", "ValueError: no data"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import os\nos._exit(7)", "its process ended with status 7"),
        ("twice[4, 2048](x)", "CUDA_ERROR_INVALID_VALUE|INVALID"),
    ],
)
def test_a_workload_that_fails_says_why(program: Write, body: str, words: str) -> None:
    with worker(program(body)) as one:
        one.gpu()
        with pytest.raises(RunFailed, match=words):
            one.run("workload", timed=True)


def test_a_workload_that_does_not_end_is_ended(program: Write) -> None:
    file = program("import time\ntime.sleep(600)")
    with worker(file) as one:
        one.gpu()
        one._seconds = 0.5
        with pytest.raises(RunFailed, match=r"did not end within 0\.5 s"):
            one.run("workload", timed=True)
        pid = one.process_id
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_was_measured_before_a_failure_is_kept(program: Write) -> None:
    """The driver fails from the fifth run on, as it does when a GPU is lost."""
    body = (
        "workload.runs = getattr(workload, 'runs', 0) + 1\ntwice[4, 256](x)\n"
        "if workload.runs > 4:\n"
        "    raise cuda.cudadrv.driver.CudaAPIError(719, 'CUDA_ERROR_LAUNCH_FAILED')"
    )
    with worker(program(body)) as one:
        one.gpu()
        found = measure(one, "workload", Amount(1, 20, 0.0))
    assert len(found.iterations) == 3
    assert "CUDA_ERROR_LAUNCH_FAILED" in found.problem
    profiling = profiled(program(body), keep=False)
    assert len(profiling.run.fingerprints) == 1


def test_a_driver_that_is_lost_leaves_the_other_files_alone(program: Write, project: Path) -> None:
    file = program("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    (project / "other.py").write_text(program("twice[4, 256](x)").read_text())
    program("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    settings = load_config(project)
    options = CheckOptions(DEVICE, project, settings=settings, cache_folder=project / "cache")
    workloads = [
        one for name in (file.name, "other.py") for one in find_workloads(name, (project / name).read_text())
    ]
    found = profile(ProfileRequest(workloads, options, "c", "", Amount(0, 2, 0.0), simulated_driver=True))
    assert [bool(one.problem) for one in found.workloads] == [True, False]
    assert f"status -{signal.SIGKILL.value}" in found.workloads[0].problem
    kept = HistoryStore(project).run(found.run.id or 0)
    assert [one.identity.path for one in kept.fingerprints] == ["other.py"]
    assert kept.status == "done"


def test_a_profile_is_kept_with_its_host_side(program: Write, project: Path) -> None:
    found = profiled(program("twice[4, 256](x)\ntwice[2, 512](x)"))
    kept = HistoryStore(project).run(found.run.id or 0)
    assert kept == found.run
    assert [one.timing.iterations for one in kept.fingerprints if one.timing] == [2, 2]
    assert kept.metrics["kernel_launches"] == 2.0
    assert kept.metrics["transfer_htod_bytes"] == 4000.0
    assert float(kept.metrics["profiling_slowdown"]) > 0
    # Without counters bytes and operations are those of the SIMT machine, and that is said.
    assert kept.fingerprints[0].metrics["achieved_flop_rate"]
    assert any("counted on the simulated GPU" in note for note in kept.notes)
    assert any("NVML cannot be asked" in note for note in kept.notes)
    assert any("Nsight Compute (`ncu`) is not on PATH" in note for note in kept.notes)


@pytest.mark.skipif(has_gpu(), reason="there is a driver here")
def test_no_driver_is_told_once_for_each_workload(program: Write) -> None:
    """Here there is no driver, and this worker asks for the real one."""
    file = program("twice[4, 256](x)")
    with (
        WorkerProcess(file.parent, file.name, 60.0) as one,
        pytest.raises(RunFailed, match="CUDA driver library cannot be found"),
    ):
        one.gpu()

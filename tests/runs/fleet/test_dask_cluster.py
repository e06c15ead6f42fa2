"""Tasks done by the workers of a cluster: each once, whatever dies, and nothing goes on that nobody wants."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from work_on_workers import dies_until, fails, length, many_bytes, noted, text_of, waits

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.errors import AdvisorError, SourceProblem
from advisor.model.processes.units_of_work import Task, ThisMachine, content_key, in_order
from advisor.runs.fleet import dask_cluster
from advisor.runs.fleet.dask_cluster import DaskCluster
from advisor.runs.fleet.on_worker import ResultTooLarge, WrongWorker, refuse
from advisor.runs.fleet.same_program import program_facts
from advisor.runs.verification.measurement import measured_at

KERNELS = """\
import numpy as np
from numba import cuda


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    for _ in range(64):
        x[i] = x[i] * 2


def workload():
    scale[2, 32](cuda.to_device(np.arange(64, dtype=np.float32)))
"""


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def soon(told, seconds=60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if told():
            return True
        time.sleep(0.05)
    return False


def squares(folder, *numbers):
    return [Task(content_key("square", str(folder), one), noted, (str(folder), one)) for one in numbers]


def test_results_are_those_of_this_machine_and_equal_keys_are_done_once(executor, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    asked = (3, 1, 3, 2, 3)
    assert in_order(executor.results(squares(there, *asked))) == [9, 1, 9, 4, 9]
    assert in_order(ThisMachine(2).results(squares(here, *asked))) == [9, 1, 9, 4, 9]
    assert len(list(there.iterdir())) == 3
    assert executor.at_once == 2 and executor.elsewhere


def test_no_tasks_give_no_results(executor):
    assert list(executor.results([])) == []


def test_more_tasks_than_wait_at_the_scheduler_are_all_done(executor, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_LEAST_AHEAD", 3)
    monkeypatch.setattr(dask_cluster, "_AHEAD", 1)
    found = in_order(executor.results(squares(tmp_path, *range(20))))
    assert found == [one * one for one in range(20)]


def test_work_of_a_killed_worker_is_done_again(executor, tmp_path):
    assert executor.result(Task("again-1", dies_until, (str(tmp_path), 2))) == "asked 3 times"


def test_work_that_kills_every_worker_ends_with_a_sentence(executor, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_AGAIN", 1)
    with pytest.raises(AdvisorError, match=r"lost 8 workers over one unit of work \(always\)"):
        executor.result(Task("always-1", dies_until, (str(tmp_path), 99)))


def test_what_others_need_stays_there_and_is_made_again_when_its_worker_is_lost(
    executor, cluster, monkeypatch
):
    held = executor.held(Task("bytes-1", many_bytes, (100_000,)))
    before = executor.received_bytes
    assert executor.result(Task("length-1", length, (held,))) == 100_000
    assert executor.received_bytes - before < 1000
    for nanny in list(cluster.workers.values()):
        os.kill(nanny.process.pid, 9)
    assert executor.result(Task("length-2", length, (held,))) == 100_000


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_who_stops_listening_ends_what_is_under_way(executor, tmp_path):
    file = tmp_path / "process"
    with closing(executor.results([Task("waits-1", waits, (str(file),))], time.monotonic() + 1.0)) as found:
        assert list(found) == []
    assert soon(file.exists)
    assert soon(lambda: not alive(int(file.read_text())))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_what_a_lost_client_asked_for_ends(cluster, tmp_path):
    from distributed import Client

    cluster.wait_for_workers(1, timeout=60)
    file = tmp_path / "process"
    client = Client(cluster.scheduler_address, set_as_default=False)
    executor = DaskCluster(client, "a cluster")
    executor.held(Task("waits-2", waits, (str(file),)))
    assert soon(file.exists)
    process = int(file.read_text())
    assert alive(process)
    client.close()
    assert soon(lambda: not alive(process))


def test_a_task_that_needs_a_gpu_goes_to_a_worker_that_offers_one(executor, cluster, monkeypatch):
    assert executor.gpus
    assert executor.result(Task("gpu-1", length, (b"abc",), on_gpu=True)) == 3
    monkeypatch.setattr(executor._client, "scheduler_info", lambda: {"workers": {"tcp://w": {}}})
    assert not executor.gpus
    with pytest.raises(AdvisorError, match=r"No worker of the cluster \S+ offers a GPU"):
        executor.result(Task("gpu-2", length, (b"abc",), on_gpu=True))
    assert executor.result(Task("gpu-3", length, (b"abcd",))) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="the simulated driver needs Linux")
def test_times_are_measured_in_a_copy_by_a_worker_that_offers_a_gpu(executor, tmp_path):
    (tmp_path / "k.py").write_text(KERNELS)
    versions = ({"k.py": KERNELS}, {"k.py": KERNELS.replace("range(64)", "range(1)")})
    asked = (executor.place(tmp_path), versions, WorkloadFunction("k.py", "workload", 1), ["scale"])
    found = executor.result(Task("measure-1", measured_at, (*asked, "a100-80gb", 60.0, False), on_gpu=True))
    assert len(found.before) == len(found.after) > 0
    assert all(one > 0.0 for one in (*found.before, *found.after))


def test_what_work_raises_is_raised_here(executor):
    with pytest.raises(SourceProblem) as found:
        executor.result(Task("fails-1", fails, ("k.py",)))
    assert (found.value.path, found.value.line, found.value.column) == ("k.py", 3, 7)


def test_a_result_that_is_too_large_is_a_sentence(executor, monkeypatch):
    monkeypatch.setattr(dask_cluster, "MOST_BYTES", 1 << 20)
    with pytest.raises(ResultTooLarge, match=r"takes 2\.0 MB, more than the 1\.0 MB that come back"):
        executor.result(Task("large-1", many_bytes, (2 << 20,)))


def test_a_project_travels_without_what_hides_and_tasks_change_a_copy(executor, tmp_path):
    (tmp_path / "k.py").write_text("x = 1\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rows.csv").write_text("1,2\n")
    (tmp_path / ".env").write_text("PASSWORD=1\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref\n")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    os.mkfifo(tmp_path / "pipe")
    place = executor.place(tmp_path)
    for number in range(2):
        text, files, said = executor.result(Task(f"text-{number}", text_of, (place, "k.py")))
        assert text == "x = 1\n"
        assert files == ["data/rows.csv", "k.py"]
        assert said == f"{tmp_path / 'k.py'}: no data"
    assert (tmp_path / "k.py").read_text() == "x = 1\n"
    assert executor.place(tmp_path) is place
    (tmp_path / "k.py").write_text("x = 2\n")
    assert executor.place(tmp_path).digest != place.digest


def test_a_worker_of_another_version_is_refused(cluster, monkeypatch):
    from advisor.runs.fleet.opening import opened

    monkeypatch.setattr(dask_cluster, "program_facts", lambda: {**program_facts(), "numba": "0.1.0"})
    with (
        pytest.raises(WrongWorker, match=r"worker tcp://\S+ cannot work .*: numba is .* there and 0\.1\.0"),
        opened(cluster.scheduler_address),
    ):
        pass


def test_a_worker_that_comes_later_is_refused_by_its_task(executor, monkeypatch):
    monkeypatch.setattr(executor, "_facts", {**program_facts(), "Kernel Advisor": "9.9"})
    with pytest.raises(WrongWorker, match=r"Kernel Advisor is 0\.1\.0 there and 9\.9 here"):
        executor.result(Task("late-1", length, (b"",)))


@pytest.mark.parametrize(
    ("there", "threads", "said"),
    [
        ({"Python": "3.10"}, 1, "Python is 3.10 there and 3.12 here"),
        ({}, 1, "Python is missing there and 3.12 here"),
        ({"Python": "3.12"}, 1, "nvidia-nvvm is missing there and 13.4 here"),
        ({"Python": "3.12", "nvidia-nvvm": "13.4"}, 1, "the text of Kernel Advisor is another there"),
        ({"Python": "3.12", "nvidia-nvvm": "13.4", "the text of Kernel Advisor": "a"}, 4, "has 4 threads"),
    ],
)
def test_why_a_worker_is_refused(there, threads, said):
    here = {"Python": "3.12", "nvidia-nvvm": "13.4", "the text of Kernel Advisor": "a"}
    with pytest.raises(WrongWorker, match=said.replace(".", r"\.")):
        refuse("tcp://w", there, here, threads)
    refuse("tcp://w", here, here, 1)

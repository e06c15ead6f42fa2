"""Elapsed times of events under `advisor run` are predicted: what is twice as much takes twice as long."""

from __future__ import annotations

import json

import pytest

from advisor.model.devices import find_device

HEAD = """\
import json

import numpy as np
from numba import cuda


@cuda.jit
def strided(a, b, stride):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i * stride % a.size]


a = cuda.to_device(np.ones(1 << 20, np.float32))
b = cuda.device_array(1 << 16, np.float32)


def launch(stride=1, count=1, stream=0):
    for _ in range(count):
        strided[256, 256, stream](a, b, stride)


def timed(work, stream=0):
    begin, end = cuda.event(), cuda.event()
    begin.record(stream)
    work()
    end.record(stream)
    end.synchronize()
    return cuda.event_elapsed_time(begin, end)


"""
BODY = """\
one, other = cuda.stream(), cuda.stream()
host = np.ones(1 << 18, np.float32)
print(json.dumps({
    "nothing": timed(lambda: None),
    "one": timed(launch),
    "two": timed(lambda: launch(count=2)),
    "nine": timed(lambda: launch(count=9)),  # not all of them are looked at closely
    "strided": timed(lambda: launch(stride=33)),
    "one again": timed(launch),
    "copy": timed(lambda: cuda.to_device(host)),
    "side by side": timed(lambda: (launch(stream=one), launch(stream=other))),
    "in one stream": timed(lambda: launch(count=2, stream=one), one),
}))
"""


@pytest.fixture(scope="module")
def times(advise, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    folder = tmp_path_factory.mktemp("events")
    (folder / ".git").mkdir()
    (folder / "main.py").write_text(HEAD + BODY)
    done = advise("run", "--device", "a100-80gb", "main.py", cwd=folder)
    assert done.status == 0, done.err
    assert done.err.count("advisor: elapsed times of events are predicted for NVIDIA A100 80GB.\n") == 1
    found: dict[str, float] = json.loads(done.out)
    return found


def test_nothing_takes_no_time(times: dict[str, float]) -> None:
    assert times["nothing"] == 0.0


def test_so_many_launches_take_so_many_times_as_long(times: dict[str, float]) -> None:
    assert times["one"] > 0.0
    assert times["two"] == pytest.approx(2 * times["one"], rel=1e-6)
    assert times["nine"] == pytest.approx(9 * times["one"], rel=1e-6)
    assert times["one again"] == times["one"]


def test_an_uncoalesced_launch_takes_longer(times: dict[str, float]) -> None:
    # Beside what the launch takes itself.
    launch = find_device("a100-80gb").launch_time
    assert launch is not None and times["one"] > launch * 1e3
    assert times["strided"] - launch * 1e3 > 1.2 * (times["one"] - launch * 1e3)


def test_a_copy_takes_its_bytes_over_the_bus(times: dict[str, float]) -> None:
    # 1 MiB at 32 GB/s, half of the 64 GB/s of both directions; Numba allocates before it copies.
    assert times["copy"] == pytest.approx((1 << 20) / 32e9 * 1e3, rel=1e-6)


def test_streams_overlap(times: dict[str, float]) -> None:
    assert times["side by side"] == pytest.approx(times["one"], rel=1e-6)
    assert times["in one stream"] == pytest.approx(2 * times["one"], rel=1e-6)


def test_programs_without_events_are_told_nothing(advise, project, script) -> None:
    script("twice[1, 32](np.ones(8))\n")
    assert "elapsed" not in advise("run", "main.py", cwd=project).err


def test_a_workload_has_predicted_times_too(advise, project) -> None:
    (project / "k.py").write_text(
        HEAD + "def workload():\n    if not 0.0 < timed(launch) < 0.1:\n        raise ValueError('host')\n"
    )
    done = advise("check", "k.py", cwd=project)
    assert "ValueError" not in done.out.decode() + done.err

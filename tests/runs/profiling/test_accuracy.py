"""Simulated numbers against recordings of GPUs; and the comparison itself, on a small one made by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.model.errors import UsageError
from advisor.runs.profiling.accuracy import compare, read_recording

ROOT = Path(__file__).resolve().parents[3]
RECORDINGS = sorted((ROOT / "tests" / "data" / "devices").glob("*.json"))
SCRIPT = ROOT / "benchmarks" / "record_device.py"


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_simulated_numbers_come_near_the_recorded_ones(file: Path, tmp_path: Path) -> None:
    recorded = read_recording(file)
    target = tmp_path / "simulated.json"
    command = [
        sys.executable,
        str(SCRIPT),
        "--simulate",
        "--device",
        recorded["device"],
        "--output",
        str(target),
    ]
    subprocess.run(command, check=True, timeout=390)
    assert compare(recorded, read_recording(target)).failures() == []


def test_every_recording_is_of_a_gpu() -> None:
    """The page says so as long as there is none: no accuracy is claimed before there is."""
    page = (ROOT / "docs/profiling.md").read_text("utf-8")
    assert ("**No recording of a GPU exists yet.**" in page) == (not RECORDINGS)
    for file in RECORDINGS:
        recorded = read_recording(file)
        assert recorded["basis"] == "measured"
        assert recorded["toolchain"]["driver"]


def entry(kernel: str, time: float | None, launches: int = 1, **metrics: float) -> dict[str, Any]:
    timing = None if time is None else {"median": time}
    return {
        "path": "kernels/k.py", "workload": "workload", "kernel": kernel, "types": ["array"],
        "grid": [4, 1, 1], "block": [256, 1, 1], "dynamic_shared": 0, "launches": launches,
        "timing": timing, "metrics": metrics,
    }  # fmt: skip


def recording(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "entries": list(entries)}


def test_equal_recordings_deviate_nowhere() -> None:
    one = recording(entry("k_first", 2.0, registers=24.0, dram_bytes=1e6), entry("k_improved", 1.0))
    found = compare(one, one)
    assert found.failures() == []
    assert found.median_error == 0.0
    assert {each.aim.metric: each.compared for each in found.metrics if each.compared} == {
        "registers": 1, "dram_bytes": 1,
    }  # fmt: skip


def test_a_known_deviation_is_found() -> None:
    """25 sectors a request instead of 32, and twice the bytes of DRAM."""
    recorded = recording(entry("k", 1.0, global_sectors_per_request=32.0, dram_bytes=1e6))
    found = compare(recorded, recording(entry("k", 1.0, global_sectors_per_request=25.0, dram_bytes=2e6)))
    assert found.failures() == [
        "global_sectors_per_request: 1 of 1 kernels are too far off, such as kernels/k.py::workload: k, "
        "grid 4x1x1, block 256x1x1: 25 simulated, 32 recorded.",
        "dram_bytes: 1 of 1 kernels are too far off, such as kernels/k.py::workload: k, "
        "grid 4x1x1, block 256x1x1: 2e+06 simulated, 1e+06 recorded.",
    ]


@pytest.mark.parametrize(
    ("metric", "recorded", "near", "far"),
    [
        ("registers", 24.0, 24.0, 25.0),
        ("theoretical_occupancy", 0.5, 0.5004, 0.51),
        ("warp_instructions", 1000.0, 1050.0, 1051.0),
        ("warp_execution_efficiency", 0.8, 0.765, 0.75),
        ("l2_hit_rate", 0.5, 0.6, 0.61),
        ("dram_bytes", 1000.0, 800.0, 799.0),
        ("shared_wavefronts", 4096.0, 4096.0, 4200.0),
    ],
)
def test_how_near_is_near_enough(metric: str, recorded: float, near: float, far: float) -> None:
    known = recording(entry("k", None, **{metric: recorded}))
    assert compare(known, recording(entry("k", None, **{metric: near}))).failures() == []
    assert len(compare(known, recording(entry("k", None, **{metric: far}))).failures()) == 1


def test_some_metrics_may_miss_on_a_fifth_of_the_kernels() -> None:
    known = recording(*(entry(f"k{number}", None, l2_hit_rate=0.5) for number in range(5)))
    one_off = recording(
        *(entry(f"k{number}", None, l2_hit_rate=0.9 if number < 1 else 0.5) for number in range(5))
    )
    two_off = recording(
        *(entry(f"k{number}", None, l2_hit_rate=0.9 if number < 2 else 0.5) for number in range(5))
    )
    assert compare(known, one_off).failures() == []
    assert len(compare(known, two_off).failures()) == 1


def test_the_median_error_of_times() -> None:
    known = recording(entry("a", 1.0), entry("b", 2.0), entry("c", 4.0))
    # Errors of 10%, 25% and 300%.
    found = compare(known, recording(entry("a", 1.1), entry("b", 1.5), entry("c", 16.0)))
    assert found.median_error == pytest.approx(0.25)
    assert found.failures() == []
    found = compare(known, recording(entry("a", 1.3), entry("b", 1.4), entry("c", 4.0)))
    assert found.failures() == ["The median error of predicted times is 30%."]


def test_the_order_of_versions() -> None:
    known = recording(entry("k_first", 2.0), entry("k_improved", 1.9))
    found = compare(known, recording(entry("k_first", 2.0), entry("k_improved", 2.1)))
    assert found.failures() == [
        "kernels/k.py::workload: the faster version is predicted to be the slower one."
    ]
    # A version of two kernels counts with both: 2 x 0.6 + 1.0 is more than 2.0, however it is predicted.
    known = recording(entry("k_first", 2.0), entry("a_improved", 0.6, 2), entry("b_improved", 1.0))
    found = compare(
        known, recording(entry("k_first", 2.0), entry("a_improved", 0.4, 2), entry("b_improved", 1.0))
    )
    assert found.wrong_order == ("kernels/k.py::workload",)


def test_what_was_not_simulated_is_told() -> None:
    found = compare(recording(entry("k", 1.0)), recording())
    assert found.failures() == [
        "kernels/k.py::workload: k, grid 4x1x1, block 256x1x1 was recorded, but not simulated."
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "entries": []}', "{}", "\0"])
def test_a_file_that_is_no_recording(tmp_path: Path, text: str) -> None:
    file = tmp_path / "gpu.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="no recording"):
        read_recording(file)


def run(*argv: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *argv], capture_output=True, text=True, timeout=300, check=False, **more
    )


def test_the_recorder_says_that_there_is_no_gpu() -> None:
    from advisor.evidence.simulated.launches.recording.gpu_launches import has_gpu

    if has_gpu():
        pytest.skip("there is a GPU here")
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no GPU here" in done.stderr


def test_what_was_simulated_is_never_written_as_a_recording() -> None:
    done = run("--simulate", "--write")
    assert done.returncode == 2
    assert "recordings of GPUs" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the simulated driver needs Linux")
def test_the_same_program_runs_on_the_simt_machine(tmp_path: Path) -> None:
    target = tmp_path / "simulated.json"
    done = run("--simulate", "--only", "vector_add", "--output", str(target))
    assert done.returncode == 0, done.stderr
    found = read_recording(target)
    assert (found["basis"], found["executed_on"], found["device"]) == ("predicted", "simt", "a100-80gb")
    assert [one["kernel"] for one in found["entries"]] == ["vector_add_first", "vector_add_improved"]
    assert compare(found, found).failures() == []
    assert all(one["lines"] and one["timing"] for one in found["entries"])


@pytest.mark.skipif(sys.platform != "linux", reason="the simulated driver needs Linux")
def test_measuring_takes_only_what_a_gpu_machine_has(tmp_path: Path) -> None:
    """Packages that a GPU machine lacks cannot be imported here, in the recorder and in its processes."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "for name in ('lark', 'rich', 'pygls', 'lsprotocol', 'jinja2'):\n"
        "    sys.modules[name] = None\n"
    )
    import os

    target = tmp_path / "tried.json"
    done = run(
        "--try-driver", "--only", "stride_4", "--no-counters", "--output", str(target),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(target.read_text())["entries"]
    assert (one["kernel"], one["launches"]) == ("strided_load", 1)
    assert one["timing"]["iterations"] >= 20

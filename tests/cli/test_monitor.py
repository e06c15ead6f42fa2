"""`advisor monitor`: on a GPU that a module object stands for, and without one."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "evidence/measured"))

from test_nvml import FakeNvml, NVMLError_GpuIsLost, NVMLError_LibraryNotFound, NVMLError_NotSupported

from advisor.__main__ import main
from advisor.cli.commands import monitor
from advisor.cli.monitoring.view import live_view, trend
from advisor.cli.monitoring.watch import Watch
from advisor.cli.reporting.chosen_runs import comparing_options
from advisor.evidence.measured.nvml import Nvml
from advisor.model.history.store import HistoryStore


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "advisor.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gpu(monkeypatch: pytest.MonkeyPatch, **answers: Any) -> FakeNvml:
    module = FakeNvml(**answers)
    monkeypatch.setitem(sys.modules, "pynvml", module)  # type: ignore[arg-type]
    return module


def stops_after(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """Ctrl-C comes while it waits for the look after these."""
    left = [looks]

    def sleep(_: float) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(monitor, "_wait", sleep)


def test_one_look_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = gpu(monkeypatch, reasons=0x20)
    assert main(["monitor", "--once"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        "NVIDIA H200, utilisation 93%, memory 400 B, SM clock 1500 MHz, temperature 70 °C, power 650 W"
        in line
    )
    assert "clocks held by software thermal slowdown, processes 2; rules: thermal-throttling" in line
    assert module.closed == 1
    assert not (folder / ".advisor").exists()


@pytest.mark.usefixtures("folder")
def test_a_cool_and_busy_gpu_has_no_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu(monkeypatch, reasons=0)
    assert main(["monitor", "--once"]) == 0
    text = capsys.readouterr().out
    assert "clocks held by nothing" in text
    assert "rules:" not in text


@pytest.mark.parametrize(("used", "speaks"), [(30, True), (93, False), (0, False)])
@pytest.mark.usefixtures("folder")
def test_an_idle_gpu_with_kernels_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], used: int, speaks: bool
) -> None:
    gpu(monkeypatch, reasons=0, used=SimpleNamespace(gpu=used, memory=1))
    assert main(["monitor", "--once"]) == 0
    assert ("gpu-underused" in capsys.readouterr().out) is speaks


@pytest.mark.usefixtures("folder")
def test_it_looks_until_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = gpu(monkeypatch)
    stops_after(monkeypatch, 3)
    assert main(["monitor", "--interval", "0.1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert module.closed == 1


def test_what_is_recorded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu(monkeypatch)
    stops_after(monkeypatch, 12)
    assert main(["monitor", "--record", "--label", "night"]) == 0
    assert "Kept as run 1 (night)." in capsys.readouterr().out
    store = HistoryStore(folder)
    run = store.run(1)
    store.close()
    assert (run.facts.kind, run.facts.device, run.facts.executed_on, run.status) == (
        "recording", "h200", "NVIDIA H200", "done",
    )  # fmt: skip
    assert len(run.host["nvml"]["samples"]) == 12
    assert run.metrics["gpu_utilization"] == pytest.approx(0.93)
    assert run.metrics["power_throttle"] == 1.0
    assert "active_kernels" not in run.metrics
    assert "other_processes" not in run.metrics


def test_a_recording_is_no_profile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu(monkeypatch)
    assert main(["monitor", "--once", "--record"]) == 0
    assert main(["report", "latest"]) == 2
    assert main(["report", "monitor"]) == 0


def test_a_gpu_that_is_lost_ends_it_and_what_was_seen_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = gpu(monkeypatch)
    looks = [0]

    def sleep(_: float) -> None:
        looks[0] += 1
        if looks[0] == 2:
            module.answers["used"] = NVMLError_GpuIsLost("GPU is lost")

    monkeypatch.setattr(monitor, "_wait", sleep)
    assert main(["monitor", "--record"]) == 2
    assert capsys.readouterr().err == "advisor: error: The GPU was lost: GPU is lost.\n"
    store = HistoryStore(folder)
    run = store.run(1)
    store.close()
    assert len(run.host["nvml"]["samples"]) == 2
    assert run.notes == ("It ended early: The GPU was lost: GPU is lost.",)


def test_what_was_seen_is_on_the_disk_before_it_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu(monkeypatch)
    kept: list[int] = []

    def sleep(_: float) -> None:
        store = HistoryStore(folder)
        run = store.run(1)
        store.close()
        assert run.status == "running"
        kept.append(len(run.host.get("nvml", {}).get("samples", ())))
        if len(kept) == 11:
            raise KeyboardInterrupt

    monkeypatch.setattr(monitor, "_wait", sleep)
    assert main(["monitor", "--record"]) == 0
    assert kept == [0] * 9 + [10, 10]


def test_without_a_gpu_it_says_so_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu(monkeypatch, init=NVMLError_LibraryNotFound("NVML Shared Library Not Found"))
    for arguments in (["monitor"], ["monitor", "--once", "--record"]):
        assert main(arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.removeprefix("advisor: error: NVML cannot be asked, since no NVIDIA driver is ") == (
            "loaded: NVML Shared Library Not Found. "
            "It belongs to the driver; on a machine without a GPU there is none.\n"
        )
    assert not (folder / ".advisor").exists()


@pytest.mark.usefixtures("folder")
def test_another_gpu_than_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu(monkeypatch)
    assert main(["monitor", "--gpu", "3", "--once"]) == 2
    assert "NVML does not know GPU 3" in capsys.readouterr().err


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "x", "1e9"])
def test_a_wrong_interval(capsys: pytest.CaptureFixture[str], interval: str) -> None:
    assert main(["monitor", f"--interval={interval}"]) == 2
    assert "is no number of seconds" in capsys.readouterr().err


def shown(watch: Watch) -> str:
    console = Console(width=90, record=True, file=io.StringIO(), color_system=None)
    console.print(live_view(watch))
    return console.export_text()


@pytest.mark.usefixtures("folder")
def test_the_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    module = gpu(monkeypatch, reasons=0x20)
    watch = Watch(Nvml(0), comparing_options())
    watch.look()
    module.answers["used"] = SimpleNamespace(gpu=10, memory=5)
    for _ in range(4):
        watch.look()
    text = shown(watch)
    assert "NVIDIA H200, driver 580.65.06" in text
    assert "utilisation" in text
    assert "█▁▁▁▁" in text
    assert "warning[thermal-throttling]" in text
    assert "gpu-underused" in text


@pytest.mark.usefixtures("folder")
def test_what_a_gpu_does_not_tell_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("used", "memory", "power", "heat", "processes", "reasons", "clock", "max_clock", "limit")
    gpu(monkeypatch, **{name: NVMLError_NotSupported("Not Supported") for name in names})
    watch = Watch(Nvml(0), comparing_options())
    watch.look()
    text = shown(watch)
    assert "The rules have nothing to say of this." in text
    assert watch.metrics() == {}
    assert "None" not in text


def test_trends() -> None:
    assert trend([0.0, 0.5, 1.0, None], 1.0) == "▁▅█ "
    assert trend([2.0, 4.0], None) == "▅█"
    assert trend([None, None], None) == ""
    assert trend([0.0], None) == ""


@pytest.mark.usefixtures("folder")
def test_on_a_terminal_the_view_is_drawn_again_and_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu(monkeypatch, reasons=0x20)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    stops_after(monkeypatch, 2)
    assert main(["monitor"]) == 0
    text = capsys.readouterr().out
    assert text.count("NVIDIA H200, driver 580.65.06") >= 2
    assert "thermal-throttling" in text

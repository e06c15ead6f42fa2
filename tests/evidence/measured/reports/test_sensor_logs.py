"""Logs of nvidia-smi: what a GPU's sensors said."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.fingerprints import reading_of
from advisor.model.errors import UsageError

HEAD = "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu"
CLOCKS = "clocks.current.sm [MHz], clocks.max.sm [MHz], clocks_throttle_reasons.active"


def written(tmp_path: Path, *rows: str, head: str = f"{HEAD}, {CLOCKS}") -> Path:
    path = tmp_path / "smi.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def row(use: int, heat: int, clock: int, reasons: str, gpu: int = 0) -> str:
    return f"now, {gpu}, NVIDIA L4, {use} %, 4600 MiB, 23000 MiB, {heat}, {clock} MHz, 2040 MHz, {reasons}"


def test_samples_are_summed_up(tmp_path: Path) -> None:
    path = written(tmp_path, row(20, 60, 2040, "0x0000000000000001"), row(40, 88, 1020, "0x0000000000000040"))
    report = read_report(path)
    assert report.device == "NVIDIA L4"
    assert reading_of(report).metrics == pytest.approx(
        {
            "gpu_utilization": 0.3,
            "thermal_throttle": 0.5,
            "power_throttle": 0.0,
            "sm_clock_norm": 0.75,
            "gpu_temperature": 88.0,
            "device_memory_bytes": 4600 * 2**20,
            "device_memory_share": 0.2,
        }
    )


def test_of_several_gpus_the_one_that_worked_most(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, 40, 300, "0x1"), row(90, 70, 2040, "0x0", gpu=1), row(3, 41, 300, "0x1"))
    report = read_report(path)
    assert reading_of(report).metrics["gpu_utilization"] == 0.9
    assert any("2 GPUs; the one that worked most, 1, is judged" in note for note in report.notes)


def test_units_in_the_heading_and_what_is_not_available(tmp_path: Path) -> None:
    path = written(tmp_path, "now, 0, NVIDIA L4, 50, [N/A], 23000, 60", head=HEAD)
    assert reading_of(read_report(path)).metrics == {"gpu_utilization": 0.5, "gpu_temperature": 60.0}


def test_a_heading_that_comes_again_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, row(20, 60, 2040, "0x1"), f"{HEAD}, {CLOCKS}", row(40, 60, 2040, "0x1"))
    assert reading_of(read_report(path)).metrics["gpu_utilization"] == pytest.approx(0.3)


def test_damaged_logs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"smi\.csv:2: a row has 2 columns where the heading has 10"):
        read_report(written(tmp_path, "now, 0"))
    with pytest.raises(UsageError, match="holds no sample"):
        read_report(written(tmp_path))

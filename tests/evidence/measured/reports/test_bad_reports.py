"""Files that are no reports, or damaged ones: one sentence each, and no crash."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from nsys_export import launch_bound_run

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.formats import ncu_rep
from advisor.evidence.measured.reports.reading import opening
from advisor.model.errors import UsageError

DATA = Path(__file__).parents[3] / "data/reports"
RAW = (DATA / "ncu-raw.csv").read_text()


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_report(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b"\n  \n\n", "is empty"),
        ("foreign.csv", b"name,price\napple,3\n", "none of the reports"),
        ("binary.csv", bytes(range(256)) * 40, "none of the reports"),
        ("other.json", b'{"a": 1}', "none of the reports"),
        (
            "errors.csv",
            b"==PROF== Connected\n==ERROR== The application returned an error code (1).\n",
            "no table",
        ),
        ("header.csv", RAW.splitlines()[2].encode() + b"\n", "holds no launch"),
        ("trace.json", b'{"traceEvents": [{"ph": "X", "cat": "kernel", "na', "cut off"),
        (
            "cpu.json",
            b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "ts": 1, "dur": 1}]}',
            "no events of a GPU",
        ),
        # Without a time within: the name of the test has these bytes in it.
        (
            "cut.json.gz",
            gzip.compress(b'{"traceEvents": [' + b" " * 9000, mtime=0)[:-10],
            "damaged or cut off",
        ),
        ("report.nsys-rep", b"NSYS....", "nsys export"),
        (
            "summary.csv",
            b'"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit",'
            b'"Minimum","Maximum","Average"\n"1","k","2","Occupancy","Achieved Occupancy","%","1","3","2"\n',
            "without `--print-summary`",
        ),
        ("nulls.csv", b'"ID","Kernel Name","a__b.sum"\n"0","k\0","1"\n', "binary"),
    ],
)
def test_what_is_no_report(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert said in refused(path)


@pytest.mark.parametrize("kept", [0.35, 0.6, 0.8, 0.95])
@pytest.mark.parametrize(
    "name", ["ncu-raw.csv", "ncu-details-comma.csv", "ncu-source.csv", "nsys-gpu-trace.csv"]
)
def test_a_file_that_is_cut_off_within_a_row(tmp_path: Path, name: str, kept: float) -> None:
    data = (DATA / name).read_bytes().rstrip()
    end = int(len(data) * kept)
    while data[end - 1 : end] == b"\n" or data[end : end + 1] == b"\n":
        end -= 1
    path = tmp_path / name
    path.write_bytes(data[:end])
    # Where the header itself is cut there is nothing to know the file by, or nothing in it.
    assert any(part in refused(path) for part in ("cut off", "none of the reports", "has no lines"))


def test_unknown_columns_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.csv"
    path.write_text(RAW.replace("lts__t_sector_hit_rate.pct", "l2x__hits_of_tomorrow.pct"))
    assert len(read_report(path).launches) == 3


def test_a_database_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    assert "no export of Nsight Systems" in refused(path)


def test_a_damaged_database(tmp_path: Path) -> None:
    path = launch_bound_run(tmp_path / "run.sqlite")
    path.write_bytes(path.read_bytes()[:6000])
    assert "cannot be read" in refused(path)


def test_a_file_that_grows_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_HARMLESS", 1024**2)
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(b'{"traceEvents": [')
        for _ in range(8):
            stream.write(b" " * 1024**2)
    assert path.stat().st_size < 4e4
    assert "200 times its size" in refused(path)


def test_a_report_of_nsight_compute_without_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ncu_rep.shutil, "which", lambda _: None)
    path = tmp_path / "kernel.ncu-rep"
    path.write_bytes(b"NVR\0rest")
    assert "ncu --import kernel.ncu-rep --csv --page raw" in refused(path)


def fake_ncu(folder: Path, script: str) -> None:
    program = folder / "ncu"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_the_reader_of_nsight_compute_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_ncu(
        tmp_path,
        f'case "$*" in *"--page raw"*) cat "{DATA}/ncu-raw.csv";; *) cat "{DATA}/ncu-source.csv";; esac',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    path = tmp_path / "kernel.ncu-rep"
    path.write_bytes(b"NVR\0rest")
    report = read_report(path)
    assert (len(report.launches), len(report.lines)) == (3, 4)


def test_a_reader_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_ncu(tmp_path, 'echo "==ERROR== made by a newer version" >&2; exit 1')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    path = tmp_path / "kernel.ncu-rep"
    path.write_bytes(b"NVR\0rest")
    assert "made by a newer version" in refused(path)

"""Pages of Nsight Compute longer than a memory: what is kept of a launch, and of several tables of lines."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.measured.reports import ImportedReport, read_report
from advisor.evidence.measured.reports.launch_table import LaunchTable
from advisor.evidence.measured.reports.ncu_launches import NcuLaunch
from advisor.evidence.measured.reports.report import Quantity

DATA = Path(__file__).parents[3] / "data/reports"
UNASKED = 400
LAUNCHES = 3000
IDENTITY = ["Process ID", "Process Name", "Kernel Name", "Block Size", "Grid Size", "CC"]
COPY = ["17", "app", "copy(float *)", "(256, 1, 1)", "(64, 1, 1)", "8.0"]


def most_memory(page: Path) -> tuple[ImportedReport, int]:
    tracemalloc.start()
    report = read_report(page)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return report, most


def test_a_long_raw_page_needs_little_memory(tmp_path: Path) -> None:
    """Of 402 counters two are asked for: 16 bytes of each launch, which takes 3 kB there."""
    page = tmp_path / "raw.csv"
    with page.open("w", newline="") as stream:
        write = csv.writer(stream, quoting=csv.QUOTE_ALL).writerow
        unasked = [f"vendor__counter_{number}.sum" for number in range(UNASKED)]
        write(["ID", *IDENTITY, "gpu__time_duration.sum", "launch__registers_per_thread", *unasked])
        write(["", *[""] * len(IDENTITY), "us", "register/thread", *["inst"] * UNASKED])
        for number in range(LAUNCHES):
            write([number, *COPY, f"{number % 7 + 1}.50", "32", *["1,024"] * UNASKED])
    report, most = most_memory(page)
    (copy,) = report.launches
    assert copy.launches == LAUNCHES
    assert list(copy.durations[:3]) == pytest.approx([0.0015, 0.0025, 0.0035])
    assert copy.values[1] == {
        "gpu__time_duration.sum": Quantity(2.5, "us"),
        "launch__registers_per_thread": Quantity(32.0, "register/thread"),
    }
    assert unasked[0] in report.columns
    assert page.stat().st_size > 9e6
    assert most < 1.5e6


def test_a_long_details_page_needs_little_memory(tmp_path: Path) -> None:
    page = tmp_path / "details.csv"
    with page.open("w", newline="") as stream:
        write = csv.writer(stream, quoting=csv.QUOTE_ALL).writerow
        write(["ID", *IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"])
        for number in range(LAUNCHES):
            write([number, *COPY, "GPU Speed Of Light Throughput", "Duration", "us", "2.50"])
            write([number, *COPY, "Occupancy", "Achieved Occupancy", "%", "50.25"])
            for other in range(20):
                write([number, *COPY, "Vendor", f"Other {other}", "inst", "1,024"])
    report, most = most_memory(page)
    (copy,) = report.launches
    assert (copy.launches, len(copy.durations)) == (LAUNCHES, LAUNCHES)
    assert set(copy.values[-1]) == {
        "GPU Speed Of Light Throughput|Duration",
        "Occupancy|Achieved Occupancy",
    }
    assert page.stat().st_size > 6e6
    assert most < 3e6


def test_rows_of_launches_may_stand_in_any_order(tmp_path: Path) -> None:
    """Each launch has its own times, also where another one's rows stand between its own."""
    page = tmp_path / "details.csv"
    rows = [
        ["1", *COPY, "Occupancy", "Achieved Occupancy", "%", "25.50"],
        ["0", *COPY, "GPU Speed Of Light Throughput", "Duration", "us", "3.50"],
        ["1", *COPY, "GPU Speed Of Light Throughput", "Duration", "ms", "4.50"],
        ["0", *COPY, "Occupancy", "Achieved Occupancy", "%", "75.50"],
    ]
    header = ["ID", *IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"]
    with page.open("w", newline="") as stream:
        csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    (copy,) = read_report(page).launches
    assert list(copy.durations) == pytest.approx([4.5, 0.0035])
    assert [one["Occupancy|Achieved Occupancy"].value for one in copy.values] == [25.5, 75.5]


def test_of_several_tables_of_a_kernel_that_with_most_samples_counts(tmp_path: Path) -> None:
    """The second launch has ten times the samples, all of them on line 10; the third as many as the first."""
    first = (DATA / "ncu-source.csv").read_text()
    kernel = first[: first.index('"Kernel Name","void scan_tile')]
    second = kernel.replace('"40","30","40"', '"0","0","0"').replace(
        '"160","150","160"', '"2000","1500","2000"'
    )
    page = tmp_path / "source.csv"
    page.write_text(kernel + second + kernel)
    report = read_report(page)
    assert [(one.line, one.values["Share Of Samples"].value) for one in report.lines] == [(8, 0.0), (10, 1.0)]
    assert report.notes == (
        "2 tables of lines are of further launches; of each kernel the one with most samples counts.",
    )


QUANTITIES = st.one_of(
    st.builds(Quantity, st.floats(allow_nan=False), st.sampled_from(["", "us", "ms"])),
    st.builds(Quantity, st.sampled_from(["yes", "no"])),
)
PUTS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc"), QUANTITIES))


@given(PUTS)
def test_a_table_is_as_a_dictionary_for_each_launch(puts: list[tuple[int, str, Quantity]]) -> None:
    table, plain = LaunchTable(), [dict[str, Quantity]() for _ in range(5)]
    for number in range(5):
        assert table.add(NcuLaunch(f"kernel {number % 2}", None, None)) == number
    for number, name, value in puts:
        table.put(number, name, value)
        plain[number][name] = value
    assert [table.values(number) for number in range(5)] == plain
    assert [one.launches for one in table.gathered()] == [3, 2]
    assert [dict(each) for one in table.gathered() for each in one.values] == [
        plain[number] for number in (0, 2, 4, 1, 3)
    ]

"""Exponents of times over sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_history import fingerprint, run

from advisor.model.history.fingerprint import Fingerprint
from advisor.model.history.store import HistoryStore
from advisor.runs.comparison.ranking.scaling import exponent_of, kept_scaling, scaling_of


def sized(grid: int, time: float, **metrics: float) -> Fingerprint:
    return fingerprint(samples=(time,), grid=grid, block=1, metrics=metrics)


def test_twice_the_data_twice_the_time() -> None:
    found = scaling_of([sized(100, 1.0), sized(200, 2.0), sized(400, 4.0)])
    assert found is not None
    assert found.exponent == pytest.approx(1.0)
    assert (found.expected, found.work, found.growth) == (1.0, "", "as expected")


def test_a_matrix_of_twice_the_side_eight_times_the_time() -> None:
    """n x n threads, n**3 operations: four times the threads, eight times the work and the time."""
    found = scaling_of([sized(n * n, n**3 / 1e6, flops=2.0 * n**3) for n in (64, 128, 256)])
    assert found is not None
    assert (found.exponent, found.expected) == (pytest.approx(1.5), pytest.approx(1.5))
    assert (found.work, found.growth) == ("flops", "as expected")


def test_time_that_outgrows_the_work_is_steeper() -> None:
    found = scaling_of([sized(n, n**2 / 1e6, dram_bytes=8.0 * n) for n in (100, 200, 400)])
    assert found is not None
    assert (found.exponent, found.expected, found.growth) == (
        pytest.approx(2.0),
        pytest.approx(1.0),
        "steeper",
    )


def test_a_kernel_that_waits_is_flatter() -> None:
    found = scaling_of([sized(100, 0.010), sized(200, 0.011), sized(400, 0.012)])
    assert found is not None
    assert found.growth == "flatter"


def test_work_that_not_all_sizes_know_is_not_used() -> None:
    found = scaling_of([sized(100, 1.0, flops=1e6), sized(200, 2.0), sized(400, 4.0)])
    assert found is not None
    assert found.work == ""


@pytest.mark.parametrize(
    "those",
    [
        [],
        [sized(100, 1.0), sized(200, 2.0)],
        [sized(100, 1.0), sized(100, 2.0), sized(100, 3.0)],
        [sized(100, 1.0), sized(110, 1.1), sized(120, 1.2)],
        [replace(sized(size, 1.0), timing=None) for size in (100, 200, 400)],
    ],
)
def test_too_few_or_too_near_sizes_have_none(those: list[Fingerprint]) -> None:
    assert scaling_of(those) is None


@given(st.floats(0.1, 3.0), st.floats(1e-3, 1e3))
def test_the_exponent_of_a_power_law_is_found(exponent: float, factor: float) -> None:
    sizes = [10.0, 30.0, 100.0, 1000.0]
    assert exponent_of(sizes, [factor * size**exponent for size in sizes]) == pytest.approx(exponent)


@pytest.mark.parametrize(("sizes", "values"), [([1.0, 1.0], [1.0, 2.0]), ([1.0, 2.0], [0.0, 1.0])])
def test_what_has_no_exponent_is_refused(sizes: list[float], values: list[float]) -> None:
    with pytest.raises(ValueError, match="exponent"):
        exponent_of(sizes, values)


def test_over_the_runs_of_a_history_the_latest_of_each_size(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    store.add_run(run(sized(100, 99.0)))
    for grid in (100, 200, 400):
        store.add_run(run(sized(grid, grid / 100), sized(7, 1.0)))
    store.add_run(run(sized(800, 1e6), device="h100-sxm"))
    store.add_run(run(replace(sized(1600, 1e6), source="simulated"), executed_on="simt"))
    found = kept_scaling(store, sized(400, 4.0), "a100-80gb")
    store.close()
    assert found is not None
    assert [(point.threads, point.time_ms) for point in found.points] == [
        (7, 1.0), (100, 1.0), (200, 2.0), (400, 4.0),
    ]  # fmt: skip


def test_other_code_is_another_kernel(tmp_path: Path) -> None:
    store = HistoryStore(tmp_path)
    for grid in (100, 200, 400):
        store.add_run(run(fingerprint(samples=(1.0,), grid=grid, source_hash=f"{grid:016x}")))
    assert kept_scaling(store, fingerprint(source_hash=f"{100:016x}"), "a100-80gb") is None
    store.close()

"""Predicted times of copies, and the name by which processes find the predictor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.evidence.metrics.predicted_times import NAME, PredictedTimes
from advisor.evidence.simulated.driver.predicted_clock import named_predictor
from advisor.model.devices import find_device

# 32 GB/s over the bus in each direction, 1 TB/s at the peak of DRAM, of which 89% are attained.
DEVICE = replace(find_device("A100"), pcie_bandwidth=64e9, dram_bandwidth=1e12, dram_share=0.89)


@pytest.mark.parametrize(
    ("kind", "milliseconds"),
    [("bus", 32e6 / 32e9 * 1e3), ("fill", 32e6 / 0.89e12 * 1e3), ("device", 2 * 32e6 / 0.89e12 * 1e3)],
)
def test_the_time_of_32_megabytes(kind, milliseconds: float) -> None:
    assert PredictedTimes(DEVICE).copy_ms(kind, 32_000_000) == pytest.approx(milliseconds)
    assert PredictedTimes(DEVICE).copy_ms(kind, 0) == 0.0


def test_an_unknown_bandwidth_gives_no_time() -> None:
    unknown = PredictedTimes(replace(DEVICE, pcie_bandwidth=None, dram_bandwidth=None))
    assert [unknown.copy_ms(kind, 1) for kind in ("bus", "device", "fill")] == [None, None, None]


def test_it_is_found_by_its_name() -> None:
    found = named_predictor(NAME, DEVICE)
    assert isinstance(found, PredictedTimes) and found.device is DEVICE

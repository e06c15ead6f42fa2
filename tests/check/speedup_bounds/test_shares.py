"""The share of each kernel in the time of a run: all of its launches as they are, not as the longest is."""

from __future__ import annotations

import pytest

from advisor.check.speedup_bounds.shares import time_shares
from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Record
from advisor.model.text.source_text import Span


def kernel(name: str, **known: float) -> Record:
    record = Record("kernel", name, "a.py", Span(1), name)
    record.know("simulated", **known)
    return record


def shares(*kernels: Record) -> dict[str | None, float]:
    return time_shares(build_tables(kernels, {"kernel": None}))


def test_a_warm_up_adds_its_own_time_only():
    # Two launches, of which one takes 3 ms and the other a third of it: 4 ms together.
    found = shares(
        kernel("warmed", launches=2.0, predicted_ms=3.0, launches_as_long=4 / 3),
        kernel("other", launches=4.0, predicted_ms=1.0, launches_as_long=4.0),
    )
    assert found == {"warmed": pytest.approx(0.5), "other": pytest.approx(0.5)}


def test_where_all_are_equal_their_number_says_it():
    found = shares(kernel("a", launches=3.0, predicted_ms=1.0), kernel("b", launches=1.0, predicted_ms=1.0))
    assert found == {"a": 0.75, "b": 0.25}


def test_without_the_time_of_one_no_share_is_known():
    assert shares(kernel("a", launches=3.0, predicted_ms=1.0), kernel("b", launches=1.0)) == {}


def test_kernels_of_triton_have_their_part():
    triton = Record("triton_kernel", "t", "a.py", Span(1), "t")
    triton.know("simulated", launches=1.0, predicted_ms=3.0)
    tables = build_tables([kernel("a", launches=1.0, predicted_ms=1.0), triton], {"kernel": None})
    assert time_shares(tables) == {"a": 0.25, "t": 0.75}


def measured(key: str, name: str, owner: str, **known: float) -> Record:
    record = Record("kernel", key, "a.py", Span(1), name, owner)
    record.know("measured", **known)
    return record


def run(**known: float) -> Record:
    record = Record("run", "r", "advisor import r.csv", Span(1), "r")
    record.know("measured", **known)
    return record


OWNERS = {"kernel": "run", "run": None}


def test_the_time_of_a_kernel_with_several_shapes_counts_once():
    # Each shape tells what all launches of its kernel take: 3 ms of 4, not 3 times 2 of 7.
    kernels = [
        measured("a 0", "a", "r", launches=5.0, latency_ms=3.0, time_mean_ms=1.0),
        measured("a 1", "a", "r", launches=5.0, latency_ms=3.0, time_mean_ms=0.25),
        measured("b", "b", "r", launches=1.0, latency_ms=1.0, time_mean_ms=1.0),
    ]
    found = time_shares(build_tables([run(kernels_ms=4.0), *kernels], OWNERS))
    assert found == {"a": 0.75, "b": 0.25}


def test_kernels_that_stand_elsewhere_have_their_part_of_a_measured_run():
    kernel = measured("a", "a", "r", launches=2.0, latency_ms=3.0)
    assert time_shares(build_tables([run(kernels_ms=12.0), kernel], OWNERS)) == {"a": 0.25}
    assert time_shares(build_tables([run(), kernel], OWNERS)) == {"a": 1.0}

"""Chrome traces of torch.profiler: numbers, ranges, and traces that are read piece by piece."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence.measured.reports import read_report
from advisor.evidence.measured.reports.fingerprints import Reading, reading_of
from advisor.evidence.measured.reports.reading.json_stream import Damaged, JsonStream

BASE = 1_712_195_495_505_000.0  # microseconds since the epoch, as recent traces have them


def event(
    category: str, name: str, start: float, spent: float, tid: int = 7, **details: Any
) -> dict[str, Any]:
    return {
        "ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid,
        "ts": BASE + start, "dur": spent, "args": details,
    }  # fmt: skip


def kernel(start: float, spent: float, correlation: int) -> dict[str, Any]:
    details = {
        "grid": [10, 1, 1], "block": [64, 2, 1], "registers per thread": 30, "shared memory": 512,
        "blocks per SM": 0.125, "warps per SM": 0.5, "est. achieved occupancy %": 3,
        "correlation": correlation,
    }  # fmt: skip
    return event("kernel", "triton_poi_fused_add_0", start, spent, **details)


EVENTS = [
    event("user_annotation", "ProfilerStep#12", 0, 600, tid=100),
    event("user_annotation", "forward", 10, 100, tid=100),
    event("cuda_driver", "cuLaunchKernel", 20, 30, tid=100, correlation=1),
    event("cuda_runtime", "cudaLaunchKernel", 200, 20, tid=100, correlation=2),
    event("cuda_runtime", "cudaDeviceSynchronize", 300, 200, tid=100, correlation=3),
    kernel(60, 100, 1),
    kernel(230, 50, 2),
    event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 40, bytes=4096),
    event("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 300, 20, bytes=64),
    event("gpu_memset", "Memset (Device)", 330, 5),
    {"ph": "M", "name": "process_name", "pid": 1},
]
HEADER = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA L4", "computeMajor": 8, "computeMinor": 9}],
}


def written(path: Path, events: list[dict[str, Any]], **more: Any) -> Path:
    data = json.dumps({**HEADER, "traceEvents": events, **more}).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def reading(path: Path) -> Reading:
    return reading_of(read_report(path))


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_the_numbers_of_a_trace(tmp_path: Path, name: str) -> None:
    found = reading(written(tmp_path / name, EVENTS))
    assert found.metrics == pytest.approx(
        {
            "total_latency_ms": 0.5,  # from the copy at 0 to the end of the synchronisation at 500 us
            "gpu_utilization": 0.3,
            "longest_gap_ms": 0.07,  # 160 … 230 us
            "active_kernels": 1,
            "kernel_launches": 2,
            "api_launch_overhead_ms": 0.05,
            "synchronisation_ms": 0.2,
            "allocation_ms": 0.0,
            "memcpy_htod_ms": 0.04,
            "memcpy_dtoh_ms": 0.02,
            "memcpy_dtod_ms": 0.0,
            "pageable_copy_ms": 0.04,
            "memset_ms": 0.005,
        }
    )
    assert read_report(tmp_path / name).device == "NVIDIA L4"


def test_kernels_stand_in_the_ranges_of_their_calls(tmp_path: Path) -> None:
    found = reading(written(tmp_path / "trace.json", EVENTS)).fingerprints
    assert [(one.ranges, one.launches) for _, one in found] == [
        (("ProfilerStep", "forward"), 1),
        (("ProfilerStep",), 1),
    ]
    metrics = found[0][1].metrics
    assert (metrics["registers"], metrics["launch_shared_bytes"]) == (30, 512)
    assert (metrics["block_threads"], metrics["blocks_per_sm"]) == (128, 0.125)


def test_the_profilers_estimate_is_no_measured_occupancy(tmp_path: Path) -> None:
    metrics = reading(written(tmp_path / "trace.json", EVENTS)).fingerprints[0][1].metrics
    assert metrics["estimated_occupancy"] == 0.03
    assert "achieved_occupancy" not in metrics


def test_events_may_be_a_bare_list(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(EVENTS))
    assert len(reading(file).fingerprints) == 2


def test_a_large_trace_needs_little_memory(tmp_path: Path) -> None:
    """Each event has 20 kB; 60 MB of them are read with a tenth of that."""
    padding = event("cpu_op", "aten::add", 0, 1, call_stack="x" * 20_000)
    file = written(tmp_path / "trace.json", [*EVENTS, *[padding] * 3000])
    tracemalloc.start()
    read_report(file)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file.stat().st_size > 60e6
    assert most < 12e6


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Slow(io.StringIO):
    """A text that comes in pieces of a few characters."""

    def read(self, size: int | None = -1, /) -> str:
        return super().read(min(3, size) if size and size > 0 else size)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.text().filter(lambda key: key != "e"), VALUES, max_size=3),
    st.lists(VALUES, max_size=5),
)
def test_pieces_give_what_the_whole_gives(header: dict[str, Any], events: list[Any]) -> None:
    text = json.dumps({**header, "e": events}, indent=1)
    found = list(JsonStream(Slow(text)).items("e"))
    assert [value for key, value in found if key == "e"] == events
    assert {key: value for key, value in found if key != "e"} == header


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_a_text_that_is_cut_off_is_damaged(events: list[Any], data: st.DataObject) -> None:
    text = json.dumps({"a": 1, "e": events})
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(Damaged):
        list(JsonStream(Slow(cut)).items("e"))

"""Work that events of the device measure beside a clock of the host."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
from time import perf_counter

@cuda.jit("void(float32[:])")
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 0

def run(d, other):
    d = cuda.to_device(d)
    first, last = cuda.event(), cuda.event()
"""


@pytest.mark.parametrize(
    ("body", "measured"),
    [
        ("first.record()\n{clock}\nlast.record()\nfirst.elapsed_time(last)", True),
        ("first.record()\n{clock}\nlast.record()\ncuda.event_elapsed_time(first, last)", True),
        ("{clock}", False),
        ("first.record()\n{clock}\nlast.record()", False),
        ("first.record()\n{clock}\nlast.record()\nlast.elapsed_time(first)", False),
        ("{clock}\nfirst.record()\nk[9, 128](d)\nlast.record()\nfirst.elapsed_time(last)", False),
        ("first.record()\nlast.record()\n{clock}\nfirst.elapsed_time(last)", False),
        ("first.record()\n{clock}\nlast.record()\nfirst.elapsed_time(other)", False),
    ],
)
def test_events_around_a_launch(tmp_path: Path, body: str, measured: bool) -> None:
    clock = "begun = perf_counter()\nk[9, 128](d)\nended = perf_counter()\nprint(ended - begun)"
    text = KERNEL + textwrap.indent(body.format(clock=clock), "    ")
    (found,) = records(tmp_path, "measurement", text)
    assert (value(found, "waits"), value(found, "events_measure_too")) == (False, measured)

"""Launches that are made up: after the compiler's numbers, in the background, where they are wanted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from test_evidence import _LENSES, children, compiled_lens

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds processes in /proc")

# Each lane walks along a row of its own.
ROWS = """\
from numba import cuda


@cuda.jit("void(float32[:, ::1], float32[::1])")
def rows(a, out):
    i = cuda.grid(1)
    if i < out.size and i < a.shape[0]:
        for j in range(a.shape[1]):
            out[i] += a[i, j]
"""
_RUNS = "processes.warm_start"


def shown_at_access(client, uri):
    place = {"line": 8, "character": 23}
    found = client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    return found["contents"]["value"] if found else ""


def test_numbers_of_made_up_launches_follow_and_an_edit_makes_them_void(client):
    client.start(workspace=_LENSES)
    uri = client.open("k.py", ROWS)
    client.published(uri, 1)
    assert "synthesised" not in shown_at_access(client, uri)
    client.save(uri)
    until = time.monotonic() + 100.0
    while "synthesised" not in (shown := shown_at_access(client, uri)):
        assert time.monotonic() < until, shown
        time.sleep(0.2)
    assert "Synthesised launch: grid " in shown
    client.change(uri, 2, ROWS.replace("+= a", "-= a"))
    client.published(uri, 2)
    assert client.stop() == 0


def test_made_up_launches_can_be_turned_off(client):
    client.start(workspace=_LENSES, chosen={"synthesisedEvidence": False})
    uri = client.open("k.py", ROWS)
    client.published(uri, 1)
    client.save(uri)
    compiled_lens(client, uri)
    time.sleep(1.0)
    assert children(client.process.pid, _RUNS) == []
    assert "synthesised" not in shown_at_access(client, uri)
    assert client.stop() == 0

"""Workloads run on the user's command in a trusted workspace, in a process that can be killed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds processes in /proc")

KERNEL = """\
import numpy as np
from numba import cuda

{effect}

@cuda.jit
def scale(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[2 * i % b.size]


def workload():
    b = np.ones(1024, np.float32)
    scale[8, 128](np.zeros(1024, np.float32), b)
"""
_SHOWN = {"inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}}


def opened(client, effect=""):
    text = KERNEL.format(effect=effect)
    (client.folder / "k.py").write_text(text, encoding="utf-8")
    uri = client.open("k.py", text)
    client.published(uri, 1)
    return uri


def simulate(client, uri):
    return client.send_request(
        "workspace/executeCommand", {"command": "advisor.simulate", "arguments": [uri]}
    )


def lens(client, uri):
    found = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return " ".join(one["command"]["title"] for one in found)


def workload_process(client):
    for file in Path(f"/proc/{client.process.pid}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            if b"lsp_server.evidence.workload_process" in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
    return None


def wait_until(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_an_untrusted_workspace_is_refused_in_a_sentence_and_nothing_runs(client):
    mark = client.folder.parent / "mark"
    client.start(chosen={"simulate": True})
    uri = opened(client, f"open({str(mark)!r}, 'w').close()")
    client.answer(simulate(client, uri))
    assert "this workspace is not trusted" in client.shown_message()
    client.save(uri)
    client.published(uri, 1)
    assert not mark.exists()
    assert client.stop() == 0


def test_the_numbers_of_a_workload_are_shown(client):
    client.start(chosen={"trusted": True}, workspace=_SHOWN)
    uri = opened(client)
    before = lens(client, uri)
    assert "error" not in client.answer(simulate(client, uri))
    until = time.monotonic() + 60
    while lens(client, uri) == before:
        assert time.monotonic() < until
        client.reply(client.received("workspace/codeLens/refresh"), None)
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0


def test_progress_is_shown_and_a_cancel_kills_the_process(client):
    client.start(chosen={"trusted": True}, window={"workDoneProgress": True})
    uri = opened(client, "import time; time.sleep(600)")
    number = simulate(client, uri)
    created = client.received("window/workDoneProgress/create")
    client.reply(created, None)
    begun = client.received("$/progress")["params"]
    assert begun["value"]["title"] == "Simulating the workloads of k.py"
    wait_until(lambda: workload_process(client) is not None)
    process = workload_process(client)
    client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
    client.answer(number)
    assert client.received("$/progress")["params"]["value"]["kind"] == "end"
    wait_until(lambda: not Path(f"/proc/{process}").exists())
    assert client.hover(uri, 0, 0) is None  # the server lives
    assert client.stop() == 0


def test_a_crash_is_told_and_the_server_lives(client):
    client.start(chosen={"trusted": True})
    uri = opened(client, "import os; os.abort()")
    client.answer(simulate(client, uri))
    assert "`workload()` failed: its process ended with status -6" in client.shown_message()
    assert client.stop() == 0


def test_a_file_without_a_workload_is_told_how_to_have_one(client):
    client.start(chosen={"trusted": True})
    text = KERNEL.format(effect="").replace("def workload():", "def main():")
    (client.folder / "k.py").write_text(text, encoding="utf-8")
    uri = client.open("k.py", text)
    client.published(uri, 1)
    client.answer(simulate(client, uri))
    assert "k.py has no workload to simulate." in client.shown_message()
    assert client.stop() == 0


def test_a_save_runs_a_stale_workload_where_the_user_allows_it(client):
    mark = client.folder.parent / "mark"
    client.start(chosen={"trusted": True, "simulate": True})
    uri = opened(client, f"open({str(mark)!r}, 'a').close()")
    assert not mark.exists()
    client.save(uri)
    wait_until(mark.exists)
    assert client.stop() == 0

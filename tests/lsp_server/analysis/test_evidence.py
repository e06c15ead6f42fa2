"""Better evidence arrives once the text is quiet; the processes behind it may die without harm."""

from __future__ import annotations

import array
import os
import signal
import time
from pathlib import Path

import pytest
from kernel_pairs import STRAIGHT, TRANSPOSED

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds processes in /proc")

# The server with a compiler that gets `seconds` for a kernel.
_IMPATIENT = """
import lsp_server.evidence.compiling as compiling
compiling.KernelCompiler.__init__.__defaults__ = ({seconds},)
from lsp_server.server import main
raise SystemExit(main())
"""
_COMPILER = "advisor.evidence.compiled.compilers.worker"
_LENSES = {"codeLens": {"refreshSupport": True}}


def titles(client, uri):
    found = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [one["command"]["title"] for one in found]


def compiled_lens(client, uri):
    """The first title that tells of registers, waited for as an editor waits: until lenses are renewed."""
    while True:
        for title in titles(client, uri):
            if "registers" in title:
                return title
        client.reply(client.received("workspace/codeLens/refresh"), None)


def children(process, part):
    """The processes below one whose command line has a part."""
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            command = Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace")
            found += [child] * (part in command) + children(child, part)
    return found


def wait_for_child(client, part):
    until = time.monotonic() + 60
    while not (found := children(client.process.pid, part)):
        assert time.monotonic() < until, "the process was never started"
        time.sleep(0.02)
    return found[0]


def wait_for_request(process):
    """Returns once something lies in the pipe to a process, which does not read it."""
    import fcntl
    import termios

    pipe = os.open(f"/proc/{process}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
    try:
        until, waiting = time.monotonic() + 60.0, array.array("i", [0])
        while waiting[0] == 0:
            assert time.monotonic() < until
            time.sleep(0.02)
            fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    finally:
        os.close(pipe)


def test_compiled_evidence_follows_a_save_and_an_edit_makes_it_void(client):
    client.start(workspace=_LENSES)
    uri = client.open("k.py", STRAIGHT)
    client.published(uri, 1)
    client.save(uri)
    title = compiled_lens(client, uri)
    client.change(uri, 2, STRAIGHT.replace("* 2", "* 3"))
    assert title not in titles(client, uri)
    client.save(uri)
    compiled_lens(client, uri)
    assert client.stop() == 0


def test_a_pause_is_enough(client):
    client.start(workspace=_LENSES)
    uri = client.open("k.py", TRANSPOSED)
    client.change(uri, 2, STRAIGHT)
    compiled_lens(client, uri)
    assert client.stop() == 0


def test_compiled_evidence_can_be_turned_off(client):
    client.start(workspace=_LENSES, chosen={"compiledEvidence": False})
    uri = client.open("k.py", STRAIGHT)
    client.published(uri, 1)
    client.save(uri)
    client.published(uri, 1)
    time.sleep(1.0)
    assert children(client.process.pid, _COMPILER) == []
    assert not any("registers" in title for title in titles(client, uri))
    assert client.stop() == 0


def test_a_killed_compiler_is_told_once_and_the_next_kernel_is_compiled(connect):
    client = connect("-c", _IMPATIENT.format(seconds=60))
    client.start(workspace=_LENSES)
    warm = client.open("warm.py", TRANSPOSED.replace("* 2", "* 7"))
    compiled_lens(client, warm)
    compiler = wait_for_child(client, _COMPILER)
    os.kill(compiler, signal.SIGSTOP)  # so that it dies with a kernel in its hands
    uri = client.open("k.py", STRAIGHT)
    client.save(uri)
    wait_for_request(compiler)
    os.kill(compiler, signal.SIGKILL)
    assert "The kernel `scale` was not compiled: the compiler crashed." in client.shown_message()
    client.change(uri, 2, STRAIGHT.replace("* 2", "* 5"))
    client.save(uri)
    compiled_lens(client, uri)
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0


def test_a_hanging_compiler_is_killed_and_told_once(connect):
    client = connect("-c", _IMPATIENT.format(seconds=4))
    client.start(workspace=_LENSES)
    warm = client.open("warm.py", TRANSPOSED.replace("* 2", "* 7"))
    compiled_lens(client, warm)
    compiler = wait_for_child(client, _COMPILER)
    os.kill(compiler, signal.SIGSTOP)
    uri = client.open("k.py", STRAIGHT)
    client.save(uri)
    message = client.shown_message()
    assert "The kernel `scale` was not compiled: it took longer than 4 s." in message
    assert not Path(f"/proc/{compiler}").exists()
    client.save(uri)
    client.change(uri, 2, STRAIGHT.replace("* 2", "* 5"))
    client.save(uri)
    compiled_lens(client, uri)
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0


def test_no_process_outlives_the_server(client):
    client.start(workspace=_LENSES)
    uri = client.open("k.py", STRAIGHT)
    compiled_lens(client, uri)
    compiler = wait_for_child(client, _COMPILER)
    assert client.stop() == 0
    until = time.monotonic() + 30
    while Path(f"/proc/{compiler}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)

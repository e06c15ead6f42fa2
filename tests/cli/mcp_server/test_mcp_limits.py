"""What a call may take, and where it may look."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from served_tools import answers

_SLEEPS = """\
import os, pathlib, time


def workload():
    pathlib.Path({place!r}).write_text(str(os.getpid()))
    time.sleep(600)
"""
_TAKES = """\
import time


def workload():
    held = bytearray(700 << 20)
    time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_what_takes_too_long_is_ended_with_all_its_processes(plain_project: Path) -> None:
    project = plain_project
    (project / "sleeps.py").write_text(_SLEEPS.format(place=str(project / "pid")))
    (answer,) = answers(project, [("simulate", {"paths": ["sleeps.py"]})], "--allow-run", "--seconds", "12")
    assert answer.failed and "did not end within 12 s" in answer.text and "--seconds" in answer.text
    process = int((project / "pid").read_text())
    until = time.monotonic() + 5
    while _lives(process) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _lives(process)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_what_takes_too_much_memory_is_ended(plain_project: Path) -> None:
    project = plain_project
    (project / "takes.py").write_text(_TAKES)
    begun = time.monotonic()
    (answer,) = answers(project, [("simulate", {"paths": ["takes.py"]})], "--allow-run", "--memory", "600")
    assert answer.failed and "held more than 600 MiB" in answer.text
    assert time.monotonic() - begun < 60


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.parametrize("end", ["cancelled", "closed"])
def test_what_is_cancelled_leaves_nothing_running(plain_project: Path, end: str) -> None:
    file, called = plain_project / "sleeps.py", {"name": "simulate", "arguments": {"paths": ["sleeps.py"]}}
    file.write_text(_SLEEPS.format(place=str(plain_project / "pid")))
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"},
    }
    command = [sys.executable, "-m", "advisor", "mcp", "--root", str(plain_project), "--allow-run"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None

        def say(method: str, number: int | None = None, **params: object) -> None:
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            print(
                json.dumps(message | ({} if number is None else {"id": number})),
                file=server.stdin,
                flush=True,
            )

        say("initialize", 1, **client)
        server.stdout.readline()
        say("notifications/initialized")
        say("tools/call", 2, **called)
        until = time.monotonic() + 60
        while not (plain_project / "pid").exists() and time.monotonic() < until:
            time.sleep(0.1)
        process = int((plain_project / "pid").read_text())
        assert _lives(process)
        if end == "cancelled":
            say("notifications/cancelled", requestId=2)
        else:
            server.stdin.close()
        until = time.monotonic() + 10
        while _lives(process) and time.monotonic() < until:
            time.sleep(0.1)
        assert not _lives(process)
        server.kill()


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_paths_outside_of_the_workspace_are_refused(
    plain_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = plain_project
    outside = tmp_path_factory.mktemp("outside") / "secret.py"
    outside.write_text((project / "rows.py").read_text())
    (project / "link.py").symlink_to(outside)
    (project / "folder").mkdir()
    (project / "folder" / "inner.py").symlink_to(outside)
    (project / "-x.py").write_text((project / "rows.py").read_text())
    named = [
        str(outside),
        os.path.relpath(outside, project),
        "../",
        "link.py",
        "folder",
        "nowhere.py",
        "",
        "a\0b",
    ]
    edit = {"path": str(outside), "old": "out", "text": "x"}
    calls = [("check", {"paths": [one]}) for one in named]
    calls += [("explain", {"name": f"{outside}::copy_rows"}), ("what_if", {"edits": [edit]})]
    *found, like_an_option = answers(project, [*calls, ("check", {"paths": ["-x.py"]})])
    assert all(one.failed for one in found), [one.text for one in found if not one.failed]
    told = [one.text for one in found]
    assert all("outside of the workspace" in told[number] for number in (0, 1, 2, 3, 8, 9))
    assert "leads out of the workspace" in told[4]
    assert "no such file or folder" in told[5]
    assert not like_an_option.failed and like_an_option.content["findings"][0]["path"] == "-x.py"

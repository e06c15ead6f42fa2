"""Workloads run for the editor: each file's in a process that can be killed with all that it started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_MODULE = "lsp_server.evidence.workload_process"


@dataclass(frozen=True)
class Simulated:
    """What became of a file's workloads: how many it has, how many were run, and what went wrong."""

    found: int = 0
    run: int = 0
    problems: tuple[str, ...] = ()


class Simulations:
    """The runs under way, one for a file at most. Belongs to one event loop."""

    def __init__(self) -> None:
        self._processes: dict[Path, asyncio.subprocess.Process] = {}

    def running(self, file: Path) -> bool:
        """Whether the workloads of a file are being run."""
        return file in self._processes

    async def run(self, file: Path, device: str, again: bool) -> Simulated:
        """What became of the workloads of a file on the disk; fresh ones are only run `again`.

        Cancelling this kills the process.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=file.parent,
            start_new_session=True,
        )
        self._processes[file] = process
        request = json.dumps({"file": str(file), "device": device, "again": again})
        try:
            output, errors = await process.communicate(request.encode())
        finally:
            del self._processes[file]
            _kill(process)
        return _result(output, errors, process.returncode)

    def close(self) -> None:
        """Kill all that is under way."""
        for process in self._processes.values():
            _kill(process)


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _result(output: bytes, errors: bytes, status: int | None) -> Simulated:
    try:
        answer = json.loads(output)
        problems = tuple(_sentence(*one) for one in answer["problems"])
        return Simulated(int(answer["found"]), int(answer.get("run", 0)), problems)
    except (ValueError, KeyError, TypeError):
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no output"]
        return Simulated(1, 0, (f"The process that runs workloads ended with status {status}: {last[0]}",))


def _sentence(path: str, line: int, message: str) -> str:
    return f"{path}:{line}: {message}" if path else message

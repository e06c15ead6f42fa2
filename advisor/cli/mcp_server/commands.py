"""Commands of this program, each in a process of its own that ends when it takes too much."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from advisor.model.errors import AdvisorError, UsageError
from advisor.model.processes.interruption import end_processes_below, processes_below

_LOOK_SECONDS = 0.2
_MIB = 1 << 20
_MOST_OUTPUT = 64 * _MIB
_ERROR = "advisor: error: "
_MOST_SAID = 2000


@dataclass(frozen=True)
class Limits:
    """The seconds that a call may take, and the bytes that all its processes may hold together."""

    seconds: float
    memory: int


@dataclass(frozen=True)
class Finished:
    """What a command left: its exit status and both outputs."""

    status: int
    out: str
    err: str

    def content(self) -> Any:
        """What the command wrote as JSON. Raises UsageError with what it said where it wrote none."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise UsageError(self._said()) from None

    def text(self) -> str:
        """What the command wrote. Raises UsageError with what it said where it did not do its work."""
        if self.status:
            raise UsageError(self._said())
        return self.out

    def _said(self) -> str:
        """The messages of the program; where there is none, the end of a traceback: a fault of ours."""
        lines = [line.removeprefix(_ERROR) for line in self.err.splitlines() if line.startswith(_ERROR)]
        return "\n".join(lines) or self.err[-_MOST_SAID:] or "the command ended without a word."


class TooMuch(AdvisorError):
    """A command was ended because it took too long or too much memory."""


class Commands:
    """Runs commands of this program, one at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._one_at_a_time = asyncio.Lock()

    async def run(self, arguments: Sequence[str], folder: Path) -> Finished:
        """What a command leaves that runs in a folder; raises TooMuch where it exceeds the limits.

        When the call is cancelled its processes are ended.
        """
        async with self._one_at_a_time:
            cancelled = Event()
            try:
                return await asyncio.to_thread(self._run, arguments, folder, cancelled)
            except asyncio.CancelledError:
                cancelled.set()
                raise

    def _run(self, arguments: Sequence[str], folder: Path, cancelled: Event) -> Finished:
        command = [sys.executable, "-m", "advisor", *arguments]
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=environment,
        )  # fmt: skip
        until = time.monotonic() + self.limits.seconds
        try:
            while True:
                try:
                    out, err = process.communicate(timeout=_LOOK_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    self._look(process.pid, until, cancelled)
        finally:
            _end(process)
        if len(out) > _MOST_OUTPUT:
            raise TooMuch(f"the answer has {len(out) // _MIB} MiB; name fewer files.")
        return Finished(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def _look(self, process: int, until: float, cancelled: Event) -> None:
        if cancelled.is_set():
            raise TooMuch("the call was cancelled.")
        if time.monotonic() > until:
            raise TooMuch(
                f"it did not end within {self.limits.seconds:g} s, and was ended; name fewer files, or start "
                "the server with a larger --seconds."
            )
        if memory_of([process, *processes_below(process)]) > self.limits.memory:
            raise TooMuch(
                f"its processes held more than {self.limits.memory // _MIB} MiB, and were ended; start the "
                "server with a larger --memory for it."
            )


def memory_of(processes: Sequence[int]) -> int:
    """The bytes that processes hold, what they share counted for each; 0 where /proc is missing."""
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    total = 0
    for one in processes:
        # A process may have ended since.
        with contextlib.suppress(OSError, ValueError, IndexError):
            _, resident, shared = Path(f"/proc/{one}/statm").read_text().split()[:3]
            total += (int(resident) - int(shared)) * page
    return total


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all below it, also those that began sessions of their own."""
    if process.poll() is None:
        end_processes_below(process.pid)
        process.kill()
    if hasattr(os, "killpg"):
        # Those of its session that outlived it.
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError, ValueError):
        process.communicate(timeout=_LOOK_SECONDS)

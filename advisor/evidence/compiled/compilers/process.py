"""Starts and ends compiler processes, and gives each unit its time limit."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import advisor
from advisor.evidence.compiled.compilers.worker import read_message, write_message
from advisor.model.errors import EvidenceUnavailable
from advisor.model.processes.libraries_only import LIBRARIES_ONLY

# Numba and the CUDA libraries take a second or two to import, far longer on a cold disk.
_START_SECONDS = 120.0

_START = (
    LIBRARIES_ONLY
    + """\
import advisor.evidence.compiled.compilers.worker as worker
worker.begin(path)
"""
)


class WorkerLost(Exception):
    """The worker ended without an answer; `timed_out` tells a time limit from a crash."""

    def __init__(self, timed_out: bool) -> None:
        super().__init__("time limit" if timed_out else "crash")
        self.timed_out = timed_out


def worker_command() -> list[str]:
    """The command that starts a compiler process."""
    # -E, not -I: packages of the user's own site folder count as installed.
    return [
        sys.executable,
        "-E",
        "-X",
        "utf8",
        "-c",
        _START,
        str(Path(advisor.__file__).resolve().parent.parent),
    ]


_numbers = itertools.count()


class Worker:
    """One compiler process in an empty folder of its own; `number` is that of no other one."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="advisor-", ignore_cleanup_errors=True)
        hidden = ("PYTHON", "NUMBA_", "COVERAGE_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        self._process = subprocess.Popen(
            worker_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=environment,
        )
        self.number = next(_numbers)
        self.units = 0
        self._lost = False
        try:
            greeting = self._exchange(None, _START_SECONDS)
        except WorkerLost as lost:
            self.close()
            raise EvidenceUnavailable(
                "The compiler process does not start.", "See what `advisor doctor` finds."
            ) from lost
        if "unavailable" in greeting:
            self.close()
            raise EvidenceUnavailable(
                greeting["unavailable"], greeting.get("remedy") or "See what `advisor doctor` finds."
            )

    def compile(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """The answer to one unit; raises WorkerLost after `timeout` seconds or when the process dies."""
        self.units += 1
        return self._exchange(request, timeout)

    @property
    def alive(self) -> bool:
        """Whether the process can take another unit."""
        return not self._lost and self._process.poll() is None

    def close(self) -> None:
        """End the process and remove its folder."""
        if self._process.poll() is None:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        self._process.wait()
        self._folder.cleanup()

    def _exchange(self, request: dict[str, Any] | None, timeout: float) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._process.kill()

        timer = threading.Timer(timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            if request is not None:
                write_message(self._process.stdin, request)  # type: ignore[arg-type]
            answer = read_message(self._process.stdout)  # type: ignore[arg-type]
        except (OSError, ValueError):
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            self._lost = True
            raise WorkerLost(expired.is_set())
        return answer

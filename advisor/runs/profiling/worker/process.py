"""The process of the workloads of one file, as its parent sees it."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from advisor.evidence.simulated.launches.workloads import last_words_of
from advisor.runs.profiling.gpu.timed_calls import TimedCopy, TimedLaunch
from advisor.runs.profiling.numbers import profiling_numbers

_MOST_WORDS = 2000


class RunFailed(Exception):
    """A workload that did not run to its end; the message says why."""


@dataclass(frozen=True)
class Iteration:
    """One run of a workload: its wall time in ms, launches and copies, and how many were not timed."""

    wall: float
    launches: tuple[TimedLaunch, ...]
    copies: tuple[TimedCopy, ...]
    untimed: int


class WorkerProcess:
    """Runs the workloads of one file; with `simulate`, the id of a device, on the SIMT machine."""

    def __init__(
        self, root: Path, path: str, seconds: float, simulate: str = "", folder: str = "", cache: bool = True
    ) -> None:
        self.kernels: list[dict[str, Any]] = []
        self._seconds = seconds
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "advisor.runs.profiling.worker.program"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )
        self._request = {
            "root": str(root), "path": path, "simulate": simulate, "folder": folder, "cache": cache,
            "most_events": profiling_numbers().most_events,
        }  # fmt: skip
        self._waiting = b""

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._words.close()

    @property
    def process_id(self) -> int:
        """The number of the process."""
        return self._process.pid

    def gpu(self) -> dict[str, Any]:
        """Name and versions of the GPU that it uses; to be asked first."""
        found: dict[str, Any] = self._asked(self._request)["gpu"]
        return found

    def run(self, name: str, timed: bool) -> Iteration:
        """One run of a workload; raises RunFailed."""
        answer = self._asked({"name": name, "timed": timed})
        self.kernels += answer["kernels"]
        return Iteration(
            answer["wall"],
            tuple(TimedLaunch(*one) for one in answer["launches"]),
            tuple(TimedCopy(*one) for one in answer["copies"]),
            answer["untimed"],
        )

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        answer: dict[str, Any] = json.loads(self._line())
        if "problem" in answer:
            raise RunFailed(answer["problem"])
        return answer

    def _line(self) -> bytes:
        """The next line of its answers; raises RunFailed after the time limit."""
        stream = self._process.stdout
        assert stream is not None
        deadline = time.monotonic() + self._seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(stream, selectors.EVENT_READ)
            while b"\n" not in self._waiting:
                if not waiting.select(max(0.0, deadline - time.monotonic())):
                    raise RunFailed(
                        f"it did not end within {self._seconds:g} s (workload-seconds sets how many)"
                    )
                part = os.read(stream.fileno(), 1 << 20)
                if not part:
                    raise self._ended()
                self._waiting += part
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line

    def _ended(self) -> RunFailed:
        status = self._process.wait()
        self._words.seek(0)
        words = last_words_of(self._words.read().decode("utf-8", "replace"))[:_MOST_WORDS]
        return RunFailed(f"its process ended with status {status}: {words}")

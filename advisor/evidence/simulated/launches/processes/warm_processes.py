"""Processes that have Numba imported already: what is started again and again is forked from them."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import advisor

# What an interpreter, or a library that is imported at once, reads of its environment.
_READ_AT_START = ("PYTHON", "NUMBA", "CUDA", "LD_")
_MOST_IDLE = 4
_START = """\
import sys
sys.path[:] = [entry for entry in sys.path if entry] + [sys.argv.pop()]
from advisor.evidence.simulated.launches.processes.warm_start import serve
serve()
"""


@dataclass(frozen=True)
class Start:
    """A process to be: a module with `main()`, its arguments, files for standard input and error output,
    its environment, whether it begins a session, and its working folder, None for that of this process. Its
    standard output is thrown away.
    """

    module: str
    input: Path
    errors: Path
    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    new_session: bool = False
    folder: Path | None = None


def run_process(start: Start, seconds: float) -> int:
    """The exit status, negative for a signal.

    Raises subprocess.TimeoutExpired where it did not end within `seconds` and was killed. With `new_session`
    all that it started is killed when it ends, or when this is interrupted.
    """
    start.errors.touch()
    if not hasattr(os, "fork"):
        return _run_cold(start, seconds)
    with _own_stock().borrowed(_read_at_start(start.environment)) as process:
        return process.run(start, seconds)


def _run_cold(start: Start, seconds: float) -> int:
    command = [sys.executable, "-m", start.module, *start.arguments]
    with start.input.open("rb") as given, start.errors.open("ab") as errors:
        return subprocess.run(
            command, stdin=given, stdout=subprocess.DEVNULL, stderr=errors, timeout=seconds, check=False,
            env=dict(start.environment), cwd=start.folder,
        ).returncode  # fmt: skip


def _read_at_start(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        sorted((name, value) for name, value in environment.items() if name.startswith(_READ_AT_START))
    )


def _others(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(_READ_AT_START)}


class _WarmProcess:
    """One process to fork from; it has one child at a time."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(Path(advisor.__file__).resolve().parent.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            text=True,
        )

    @property
    def alive(self) -> bool:
        """Whether it can fork."""
        return self._process.poll() is None

    def run(self, start: Start, seconds: float) -> int:
        """The exit status of a child, as `run_process` gives it."""
        assert self._process.stdin is not None
        request = {
            "module": start.module,
            "arguments": start.arguments,
            "input": str(start.input),
            "errors": str(start.errors),
            "environment": dict(start.environment),
            "folder": str(start.folder or Path.cwd()),
            "new_session": start.new_session,
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        child = self._answer("process")
        late = threading.Event()

        def end() -> None:
            late.set()
            _kill(child, start.new_session)

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            status = self._answer("status")
        except BaseException:
            _kill(child, start.new_session)
            self.close()
            raise
        finally:
            timer.cancel()
        if start.new_session:
            _kill(child, True)
        if late.is_set():
            raise subprocess.TimeoutExpired(start.module, seconds)
        return status

    def _answer(self, name: str) -> int:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise OSError(f"the process to fork from ended with status {self._process.wait()}")
        return int(json.loads(line)[name])

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _kill(process: int, session: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        (os.killpg if session else os.kill)(process, signal.SIGKILL)


class _Stock:
    """Processes that wait for the next request, by the environment that they were started in."""

    def __init__(self) -> None:
        self._idle: dict[tuple[tuple[str, str], ...], list[_WarmProcess]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def borrowed(self, environment: tuple[tuple[str, str], ...]) -> Iterator[_WarmProcess]:
        """A process for one request."""
        with self._lock:
            waiting = self._idle.get(environment, [])
            found = waiting.pop() if waiting else None
        if found is not None and not found.alive:
            found.close()
            found = None
        if found is None:
            others = {
                name: value for name, value in os.environ.items() if not name.startswith(_READ_AT_START)
            }
            found = _WarmProcess({**others, **dict(environment)})
        try:
            yield found
        finally:
            self._take_back(environment, found)

    def _take_back(self, environment: tuple[tuple[str, str], ...], process: _WarmProcess) -> None:
        """Keep a process for the next request; of too many the one in the oldest environment ends."""
        if not process.alive:
            process.close()
            return
        dropped = None
        with self._lock:
            if sum(map(len, self._idle.values())) >= _MOST_IDLE:
                oldest = next(one for one, waiting in self._idle.items() if waiting)
                dropped = self._idle[oldest].pop(0)
            self._idle[environment] = [*self._idle.pop(environment, []), process]
        if dropped is not None:
            dropped.close()

    def close(self) -> None:
        """End those that wait."""
        with self._lock:
            gone, self._idle = self._idle, {}
        for waiting in gone.values():
            for process in waiting:
                process.close()


def _own_stock() -> _Stock:
    return _stock_of(os.getpid())


@cache
def _stock_of(process: int) -> _Stock:
    stock = _Stock()

    def close() -> None:
        # A forked process must not end those of its parent.
        if os.getpid() == process:
            stock.close()

    atexit.register(close)
    return stock

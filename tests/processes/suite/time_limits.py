"""Ends a test that takes too long before pytest-timeout ends the whole process that runs it.

That is the one way that always works, but the tests behind it are lost, or with pytest-xdist have to be set
up again; and what was forked from that process keeps its pipe to pytest-xdist open, which waits for its end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

# Of the time that pytest-timeout gives a test: the rest is for native code, which returns to no handler.
_SHARE = 0.75
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK") if sys.platform == "linux" else 1


class TimeLimit:
    """Ends a test in this thread after some seconds, with the processes that were started meanwhile.

    Mostly it waits for one of them. Those from before may serve other tests, and are left alone.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # In whole ticks, as the system notes it of a process, which may be one of this tick.
        self._begun = int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS_PER_SECOND)
        self._thread = threading.get_ident()
        self._reason = ""
        self._over = False
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        signal.signal(signal.SIGUSR2, self._fail)
        self._timer.start()

    def cancel(self) -> None:
        """The test has ended by itself."""
        self._over = True
        self._timer.cancel()

    def _end(self) -> None:
        started = {}
        for process in _below(os.getpid()):
            with contextlib.suppress(OSError, IndexError, ValueError):
                if _start(process) >= self._begun:
                    started[process] = _command(process)
        listed = "".join(f"\n  {line}" for line in started.values()) or " none"
        self._reason = f"No end after {self._seconds:g} s. Processes of the test, now killed:{listed}"
        # First, for the end of what it waits for would end the test.
        signal.pthread_kill(self._thread, signal.SIGUSR2)
        for process in started:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _fail(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if not self._over:
            pytest.fail(self._reason)


def _below(process: int) -> Iterator[int]:
    """All processes below one, each before those that it has started."""
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, file.read_text().split()):
                below = list(_below(child))
                yield child
                yield from below


def _start(process: int) -> int:
    """When a process began, in ticks since the machine did."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])


def _command(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:300]


class TimeLimits:
    """A plugin of pytest: every test has such a limit within that of pytest-timeout."""

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: object) -> None:
        """Set this timer too: None lets pytest-timeout set its own."""
        main = threading.current_thread() is threading.main_thread()
        if sys.platform == "linux" and main:
            item.stash[_LIMIT] = TimeLimit(_SHARE * settings.timeout)  # type: ignore[attr-defined]

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> None:
        """Cancel this timer too."""
        if limit := item.stash.get(_LIMIT, None):
            limit.cancel()


_LIMIT = pytest.StashKey[TimeLimit]()

"""The process of the client: a server whose client is gone ends, also where its streams stay open."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress

_POLL_SECONDS = 2.0


def when_ended(process: int, ended: Callable[[], None]) -> None:
    """Have `ended` called on the event loop once a process has ended.

    One that is not there now is not watched: the client may run where its number means nothing here, outside
    of a container for instance.
    """
    if process <= 0 or not runs(process):
        return
    loop = asyncio.get_running_loop()
    try:
        handle = os.pidfd_open(process) if sys.platform == "linux" else -1
    except OSError:
        handle = -1
    if handle < 0:
        loop.call_later(_POLL_SECONDS, _look, loop, process, ended)
        return

    def told() -> None:
        loop.remove_reader(handle)
        os.close(handle)
        ended()

    loop.add_reader(handle, told)


def _look(loop: asyncio.AbstractEventLoop, process: int, ended: Callable[[], None]) -> None:
    if runs(process):
        loop.call_later(_POLL_SECONDS, _look, loop, process, ended)
    else:
        ended()


def runs(process: int) -> bool:
    """Whether there is a process of that number."""
    if sys.platform == "win32":
        return _runs_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _runs_on_windows(process: int) -> bool:
    import ctypes

    synchronise, still_there = 0x00100000, 0x102
    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009 - elsewhere ctypes has no such name
    handle = kernel32.OpenProcess(synchronise, False, process)
    if not handle:
        return False
    with suppress(OSError):
        return bool(kernel32.WaitForSingleObject(handle, 0) == still_there)
    return True

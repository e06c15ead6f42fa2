"""Whether the process that writes a run still lives."""

from __future__ import annotations

import os
import platform
import sys


def this_process() -> str:
    """A name of this process: machine and number."""
    return f"{platform.node()} {os.getpid()}"


def is_alive(process: str | None) -> bool:
    """Whether a process may still run; one of another machine may, and on Windows any."""
    node, _, number = (process or "").rpartition(" ")
    if node != platform.node() or sys.platform == "win32":
        return bool(process)
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True

"""The processor time of this process and of all that descend from it, those that have ended included."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Seconds of processor time so far; Linux only."""
    times: dict[int, int] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            times[int(folder.name)] = sum(int(one) for one in fields[11:15])
            children[int(fields[1])].append(int(folder.name))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += times.get(process, 0)
        waiting += children[process]
    return total * _TICK

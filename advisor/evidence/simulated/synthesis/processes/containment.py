"""Takes from a process what executing a kernel has no use for, for good: files, memory, time, company."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from advisor.evidence.simulated.launches.processes.confinement import confine
from advisor.evidence.simulated.synthesis.processes.system_calls import stay_alone

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_MOST_DESCRIPTORS = 64


@dataclass(frozen=True)
class Allowance:
    """What a process may use: bytes of memory beyond those that it has, and processor seconds."""

    memory_bytes: int
    seconds: int


def contain(connection: int, allowance: Allowance) -> int:
    """Let this process only compute and answer by `connection`; the descriptor that this has then.

    On Linux the process can then write to no file (Landlock), start no other and open no connection
    (seccomp), and it ends with the one that started it. Nothing is left of the environment.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()
    kept = _only(connection)
    os.environ.clear()
    sys.argv[:] = [""]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    _limit(allowance)
    confine([])
    stay_alone()
    return kept


def _only(connection: int) -> int:
    """Close all descriptors but one; the standard streams lead nowhere."""
    kept = 3
    nothing = os.open(os.devnull, os.O_RDWR)
    if connection != kept:
        if nothing == kept:
            nothing = os.dup(nothing)
        os.dup2(connection, kept)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.closerange(kept + 1, _descriptors())
    return kept


def _descriptors() -> int:
    try:
        return max(int(one.name) for one in Path("/proc/self/fd").iterdir()) + 1
    except OSError:
        return 4096


def _limit(allowance: Allowance) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {
        resource.RLIMIT_CPU: (allowance.seconds, allowance.seconds + 1),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (_MOST_DESCRIPTORS, _MOST_DESCRIPTORS),
    }
    if (held := _address_space()) is not None:
        most = held + allowance.memory_bytes
        limits[resource.RLIMIT_AS] = (most, most)
    for kind, (soft, hard) in limits.items():
        # A limit that is lower already stays.
        known = resource.getrlimit(kind)[1]
        if known != resource.RLIM_INFINITY:
            soft, hard = min(soft, known), min(hard, known)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))


def _address_space() -> int | None:
    """The bytes of this process's address space; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")

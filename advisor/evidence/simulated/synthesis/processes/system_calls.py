"""Lets this process start no other, connect to none and touch none, where Linux can see to that.

A filter of system calls (seccomp, https://docs.kernel.org/userspace-api/seccomp_filter.html) needs no
privilege. Threads may be started, for what computes may use some.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_CLONE_THREAD = 0x00010000
# Instructions of classic BPF: load a word of `struct seccomp_data`, jump, return.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
# Of x86-64 those of the 32-bit interface.
_OTHER_INTERFACE = 0x40000000


@dataclass(frozen=True)
class _Calls:
    """The machine's name in the kernel, and numbers of system calls: those that are refused, `clone`, which
    may only make threads, and `clone3`, of which the C library does without.
    """

    machine: int
    refused: tuple[int, ...]
    clone: int
    clone3: int = 435


# In this order: fork, vfork, execve, execveat, socket, connect, bind, kill, tkill, ptrace, process_vm_readv,
# process_vm_writev, pidfd_open, pidfd_send_signal, io_uring_setup, bpf, userfaultfd.
_OF_MACHINE = {
    "x86_64": _Calls(
        0xC000003E, (57, 58, 59, 322, 41, 42, 49, 62, 200, 101, 310, 311, 434, 424, 425, 321, 323), clone=56
    ),
    # Which has no fork and no vfork.
    "aarch64": _Calls(
        0xC00000B7, (221, 281, 198, 203, 200, 129, 130, 117, 270, 271, 434, 424, 425, 280, 282), clone=220
    ),
}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def stay_alone() -> bool:
    """Whether from here on this process computes without company; False where the system cannot do that."""
    calls = _OF_MACHINE.get(platform.machine()) if sys.platform == "linux" else None
    if calls is None:
        return False
    text = b"".join(_instructions(calls))
    program = _Program(len(text) // 8, text)
    control = ctypes.CDLL(None, use_errno=True).prctl
    if control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(control(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0)


def _instructions(calls: _Calls) -> Iterator[bytes]:
    yield _one(_LOAD, _MACHINE_AT)
    yield _one(_EQUAL, calls.machine, 1, 0)
    yield _one(_RETURN, _KILL)
    yield _one(_LOAD, _NUMBER_AT)
    yield _one(_AT_LEAST, _OTHER_INTERFACE, 0, 1)
    yield _one(_RETURN, _ERROR | errno.EPERM)
    for number in calls.refused:
        yield _one(_EQUAL, number, 0, 1)
        yield _one(_RETURN, _ERROR | errno.EPERM)
    yield _one(_EQUAL, calls.clone3, 0, 1)
    yield _one(_RETURN, _ERROR | errno.ENOSYS)
    yield _one(_EQUAL, calls.clone, 0, 3)
    yield _one(_LOAD, _FIRST_ARGUMENT_AT)
    yield _one(_ANY_BIT, _CLONE_THREAD, 1, 0)
    yield _one(_RETURN, _ERROR | errno.EPERM)
    yield _one(_RETURN, _ALLOW)


def _one(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """An instruction; a jump skips so many of those that follow."""
    return struct.pack("=HBBI", code, then, otherwise, value)

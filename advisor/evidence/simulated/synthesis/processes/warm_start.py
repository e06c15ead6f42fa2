"""The process that contained ones are forked from: it has loaded what executes kernels, and no more.

It reads commands of a fixed size from a socket and answers each with one number. What is done to a kernel is
between its process and the one that asks: they share a connection of their own, which comes with a command.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import struct
import sys

from advisor.evidence.simulated.synthesis.processes.contained_work import ready, work
from advisor.evidence.simulated.synthesis.processes.containment import Allowance

# What is wanted, a process id, bytes of memory, processor seconds.
COMMAND = struct.Struct("=cqqq")
ANSWER = struct.Struct("=q")
BEGIN, END = b"b", b"e"
# What says that a process could not be had.
NONE = -1


def serve(descriptor: int, program: str, store: str) -> None:
    """Answer commands until the socket is closed: BEGIN with the id of a new process, END with its status.

    What all processes need is got ready here once, with what is kept in the folder `store`, if it has a name.
    """
    control = socket.socket(fileno=descriptor)
    function = ready(program, store)
    gc.collect()
    # What is here now is not looked through for garbage in each child, which would copy its pages.
    gc.freeze()
    children: set[int] = set()
    control.sendall(ANSWER.pack(os.getpid()))
    try:
        while (asked := _command(control)) is not None:
            (what, process, memory_bytes, seconds), connection = asked
            if what == BEGIN and connection is not None:
                child = _fork()
                if child == 0:
                    _be_contained(work, connection, function, Allowance(memory_bytes, seconds))
                os.close(connection)
                if child != NONE:
                    children.add(child)
                control.sendall(ANSWER.pack(child))
            elif what == END and process in children:
                children.discard(process)
                control.sendall(ANSWER.pack(_end(process)))
            else:
                break
    finally:
        for child in children:
            _end(child)


def _be_contained(work: object, connection: int, function: object, allowance: Allowance) -> None:
    try:
        work(connection, function, allowance)  # type: ignore[operator]
    finally:
        os._exit(1)


def _fork() -> int:
    try:
        return os.fork()
    except OSError:
        return NONE


def _command(control: socket.socket) -> tuple[tuple[bytes, int, int, int], int | None] | None:
    """The next command and the connection that comes with it; None when nobody asks any more."""
    found, connection = b"", None
    while len(found) < COMMAND.size:
        try:
            part, descriptors, _, _ = socket.recv_fds(control, COMMAND.size - len(found), 1)
        except OSError:
            return None
        connection = descriptors[0] if descriptors else connection
        if not part:
            return None
        found += part
    return COMMAND.unpack(found), connection


def _end(process: int) -> int:
    """Kill a process with all that it started; how it ended, if it had ended before."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    except ChildProcessError:
        return NONE


def main() -> None:
    """Serve as the command line says: folder, descriptor, program, store."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(int(sys.argv[2]), sys.argv[3], sys.argv[4])

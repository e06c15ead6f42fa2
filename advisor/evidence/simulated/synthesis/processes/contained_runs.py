"""Has requests answered in contained processes, one each, and says how those ended that gave no answer."""

from __future__ import annotations

import atexit
import math
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Protocol

import advisor
from advisor.evidence.simulated.synthesis.processes.contained_work import LENGTH, MOST_BYTES, out_of_memory
from advisor.evidence.simulated.synthesis.processes.containment import Allowance
from advisor.evidence.simulated.synthesis.processes.messages import from_bytes
from advisor.evidence.simulated.synthesis.processes.warm_start import ANSWER, BEGIN, COMMAND, END, NONE
from advisor.evidence.simulated.synthesis.request import Limits
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.errors import EvidenceUnavailable
from advisor.model.processes.libraries_only import LIBRARIES_ONLY
from advisor.model.storage.cache import user_code_folder

MACHINE = "advisor.evidence.simulated.synthesis.synthesise:synthesise"
# Translating a kernel is not among the seconds of its launches.
_SECONDS_BESIDE = 20
# How many times longer than its processor time a process may last: others use the processors too.
_PATIENCE = 4
_START_SECONDS = 60.0
_LOOK_SECONDS = 0.1
# What libraries need to be found and to begin.
_KEPT_OF_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PATH")
_WARM = "from advisor.evidence.simulated.synthesis.processes.warm_start import main\n"
_ALONE = "from advisor.evidence.simulated.synthesis.processes.contained_work import work_alone as main\n"

_NOTHING = Allowance(0, 0)

Wanted = Callable[[], None]


class Limited(Protocol):
    """A request about a kernel, with what answering it may cost."""

    @property
    def kernel(self) -> str:
        """The name of the kernel."""

    @property
    def limits(self) -> Limits:
        """What its launches may cost."""


class ContainedRuns:
    """Runs `program` (module:function) on requests; any thread may ask, and several at a time.

    Where the system can fork, processes are forked from one that has imported the program; else each imports
    it itself. None of them sees the workspace, nor more of the environment than libraries need. The program
    is one of this package or lies in a folder `beside` it; what it has ready before it is contained may be
    kept in the folder `store`, which must be the user's own.
    """

    def __init__(
        self,
        program: str = MACHINE,
        *,
        forks: bool = hasattr(os, "fork"),
        beside: Sequence[str] = (),
        store: Path | None = None,
    ) -> None:
        self._program, self._store = program, str(store or "")
        self._forks = forks and hasattr(socket, "send_fds")
        self._folders = (str(Path(advisor.__file__).resolve().parent.parent), *beside)
        self._warm: _WarmProcess | None = None
        self._lock = threading.Lock()

    def answer(self, request: Limited, wanted: Wanted = lambda: None) -> tuple[Synthesis, bool]:
        """What the program gives for a request, and whether it would give the same again.

        `wanted` is called now and then, and ends the process by raising. A process that gives no answer makes
        an unknown with a sentence. Raises EvidenceUnavailable where no process can be had.
        """
        allowance = _allowance(request.limits)
        begin = time.monotonic()
        until = begin + _PATIENCE * allowance.seconds
        if self._forks:
            text, status = self._ready().run(request, allowance, until, wanted)
        else:
            text, status = self._alone(request, allowance, until, wanted)
        late = time.monotonic() >= until
        if len(text) > MOST_BYTES:
            return Synthesis(request.kernel, unknown="Running the kernel gives more than can be told."), True
        if text and not late:
            with suppress(ValueError):
                return from_bytes(text), True
        return Synthesis(request.kernel, unknown=_ended(status, late, allowance)), not late

    def rest(self) -> None:
        """End the process that others are forked from; the next request starts one again."""
        with self._lock:
            warm, self._warm = self._warm, None
        if warm is not None:
            warm.close()

    close = rest

    def _ready(self) -> _WarmProcess:
        with self._lock:
            if self._warm is None or not self._warm.alive:
                if self._warm is not None:
                    self._warm.close()
                self._warm = _WarmProcess(self._folders, self._program, self._store)
            return self._warm

    def _alone(
        self, request: Limited, allowance: Allowance, until: float, wanted: Wanted
    ) -> tuple[bytes, int]:
        arguments = [self._program, str(allowance.memory_bytes), str(allowance.seconds), self._store]
        with tempfile.TemporaryDirectory(prefix="advisor-", ignore_cleanup_errors=True) as empty:
            process = subprocess.Popen(
                _command(_ALONE, self._folders, *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=empty,
                env=_environment(),
                start_new_session=True,
            )
            try:
                return _piped(process, _packed(request), until, wanted)
            finally:
                _kill(process)


def own_runs(keep_code: bool, program: str = MACHINE) -> ContainedRuns:
    """The runs of this process, so that what is checked again and again starts no second process to fork;
    whether the user's store keeps code for them.
    """
    return _runs_of(os.getpid(), keep_code, program)


@cache
def _runs_of(process: int, keep_code: bool, program: str) -> ContainedRuns:
    runs = ContainedRuns(program, store=user_code_folder() if keep_code else None)

    def close() -> None:
        # A forked process must not end those of its parent.
        if os.getpid() == process:
            runs.close()

    atexit.register(close)
    return runs


class _WarmProcess:
    """The process that contained ones are forked from."""

    def __init__(self, folders: Sequence[str], program: str, store: str) -> None:
        self._empty = tempfile.TemporaryDirectory(prefix="advisor-", ignore_cleanup_errors=True)
        own, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(
                _command(_WARM, folders, str(its.fileno()), program, store),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._empty.name,
                env=_environment(),
                pass_fds=[its.fileno()],
                start_new_session=True,
            )
        self._control = own
        self._lock = threading.Lock()
        own.settimeout(_START_SECONDS)
        try:
            self._read()
        except OSError:
            self.close()
            raise EvidenceUnavailable(
                "The process that runs made-up launches does not start.", "See what `advisor doctor` finds."
            ) from None

    @property
    def alive(self) -> bool:
        """Whether it can fork."""
        return self._process.poll() is None

    def run(self, request: Limited, allowance: Allowance, until: float, wanted: Wanted) -> tuple[bytes, int]:
        """What a new process answers, and how it ended; it is gone when this returns."""
        own, its = socket.socketpair()
        with own:
            with its:
                process = self._ask(BEGIN, 0, allowance, its.fileno())
            try:
                text = _exchange(own, _packed(request), until, wanted)
            finally:
                status = self._ask(END, process)
        return text, status

    def _ask(
        self, what: bytes, process: int, allowance: Allowance = _NOTHING, descriptor: int | None = None
    ) -> int:
        command = COMMAND.pack(what, process, allowance.memory_bytes, allowance.seconds)
        try:
            with self._lock:
                socket.send_fds(self._control, [command], [] if descriptor is None else [descriptor])
                found = self._read()
        except OSError:
            self.close()
            found = NONE
        if found == NONE and what == BEGIN:
            raise EvidenceUnavailable("No process could be had to run made-up launches in.")
        return found

    def _read(self) -> int:
        found = b""
        while len(found) < ANSWER.size:
            part = self._control.recv(ANSWER.size - len(found))
            if not part:
                raise ConnectionError("the process to fork from has ended")
            found += part
        return int(ANSWER.unpack(found)[0])

    def close(self) -> None:
        """End it with all that were forked from it."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._process.kill()
        self._process.wait()
        self._empty.cleanup()


def _piped(
    process: subprocess.Popen[bytes], request: bytes, until: float, wanted: Wanted
) -> tuple[bytes, int]:
    """What a process answers on its standard output, and how it ended."""
    assert process.stdin is not None and process.stdout is not None
    given, answer = process.stdin, process.stdout
    found: list[bytes] = []

    def write() -> None:
        with suppress(OSError), given:
            given.write(request)

    writer = threading.Thread(target=write, daemon=True)
    reader = threading.Thread(target=lambda: found.append(answer.read(MOST_BYTES + 1)), daemon=True)
    writer.start()
    reader.start()
    while reader.is_alive() and time.monotonic() < until:
        wanted()
        reader.join(_LOOK_SECONDS)
    if reader.is_alive() or len(found[0]) > MOST_BYTES:
        return found[0] if found else b"", 0
    with suppress(subprocess.TimeoutExpired):
        process.wait(_LOOK_SECONDS)
    return found[0], process.returncode or 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with all of its group."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _exchange(connection: socket.socket, request: bytes, until: float, wanted: Wanted) -> bytes:
    """What comes back for a request until the other side ends, or what there was of it in time."""
    connection.setblocking(False)
    left, found = memoryview(request), bytearray()
    while time.monotonic() < until and len(found) <= MOST_BYTES:
        wanted()
        readable, writable, _ = select.select([connection], [connection] if left else [], [], _LOOK_SECONDS)
        try:
            if writable:
                left = left[connection.send(left) :]
            if readable:
                part = connection.recv(1 << 16)
                if not part:
                    break
                found += part
        except BlockingIOError:
            continue
        except ConnectionError:
            break
    return bytes(found)


def _allowance(limits: Limits) -> Allowance:
    return Allowance(limits.memory_bytes, math.ceil(limits.seconds) + _SECONDS_BESIDE)


def _packed(request: Limited) -> bytes:
    text = pickle.dumps(request)
    return LENGTH.pack(len(text)) + text


def _command(start: str, folders: Sequence[str], *arguments: str) -> list[str]:
    # -E, not -I: packages of the user's own site folder count as installed.
    code = f"{LIBRARIES_ONLY}sys.path += {[*folders[1:]]!r}\n{start}main()\n"
    return [sys.executable, "-E", "-X", "utf8", "-c", code, folders[0], *arguments]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_OF_ENVIRONMENT if name in os.environ}
    # Threads of libraries would only take memory.
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _ended(status: int, late: bool, allowance: Allowance) -> str:
    """Why there is no answer, as a sentence."""
    if late:
        return f"Running the kernel took longer than {_PATIENCE * allowance.seconds} s."
    if status == -getattr(signal, "SIGXCPU", 1 << 16):
        return f"Running the kernel took more than {allowance.seconds} s of processor time."
    if status == -signal.SIGABRT:
        # What LLVM does where memory ends.
        return out_of_memory(allowance)
    if status < 0:
        return f"The process that ran the kernel was ended by {signal.Signals(-status).name}."
    return f"The process that ran the kernel ended with status {status}."

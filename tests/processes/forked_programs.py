"""Processes of the program that begin with its modules imported, for tests that need one each.

One process imports the modules once and forks for each start: the interpreter's start and the imports, most
of what a short run costs, are paid for once. What is forked has its own arguments, streams, folder and
environment, and ends as `python -m advisor` does. Elsewhere than on Linux each process is started by itself.

What runs programs of users is forked from another process, which has imported Numba too: it must not be
where a test is about what is imported first, or sets variables that Numba reads when it is imported.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import functools
import gc
import importlib
import json
import multiprocessing.process
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from advisor.model.processes.gc_paused import freeze_for_good
from advisor.model.processes.interruption import end_processes_below

POSSIBLE = sys.platform == "linux"
_LONGEST_REQUEST = 1 << 20
_STREAMS = 3
_LONGEST_START, _LONGEST_END = 120.0, 10.0
# What most checks and servers import before they have something to say.
_MODULES = (
    "advisor.__main__",
    "advisor.cli.commands.check",
    "advisor.cli.commands.run",
    "advisor.cli.commands.server",
    "advisor.check.pipeline",
    "advisor.evidence.compiled",
    "advisor.evidence.metrics.predicted_times",
    "advisor.evidence.simulated.synthesis.evidence",
    "advisor.fixes.writing",
    "advisor.program.compilation_units.closure",
    "advisor.reports.outputs",
    "advisor.reports.rule_pages.catalogue",
    "lsp_server.evidence.collectors",
    "lsp_server.evidence.compiling",
    "lsp_server.evidence.launching",
    "lsp_server.server",
)
# And what a run of a program imports; CUDA is not used, which must not come before a fork.
_MODULES_OF_RUNS = (
    *_MODULES,
    "numba.cuda",
    "advisor.evidence.simulated.driver.install",
    "advisor.evidence.simulated.launches.recording.script",
    "advisor.evidence.simulated.simt.vector.runtime",
)


@dataclass
class ForkedProgram:
    """A forked process, to be used as a `subprocess.Popen` is."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    _ended: IO[bytes]
    returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, None while it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self._take_status()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended; raises TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("advisor", timeout or 0.0)
            self._take_status()
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """End it at once, where it still runs, with what it has started: that may hold its streams open."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGSTOP)
            end_processes_below(self.pid)
            os.kill(self.pid, signal.SIGKILL)

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """All of its output and of its errors, without input; raises TimeoutExpired, and it is killed."""
        self.stdin.close()
        with ThreadPoolExecutor(2) as readers, self.stdout, self.stderr:
            out, err = (readers.submit(stream.read) for stream in (self.stdout, self.stderr))
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            return out.result(), err.result()

    def _take_status(self) -> None:
        self.returncode = int(self._ended.readline())
        self._ended.close()


def start_advisor(*argv: str, cwd: Path, env: Mapping[str, str]) -> ForkedProgram | subprocess.Popen[bytes]:
    """`advisor` with those arguments, in a process of its own with pipes for its streams."""
    if POSSIBLE:
        modules = _MODULES_OF_RUNS if "run" in argv[:1] else _MODULES
        return _forking(modules).start(["advisor", *argv], cwd, env)
    return _started(["-m", "advisor", *argv], cwd, env)


def start_script(file: Path, cwd: Path, env: Mapping[str, str]) -> ForkedProgram | subprocess.Popen[bytes]:
    """A script that uses Numba, as `python file` runs it."""
    if POSSIBLE:
        return _forking(_MODULES_OF_RUNS).start([str(file)], cwd, env)
    return _started([str(file)], cwd, env)


def _started(argv: list[str], cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *argv], cwd=cwd, env=dict(env), **pipes)


class _Forking:
    """The process that forks, seen from the tests."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BEGIN, str(Path(__file__).parent), str(theirs.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # A process with more threads than one is not forked.
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )
        atexit.register(self.end)

    def start(self, argv: list[str], cwd: Path, env: Mapping[str, str]) -> ForkedProgram:
        """A forked process; `cwd` and `env` are its own."""
        (given, stdin), (stdout, out), (stderr, err), (ended, told) = (os.pipe() for _ in range(4))
        request = json.dumps({"argv": argv, "cwd": str(cwd), "env": dict(env)}).encode()
        try:
            socket.send_fds(self._requests, [request], [given, out, err, told])
        finally:
            for descriptor in (given, out, err, told):
                os.close(descriptor)
        streams = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), os.fdopen(stderr, "rb")
        # Without a buffer: `select` tells of what is in the pipe.
        status = os.fdopen(ended, "rb", buffering=0)
        answered = select.select([status], [], [], _LONGEST_START)[0]
        number = status.readline() if answered else b""
        assert number, "the process that forks has ended" if answered else "it does not fork"
        return ForkedProgram(int(number), *streams, status)

    def end(self) -> None:
        """End the process; what it has forked goes on."""
        self._requests.close()
        try:
            self._process.wait(_LONGEST_END)
        except subprocess.TimeoutExpired:
            # What was forked from the tests may hold the other end of the socket.
            self._process.kill()
            self._process.wait()


@functools.cache
def _forking(modules: tuple[str, ...]) -> _Forking:
    return _Forking(modules)


# The folder of the tests is on the module path only until this module is found.
_BEGIN = """
import sys
sys.path[0] = sys.argv[1]
from forked_programs import serve
del sys.path[0]
serve(int(sys.argv[2]), sys.argv[3:])
"""


def serve(descriptor: int, modules: Sequence[str]) -> None:
    """Fork for each request until the tests end; in a forked process, be the program and end."""
    for module in modules:
        importlib.import_module(module)
    if "numba.cuda" in modules:
        target = importlib.import_module("numba.cuda.descriptor").cuda_target
        target.typing_context.refresh()
        target.target_context.refresh()
    # What is here now is not looked through for garbage in each forked process, which would copy its pages.
    gc.collect()
    freeze_for_good()
    # The terminal's interrupt is for the tests and for what they start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = socket.socket(fileno=descriptor)
    # Of each that runs: a descriptor that tells of its end, its number, and the pipe for its exit status.
    running: dict[int, tuple[int, int]] = {}
    while True:
        ready, _, _ = select.select([requests, *running], [], [])
        for ended in ready:
            if isinstance(ended, int):
                _tell_of_end(ended, *running.pop(ended))
        if requests not in ready:
            continue
        message, descriptors = _received(requests)
        if not message:
            return
        *streams, told = descriptors
        if (child := os.fork()) == 0:
            requests.close()
            for other in (told, *running, *(pipe for _, pipe in running.values())):
                os.close(other)
            _be_the_program(json.loads(message), streams)
        for passed in streams:
            os.close(passed)
        os.write(told, b"%d\n" % child)
        running[os.pidfd_open(child)] = (child, told)


def _received(requests: socket.socket) -> tuple[bytes, list[int]]:
    message, descriptors, _, _ = socket.recv_fds(requests, _LONGEST_REQUEST, _STREAMS + 1)
    return message, list(array.array("i", descriptors))


def _tell_of_end(descriptor: int, child: int, told: int) -> None:
    _, status = os.waitpid(child, 0)
    # Where no test asks for it any more, the pipe is closed.
    with contextlib.suppress(BrokenPipeError):
        os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
    os.close(descriptor)
    os.close(told)


def _be_the_program(request: dict[str, object], streams: list[int]) -> NoReturn:
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # As an interpreter opens them when it starts: what it keeps of a stream is of these.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    env, argv = request["env"], request["argv"]
    assert isinstance(env, dict) and isinstance(argv, list)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = [folder for folder in env.get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    sys.argv = argv
    os.chdir(str(request["cwd"]))
    # Where the interpreter started: processes that it spawns look there for its script.
    multiprocessing.process.ORIGINAL_DIR = str(Path.cwd())  # type: ignore[attr-defined]
    if argv[0] == "advisor":
        from advisor.__main__ import main

        sys.exit(main())
    sys.path.insert(0, str(Path(argv[0]).parent))
    runpy.run_path(argv[0], run_name="__main__")
    sys.exit()

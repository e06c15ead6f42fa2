"""Ctrl-C and SIGTERM end a command at once, and with it every process that it has started."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

# How long a command may take to leave things in order. Whoever presses Ctrl-C should have the prompt back
# within a second.
_GRACE_SECONDS = 0.7
_STEP_SECONDS = 0.05
_AGAIN_SECONDS = 0.001
_WORDS = {signal.SIGINT: "Interrupted.", signal.SIGTERM: "Terminated."}

_Handler = Callable[[int, FrameType | None], object] | int | None

# The instructions at the start of a function that run before any of its statements: those of its closure and
# the one at which Python looks for signals.
_ENTRY_BYTES = 4
_called_by_native_code: dict[CodeType, bool] = {}


class Interrupted(KeyboardInterrupt):
    """A signal that asks the program to end; `status` is the exit status that shells expect."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.number = number

    @property
    def status(self) -> int:
        """128 and the number of the signal."""
        return 128 + self.number

    @property
    def words(self) -> str:
        """What is said to whoever waits."""
        return _WORDS[signal.Signals(self.number)]


class Interruption:
    """While it is entered, SIGINT and SIGTERM kill all processes below this one and raise Interrupted here.

    A process that has not ended shortly after, as one that waits for threads, is then ended without further
    ado; `only_process` tells that nothing else lives in it that must not be ended. Where Python drops the
    exception, as it does in what `os.register_at_fork` calls, it is raised again. `reason` is the signal that
    came, None before: what fails behind it fails for it.
    """

    def __init__(self, only_process: bool) -> None:
        self._only_process = only_process
        self._owner = os.getpid()
        self._former: dict[int, _Handler] = {}
        self._left = False
        self._dropped = False
        self._former_hook: Callable[[sys.UnraisableHookArgs], Any] = sys.unraisablehook
        self.reason: Interrupted | None = None

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in _WORDS:
                self._former[number] = signal.signal(number, self._handle)
            _entered.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self in _entered:
            _entered.remove(self)
        for number, handler in self._former.items():
            if handler is not None:
                signal.signal(number, handler)
        if self.reason is not None:
            sys.unraisablehook = self._former_hook
        # What Python does at its end may take long too: then the process is ended all the same.
        self._left = not (self._only_process and kind is not None and issubclass(kind, Interrupted))

    def leave_forked(self) -> None:
        """Let SIGTERM end a process that was forked meanwhile as it ends any other, in whatever it waits for.

        A handler written in Python runs only between two instructions: a process that begins to wait for a
        lock just then would neither end nor go on.
        """
        if signal.SIGTERM in self._former and signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, self._former[signal.SIGTERM] or signal.SIG_DFL)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if os.getpid() != self._owner:
            # A worker that was forked from the command has nothing to say.
            os._exit(128 + number)
        if _held.depth:
            _held.number = number
            return
        signal.signal(number, signal.SIG_IGN)
        end_processes_below()
        self.reason = Interrupted(number)
        self._former_hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        # Not threading.Thread, whose locks the interrupted code may hold.
        _thread.start_new_thread(self._end_in_time, (self.reason,))
        raise self.reason

    def _unraisable(self, dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, Interrupted):
            signal.signal(dropped.exc_value.number, self._raise_again)
            self._dropped = True
        else:
            self._former_hook(dropped)

    def _raise_again(self, number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise Interrupted(number)

    def _end_in_time(self, reason: Interrupted) -> None:
        """Kill what threads start meanwhile, and at last this process."""
        until = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < until:
            time.sleep(_STEP_SECONDS)
            if self._left:
                return
            if self._dropped:
                self._dropped = False
                _signal_main_thread(reason.number)
            end_processes_below()
        if self._only_process:
            with contextlib.suppress(OSError):
                os.write(2, f"{reason.words}\n".encode())
            os._exit(reason.status)


def _signal_main_thread(number: int) -> None:
    if hasattr(signal, "pthread_kill"):
        # It also wakes what waits.
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


# The contexts that this process is in, the outermost first, and the pipes that are told of its signals.
_entered: list[Interruption] = []
_told: list[int] = []


def _after_fork() -> None:
    # A process hears of its own signals only.
    if _told and (descriptor := signal.set_wakeup_fd(-1)) not in _told:
        signal.set_wakeup_fd(descriptor)
    _told.clear()
    for interruption in reversed(_entered):
        interruption.leave_forked()
    _entered.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Held:
    """How many contexts hold signals back, and the latest of these signals, 0 for none."""

    depth = 0
    number = 0


_held = _Held()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """A context for a few quick steps that belong together: a signal ends the command behind them."""
    _held.depth += 1
    try:
        yield
    finally:
        _held.depth -= 1
        if not _held.depth and _held.number:
            number, _held.number = _held.number, 0
            signal.raise_signal(number)


def called_by_native_code(function: Callable[..., object], keeps_errors: bool) -> None:
    """Note a function that native code calls and no exception passes: a signal is raised behind it.

    With `keeps_errors` its statements stand in a `try` that keeps what is raised, so that only what is
    raised before the first of them would be lost.
    """
    code = getattr(function, "__code__", None)
    assert isinstance(code, CodeType)
    _called_by_native_code[code] = keeps_errors


def _raise_where_it_is_seen(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; where it would be lost, ask again a moment later."""
    keeping = True
    above = frame
    while above is not None:
        keeps_errors = _called_by_native_code.get(above.f_code)
        if keeps_errors is False or (keeps_errors and above is frame and above.f_lasti <= _ENTRY_BYTES):
            keeping = False
        above = above.f_back
    if keeping:
        signal.default_int_handler(number, frame)
    _ask_again(number)


def _ask_again(number: int) -> None:
    again = threading.Timer(_AGAIN_SECONDS, _signal_main_thread, (number,))
    again.daemon = True
    again.start()


@contextlib.contextmanager
def _raised_again_where_python_drops_it() -> Iterator[None]:
    """A context in which KeyboardInterrupt comes again where Python drops it, as in what frees an object."""
    former = sys.unraisablehook

    def look(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            _ask_again(signal.SIGINT)
        else:
            former(dropped)

    sys.unraisablehook = look
    try:
        yield
    finally:
        sys.unraisablehook = former


@contextlib.contextmanager
def users_own_program(stop: Callable[[], None]) -> Iterator[None]:
    """A context for code of the user, which may handle Ctrl-C itself: SIGINT only raises KeyboardInterrupt.

    `stop` is called in a thread at each signal: it makes native code return, for until then the main thread
    raises nothing. When KeyboardInterrupt ends the program, the processes that it has started are killed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, _raise_where_it_is_seen)
    try:
        with _told_at_once(stop), _raised_again_where_python_drops_it():
            yield
    except KeyboardInterrupt:
        end_processes_below()
        raise
    finally:
        if former is not None:
            signal.signal(signal.SIGINT, former)


@contextlib.contextmanager
def _told_at_once(stop: Callable[[], None]) -> Iterator[None]:
    """A context in which `stop` is called at each signal, whatever the main thread does."""
    if os.name == "nt":  # where signals are written to sockets only
        yield
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    former = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    _told.append(write)

    def wait() -> None:
        while number := os.read(read, 1):
            if number[0] in _WORDS:
                stop()
        os.close(read)

    threading.Thread(target=wait, daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(former, warn_on_full_buffer=False)
        if write in _told:
            _told.remove(write)
        # The end of the pipe ends the thread.
        os.close(write)


def end_processes_below(top: int | None = None) -> None:
    """Kill every process that this one, or the one given, has started, and those that these have started."""
    for process in processes_below(top or os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def processes_below(top: int) -> list[int]:
    """The processes that one has started, and those that these have started; none on Windows."""
    return _below(top, _parents())


def _below(process: int, parents: dict[int, int]) -> list[int]:
    """The processes below one, those near it first: killed in this order, none starts another meanwhile."""
    children: dict[int, list[int]] = {}
    for one, parent in parents.items():
        children.setdefault(parent, []).append(one)
    found = list(children.get(process, ()))
    for one in found:
        found += children.get(one, ())
    return found


def _parents() -> dict[int, int]:
    """The parent of each process; empty on Windows, where the console itself tells all of them."""
    if os.name == "nt":
        return {}
    if Path("/proc/self/stat").exists():
        return _parents_in_proc()
    import subprocess  # every command would wait for it, and nearly none needs it

    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False)
    lines = (line.split() for line in listed.stdout.splitlines())
    return {int(process): int(parent) for process, parent in lines}


def _parents_in_proc() -> dict[int, int]:
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - a Path for each process takes longer than the reading
        if name.isdigit():
            # A process may have ended since.
            with contextlib.suppress(OSError, ValueError, IndexError):
                stream = os.open(f"/proc/{name}/stat", os.O_RDONLY)
                try:
                    text = os.read(stream, 4096)
                finally:
                    os.close(stream)
                # The name of the program stands in brackets and may hold any character.
                found[int(name)] = int(text.rpartition(b")")[2].split()[1])
    return found

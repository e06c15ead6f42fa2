"""Progress on the terminal, for runs long enough to make somebody wonder."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SILENT_SECONDS = 1.0
_WORKING = "working"


class TerminalProgress:
    """A callable `(phase, done, total)` that draws a bar on stderr once a run has lasted a second.

    Where nothing is reported until then, a bar without an end says that work goes on. It stays silent when
    stderr is not a terminal, and imports what draws only when it draws.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._enabled = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._stack = ExitStack()
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.Lock()
        self._ended = False

    def __enter__(self) -> TerminalProgress:
        if self._enabled:
            waiting = threading.Timer(SILENT_SECONDS, self._work_goes_on)
            waiting.daemon = True
            waiting.start()
            self._stack.callback(waiting.cancel)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
        self._stack.close()

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of `phase` are done."""
        if not self._enabled or time.monotonic() - self._started < SILENT_SECONDS:
            return
        with self._lock:
            bar = self._opened()
            if _WORKING in self._tasks:
                bar.remove_task(self._tasks.pop(_WORKING))
            if phase not in self._tasks:
                self._tasks[phase] = bar.add_task(phase, total=total)
            bar.update(self._tasks[phase], completed=done, total=total)

    def _work_goes_on(self) -> None:
        with self._lock:
            if not self._ended and not self._tasks:
                self._tasks[_WORKING] = self._opened().add_task(_WORKING, total=None)

    def _opened(self) -> Progress:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = self._stack.enter_context(Progress(console=Console(stderr=True), transient=True))
        return self._bar

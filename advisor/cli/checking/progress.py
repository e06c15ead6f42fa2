"""Progress on the terminal, for runs long enough to make somebody wonder."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SILENT_SECONDS = 1.0


class TerminalProgress:
    """A callable `(phase, done, total)` that draws a bar on stderr once a run has lasted a second.

    It stays silent when stderr is not a terminal, and imports what draws only when it draws.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._enabled = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._stack = ExitStack()
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of `phase` are done."""
        if not self._enabled or time.monotonic() - self._started < SILENT_SECONDS:
            return
        if self._bar is None:
            self._bar = self._open()
        if phase not in self._tasks:
            self._tasks[phase] = self._bar.add_task(phase, total=total)
        self._bar.update(self._tasks[phase], completed=done, total=total)

    def _open(self) -> Progress:
        from rich.console import Console
        from rich.progress import Progress

        return self._stack.enter_context(Progress(console=Console(stderr=True), transient=True))

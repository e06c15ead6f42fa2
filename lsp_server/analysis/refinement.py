"""Better evidence than the source's, for texts that stay as they are for a while."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from lsp_server.analysis.checked_text import Analysis
from lsp_server.documents.document import Document


class Cancelled(Exception):
    """Nobody wants the result any more: the text has changed."""


class Stop:
    """Whether work under way is still wanted; told from one thread, asked from another."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Make the work void."""
        self._event.set()

    def check(self, what: str = "", done: int = 0, total: int = 0) -> None:  # noqa: ARG002
        """Raise Cancelled when nobody wants the result; in the form of a check's progress."""
        if self._event.is_set():
            raise Cancelled


# What is looked for in a text that stays as it is: launches that were recorded, then compiled kernels too,
# and at last launches that are made up for these.
Level = Literal["recorded", "compiled", "synthesised"]
Analyse = Callable[[Document, Level, Stop], "Analysis | None"]


class Refinements:
    """Analyses that take their time: each document's latest is kept while its text is the same.

    `analyse` runs in a thread of its own, for one document at a time; `ready`, `failed` and, when no more is
    to come, `settled` are called on the event loop.
    """

    def __init__(
        self,
        analyse: Analyse,
        ready: Callable[[Analysis], None],
        failed: Callable[[Document, Exception], None],
        settled: Callable[[Document], None] | None = None,
    ) -> None:
        self._analyse, self._ready, self._failed = analyse, ready, failed
        self._settled = settled
        self._worker = ThreadPoolExecutor(1, "evidence")
        self._kept: dict[str, Analysis] = {}
        self._tasks: dict[str, tuple[asyncio.Task[None], Stop]] = {}

    def begin(self, document: Document, after: float, levels: tuple[Level, ...]) -> None:
        """Look for better evidence once some seconds have passed, each level after the other."""
        self.cancel(document.uri)
        kept = self._kept.get(document.uri)
        if kept is not None and kept.document != document:
            del self._kept[document.uri]
        if levels:
            stop = Stop()
            task = asyncio.get_running_loop().create_task(self._run(document, after, levels, stop))
            self._tasks[document.uri] = task, stop

    def best(self, analysis: Analysis) -> Analysis:
        """The analysis of the same text that rests on the best evidence."""
        kept = self._kept.get(analysis.document.uri)
        return kept if kept is not None and kept.document == analysis.document else analysis

    def cancel(self, uri: str) -> None:
        """Make void what is under way for a document."""
        task, stop = self._tasks.pop(uri, (None, None))
        if task is not None and stop is not None:
            stop.set()
            task.cancel()

    def forget(self, uri: str | None = None) -> None:
        """Make void what is kept and under way for one document, or for all."""
        for gone in [uri] if uri is not None else [*self._kept, *self._tasks]:
            self.cancel(gone)
            self._kept.pop(gone, None)

    def close(self) -> None:
        """Begin nothing more."""
        for uri in list(self._tasks):
            self.cancel(uri)
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _run(self, document: Document, after: float, levels: tuple[Level, ...], stop: Stop) -> None:
        await asyncio.sleep(after)
        loop = asyncio.get_running_loop()
        left = list(levels)
        while left:
            try:
                found = await loop.run_in_executor(self._worker, self._analyse, document, left[0], stop)
            except (asyncio.CancelledError, Cancelled):
                return
            except Exception as error:
                self._failed(document, error)
                return
            if found is None or found.complete:
                del left[0]
            if found is not None and found.evidence != "source":
                self._kept[document.uri] = found
                self._ready(found)
        if self._settled is not None:
            self._settled(document)

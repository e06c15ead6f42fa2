"""Analyses off the event loop, of which only the latest of each document counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lsp_server.analysis.checked_text import Analysis
from lsp_server.documents.document import Document

T = TypeVar("T")


class DebouncedAnalyses:
    """Runs one analysis at a time and keeps the latest of each document for whoever asks again.

    A newer text makes the older one's analysis void: it is not begun, or its result is dropped.
    """

    def __init__(self, analyse: Callable[[Document], Analysis]) -> None:
        self._analyse = analyse
        self._worker = ThreadPoolExecutor(1, "analysis")
        self._wanted: dict[str, tuple[Document, asyncio.Future[Analysis]]] = {}

    async def of(self, document: Document) -> Analysis | None:
        """The analysis of `document`; None when a newer text of it, or `forget`, has made that void.

        Raises whatever the analysis raises.
        """
        wanted = self._wanted.get(document.uri)
        if wanted is None or wanted[0] != document or _failed(wanted[1]):
            wanted = (document, self._begin(document))
            self._wanted[document.uri] = wanted
        future = wanted[1]
        try:
            # Whoever stops waiting must not stop it for the others who wait.
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if future.cancelled():
                return None
            raise

    def forget(self, uri: str | None = None) -> None:
        """Make void what is kept and under way for one document, or for all."""
        for gone in [uri] if uri is not None else list(self._wanted):
            wanted = self._wanted.pop(gone, None)
            if wanted is not None:
                wanted[1].cancel()

    async def run(self, work: Callable[[], T]) -> T:
        """The result of other work on the analyses, which must not block the event loop either."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def close(self) -> None:
        """End the worker; what it has begun is finished first."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _begin(self, document: Document) -> asyncio.Future[Analysis]:
        self.forget(document.uri)
        future = asyncio.get_running_loop().run_in_executor(self._worker, self._analyse, document)
        future.add_done_callback(_failed)
        return future


def _failed(future: asyncio.Future[Analysis]) -> bool:
    """Whether the analysis is over without a result; that it was asked keeps asyncio from complaining."""
    return future.done() and (future.cancelled() or future.exception() is not None)

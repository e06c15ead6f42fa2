"""Of many analyses of a document the latest counts, and whoever asks twice is not kept waiting twice."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.model.devices import find_device
from advisor.model.settings.config import Config
from lsp_server.analysis.checked_text import Analysis
from lsp_server.analysis.debounce import DebouncedAnalyses
from lsp_server.documents.document import Document

FIRST = Document("file:///w/k.py", 1, Path("/w/k.py"), Path("/w"), False, "first")


class Recorder:
    """An analysis that notes the texts it was asked for; those named in `slow` wait for `go`."""

    def __init__(self, *slow: str) -> None:
        self.texts: list[str] = []
        self.slow, self.begun, self.go = slow, threading.Event(), threading.Event()

    def __call__(self, document: Document) -> Analysis:
        self.texts.append(document.text)
        self.begun.set()
        if document.text in self.slow:
            assert self.go.wait(60)
        if document.text == "wrong":
            raise ValueError("wrong")
        return Analysis(document, Config(), find_device("a100"))


def test_the_same_document_is_analysed_once():
    work = Recorder()

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        results = await asyncio.gather(latest.of(FIRST), latest.of(FIRST), latest.of(replace(FIRST)))
        assert [result.document for result in results if result] == [FIRST] * 3

    asyncio.run(session())
    assert work.texts == ["first"]


@pytest.mark.parametrize("change", [{"text": "second"}, {"root": Path("/")}, {"version": 2}])
def test_a_document_that_differs_in_anything_is_analysed_anew(change):
    work = Recorder()

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        await latest.of(FIRST)
        second = await latest.of(replace(FIRST, **change))
        assert second is not None
        assert second.document == replace(FIRST, **change)

    asyncio.run(session())
    assert len(work.texts) == 2


def test_an_older_text_is_void_and_what_has_not_begun_never_does():
    work = Recorder("first")

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        tasks = []
        for version, text in enumerate(["first", "second", "third"], start=1):
            tasks.append(asyncio.ensure_future(latest.of(replace(FIRST, version=version, text=text))))
            await asyncio.sleep(0)
            if version == 1:
                await asyncio.to_thread(work.begun.wait, 60)
        await asyncio.sleep(0)  # asyncio takes a cancelled future from the pool one iteration later
        work.go.set()
        results = await asyncio.gather(*tasks)
        assert [result and result.document.text for result in results] == [None, None, "third"]

    asyncio.run(session())
    assert work.texts == ["first", "third"]


def test_who_stops_waiting_does_not_stop_the_others():
    work = Recorder("first")

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        gone, stays = (asyncio.ensure_future(latest.of(FIRST)) for _ in range(2))
        await asyncio.to_thread(work.begun.wait, 60)
        gone.cancel()
        work.go.set()
        assert await stays is not None
        with pytest.raises(asyncio.CancelledError):
            await gone

    asyncio.run(session())


def test_a_failure_is_raised_and_not_kept():
    work = Recorder()

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        for _ in range(2):
            with pytest.raises(ValueError, match="wrong"):
                await latest.of(replace(FIRST, text="wrong"))

    asyncio.run(session())
    assert work.texts == ["wrong", "wrong"]


def test_after_forget_a_document_is_analysed_anew():
    work = Recorder()

    async def session() -> None:
        latest = DebouncedAnalyses(work)
        await latest.of(FIRST)
        latest.forget()
        await latest.of(FIRST)
        latest.forget("file:///w/other.py")
        await latest.of(FIRST)

    asyncio.run(session())
    assert work.texts == ["first", "first"]

"""Fixes of findings, written in a process of its own and kept by the content that they follow from."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from advisor.model.findings import Finding
from advisor.model.storage.memo import Memo, SameObject
from lsp_server.analysis.checked_text import Analysis
from lsp_server.fixes.fix_process import FixProcess
from lsp_server.fixes.fix_writing import Writing, Written

_IDLE_SECONDS = 300.0
_MOST_KEPT = 16
# Of a text with more, the others' fixes are written when somebody asks.
_MOST_PREPARED = 40
_log = logging.getLogger(__name__)


def mendable(finding: Finding) -> bool:
    """Whether there is a fix that may have something to say of the finding."""
    from advisor.fixes import known_fixes

    return any(finding.rule in fix.rules for fix in known_fixes())


@dataclass
class _Content:
    """All that the fixes of a document follow from, and a future for each finding that was asked about."""

    uri: str
    writing: bytes
    findings: dict[Finding, asyncio.Future[Written | None]] = field(default_factory=dict)
    waiting: int = 0


class FixService:
    """Has fixes written, each finding's once for a content. Belongs to one event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "fixes")
        self._process = FixProcess()
        self._contents = Memo[bytes, _Content](_MOST_KEPT)
        self._latest = Memo[str, _Content](_MOST_KEPT)
        self._rest: asyncio.TimerHandle | None = None
        self._closed = False

    async def written(
        self, analysis: Analysis, findings: Sequence[Finding], patience: float | None = None
    ) -> list[Written]:
        """Those of the findings whose fixes are known within `patience` in seconds, with these fixes.

        What was begun goes on, so that a later question finds it. A fix that cannot be written is absent.
        """
        content = await self._content(analysis)
        wanted = {one: self._future(content, one) for one in findings if mendable(one)}
        if not all(one.done() for one in wanted.values()):
            content.waiting += 1
            try:
                await asyncio.wait(wanted.values(), timeout=patience)
            finally:
                content.waiting -= 1
        found = (_result(wanted[one]) if one in wanted else Written(one) for one in findings)
        return [one for one in found if one is not None]

    async def prepare(self, analysis: Analysis) -> None:
        """Write the fixes of an analysis, so that the first menu offers them.

        One by one, so that who asks for a fix need not wait for all, and as long as no other analysis of the
        document is asked about.
        """
        before = self._latest.latest(analysis.document.uri)
        if before is not None and before.waiting:
            return
        content = await self._content(analysis)
        for finding in [one for one in analysis.findings if mendable(one)][:_MOST_PREPARED]:
            if self._closed or not self._is_latest(content):
                return
            await asyncio.wait([self._future(content, finding)])

    def close(self) -> None:
        """End the process and begin nothing more; who still waits gets a finding as it was."""
        self._closed = True
        if self._rest is not None:
            self._rest.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._process.kill()

    async def _content(self, analysis: Analysis) -> _Content:
        """What an analysis' fixes follow from; it is from now on the document's latest."""
        uri = analysis.document.uri
        content = self._latest.find(uri, SameObject(analysis))
        if content is None:
            self._latest.forget(uri)
            digest, writing = await asyncio.to_thread(_packed, analysis)
            content = self._contents.value(digest, None, lambda: _Content(uri, writing))
            self._latest.keep(uri, SameObject(analysis), content)
        return content

    def _is_latest(self, content: _Content) -> bool:
        return self._latest.latest(content.uri) is content

    def _future(self, content: _Content, finding: Finding) -> asyncio.Future[Written | None]:
        known = content.findings.get(finding)
        if known is None or (known.done() and _result(known) is None):
            loop = asyncio.get_running_loop()
            known = loop.run_in_executor(self._thread, self._write, content, finding)
            content.findings[finding] = known
            if self._rest is not None:
                self._rest.cancel()
            self._rest = loop.call_later(_IDLE_SECONDS, self._thread.submit, self._process.end)
        return known

    def _write(self, content: _Content, finding: Finding) -> Written | None:
        # Fixes of an earlier text are written only for somebody who waits for them.
        if not content.waiting and not self._is_latest(content):
            return None
        try:
            return self._process.write(content.writing, finding)
        except (OSError, EOFError, ValueError) as error:
            if not self._closed:
                _log.error("The fixes of %s were not written: %s", finding.rule, error)
            return Written(finding)


def _result(future: asyncio.Future[Written | None]) -> Written | None:
    """What was written; None where it is not yet, or where nobody waited for it any more."""
    return None if not future.done() or future.cancelled() else future.result()


def _packed(analysis: Analysis) -> tuple[bytes, bytes]:
    """A digest of all that the fixes of an analysis follow from, and this as the writing process takes it."""
    from advisor.fixes.proofs import ProofStore

    writing = Writing(
        replace(analysis.document, version=None),
        analysis.settings,
        analysis.device.id,
        analysis.workspace_files,
        dict(analysis.texts),
        analysis.tables,
        analysis.with_errors,
    )
    data = pickle.dumps(writing, pickle.HIGHEST_PROTOCOL)
    proofs = ProofStore(analysis.settings.root).stamp()
    return hashlib.blake2b(data + repr(proofs).encode()).digest(), data

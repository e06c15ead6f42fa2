"""Fixes of findings, written in a process of its own and kept as long as their analysis is the latest."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import advisor
from advisor.findings import Finding
from lsp_server.analysis import Analysis
from lsp_server.fix_writing import Request, Writing, Written, receive, send

_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_MOST_DOCUMENTS = 16
# Of a text with more, the others' fixes are written when somebody asks.
_MOST_PREPARED = 40
_COMMAND = "from lsp_server.fix_writing import serve; serve()"
_log = logging.getLogger(__name__)


def mendable(finding: Finding) -> bool:
    """Whether there is a fix that may have something to say of the finding."""
    from advisor.fixes import known_fixes

    return any(finding.rule in fix.rules for fix in known_fixes())


@dataclass
class _Kept:
    """What was written for one analysis; a future for each finding that was asked for."""

    analysis: Analysis
    findings: dict[Finding, asyncio.Future[Written]] = field(default_factory=dict)
    waiting: int = 0


class FixDesk:
    """Has fixes written, each finding's once for an analysis. Belongs to one event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "fixes")
        self._writer = _Writer()
        self._kept: dict[str, _Kept] = {}
        self._rest: asyncio.TimerHandle | None = None
        self._closed = False

    def last(self, uri: str) -> Analysis | None:
        """The analysis of a document whose fixes were last asked for."""
        kept = self._kept.get(uri)
        return None if kept is None else kept.analysis

    async def written(
        self, analysis: Analysis, findings: Sequence[Finding], patience: float | None = None
    ) -> list[Written] | None:
        """The findings with their fixes; None where that takes longer than `patience` in seconds.

        What was begun goes on, so that a later question finds it. A fix that cannot be written is absent.
        """
        kept = self._of(analysis)
        wanted = {one: self._future(kept, one) for one in findings if mendable(one)}
        if wanted and not all(one.done() for one in wanted.values()):
            kept.waiting += 1
            try:
                await asyncio.wait(wanted.values(), timeout=patience)
            finally:
                kept.waiting -= 1
        if not all(one.done() for one in wanted.values()):
            return None
        return [wanted[one].result() if one in wanted else Written(one) for one in findings]

    async def prepare(self, analysis: Analysis) -> None:
        """Nothing; writes the fixes of an analysis, so that the first menu knows which there are.

        One by one, so that who asks for a fix need not wait for all, and as long as no other analysis of the
        document is asked about.
        """
        before = self._kept.get(analysis.document.uri)
        if before is not None and before.waiting:
            return
        kept = self._of(analysis)
        for finding in [one for one in analysis.findings if mendable(one)][:_MOST_PREPARED]:
            if self._closed or self._kept.get(analysis.document.uri) is not kept:
                return
            await asyncio.wait([self._future(kept, finding)])

    def close(self) -> None:
        """Ends the process and begins nothing more; who still waits gets a finding as it was."""
        self._closed = True
        if self._rest is not None:
            self._rest.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._writer.kill()

    def _of(self, analysis: Analysis) -> _Kept:
        """What is kept of an analysis, which is from now on the document's latest."""
        uri = analysis.document.uri
        kept = self._kept.pop(uri, None)
        if kept is None or kept.analysis is not analysis:
            kept = _Kept(analysis)
        self._kept[uri] = kept
        while len(self._kept) > _MOST_DOCUMENTS:
            del self._kept[next(iter(self._kept))]
        return kept

    def _future(self, kept: _Kept, finding: Finding) -> asyncio.Future[Written]:
        if finding not in kept.findings:
            loop = asyncio.get_running_loop()
            kept.findings[finding] = loop.run_in_executor(self._thread, self._write, kept, finding)
            if self._rest is not None:
                self._rest.cancel()
            self._rest = loop.call_later(_IDLE_SECONDS, self._thread.submit, self._writer.end)
        return kept.findings[finding]

    def _write(self, kept: _Kept, finding: Finding) -> Written:
        # Fixes of an earlier analysis are written only for somebody who waits for them.
        if not kept.waiting and self._kept.get(kept.analysis.document.uri) is not kept:
            return Written(finding)
        try:
            return self._writer.write(kept.analysis, finding)
        except (OSError, EOFError, ValueError) as error:
            if not self._closed:
                _log.error("The fixes of %s were not written: %s", finding.rule, error)
            return Written(finding)


class _Writer:
    """The process that writes; begun when it is first needed, and again after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._known: Analysis | None = None

    def write(self, analysis: Analysis, finding: Finding) -> Written:
        """The finding with its fixes; raises OSError, EOFError or ValueError where that fails."""
        process = self._process
        if process is None or process.poll() is not None:
            self.end()
            process = self._process = _begin()
        writing = None
        if self._known is not analysis:
            writing = Writing(
                analysis.document,
                analysis.settings,
                analysis.device.id,
                dict(analysis.texts),
                analysis.tables,
            )
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        try:
            send(process.stdin, Request(writing, finding))  # type: ignore[arg-type]
            answer = receive(process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError):
            self.end()
            raise
        finally:
            timer.cancel()
        self._known = analysis
        if isinstance(answer, str):
            raise ValueError(answer)
        assert isinstance(answer, Written)
        return answer

    def kill(self) -> None:
        """Makes the process give up what it is writing; may be called from another thread."""
        process = self._process
        if process is not None:
            process.kill()

    def end(self) -> None:
        """Ends the process; the next finding begins another."""
        process, self._process, self._known = self._process, None, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()


def _begin() -> subprocess.Popen[bytes]:
    """The process, in the folder that this program lies in: its own modules come first, no workspace's."""
    return subprocess.Popen(
        [sys.executable, "-c", _COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Not the server's, which its client may wait to see closed.
        stderr=subprocess.DEVNULL,
        cwd=Path(advisor.__file__).parent.parent,
    )

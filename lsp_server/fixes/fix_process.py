"""The process that writes fixes, begun when it is first needed and again after it was lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import advisor
from advisor.model.findings import Finding
from lsp_server.fixes.fix_writing import Request, Written, receive, send

_SECONDS = 30.0
_COMMAND = "from lsp_server.fixes.fix_writing import serve; serve()"


class FixProcess:
    """Asked one thing at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._known: bytes | None = None

    def write(self, writing: bytes, finding: Finding) -> Written:
        """The finding with its fixes; raises OSError, EOFError or ValueError where that fails.

        `writing` is a pickled `Writing`, sent only where it is another one than before.
        """
        process = self._process
        if process is None or process.poll() is not None:
            self.end()
            process = self._process = _begin()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        known = self._known is not None and self._known == writing
        try:
            send(process.stdin, Request(None if known else writing, finding))  # type: ignore[arg-type]
            answer = receive(process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError):
            self.end()
            raise
        finally:
            timer.cancel()
        self._known = writing
        if isinstance(answer, str):
            raise ValueError(answer)
        assert isinstance(answer, Written)
        return answer

    def kill(self) -> None:
        """Make the process give up what it is writing; may be called from another thread."""
        process = self._process
        if process is not None:
            process.kill()

    def end(self) -> None:
        """End the process; the next finding begins another."""
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

"""The process that writes fixes as edits, for the server asks more of its own than to wait for a parser.

LibCST reads a file of a thousand lines in a good part of a second, in which no other thread of its process
gets anywhere, and keeps a tree that is a hundred times larger than the text. The process runs no code but its
own, and ends with the server that it belongs to.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from advisor.findings import Finding
from advisor.metrics.tables import Tables

_HEADER = struct.Struct(">Q")


@dataclass(frozen=True)
class Writing:
    """What fixes are written from: texts by path from the document's root, tables, and where proofs lie."""

    texts: Mapping[str, str]
    tables: Tables
    root: Path
    device: str


@dataclass(frozen=True)
class Request:
    """A finding whose fixes are wanted; `writing` is None where it is that of the request before."""

    writing: Writing | None
    finding: Finding


def send(stream: BinaryIO, message: object) -> None:
    """Nothing; writes one message: eight bytes of length, then a pickle. Both ends are this program."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message; raises EOFError when the other end is gone."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise EOFError
    (length,) = _HEADER.unpack(header)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def serve() -> None:
    """Nothing; answers requests on standard input until that ends: a finding with its fixes, or a failure."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    writer: WritingDesk | None = None
    while True:
        try:
            request: Request = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if request.writing is not None:
                writer = WritingDesk(request.writing)
            answer: object = writer.written(request.finding) if writer is not None else "nothing is known"
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        send(answers, answer)


class WritingDesk:
    """Writes the fixes of one analysis; files are parsed when a fix first asks for them."""

    def __init__(self, writing: Writing) -> None:
        from advisor.fixes.writing import FixWriter

        self._given = writing
        self._writer = FixWriter(writing.texts, writing.tables)

    def written(self, finding: Finding) -> Finding:
        """The finding with its fixes as edits, and with what was proven of these."""
        from advisor.fixes import known_fixes
        from advisor.fixes.proofs import with_proofs

        given = self._given
        found = self._writer.with_edits(finding, [fix for fix in known_fixes() if finding.rule in fix.rules])
        (proven,) = with_proofs([found], given.texts, given.root, given.device)
        return proven

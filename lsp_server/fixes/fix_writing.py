"""The process that writes fixes as edits: in a thread of the server, what is typed would wait for them.

That thread would check the files again that launch a document's kernels, and the search for garbage behind
it stops all threads, for up to half a second (docs/decisions/0015). The process runs no code but its own,
and ends with the server that it belongs to.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from advisor.model.findings import Finding
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from lsp_server.documents.document import Document

if TYPE_CHECKING:
    from advisor.evidence.metrics.tables import Tables

_HEADER = struct.Struct(">Q")


@dataclass(frozen=True)
class Writing:
    """What fixes are written from: a document, texts by path from its root, and what is known of them.

    `workspace_files` are the files that may launch the document's kernels, `with_errors` the paths of those
    texts that do not parse.
    """

    document: Document
    settings: Config
    device: str
    workspace_files: tuple[Path, ...]
    texts: Mapping[str, str]
    tables: Tables
    with_errors: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Written:
    """A finding with its fixes, and the texts that these edit, by path from the document's root."""

    finding: Finding
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A finding whose fixes are wanted; `writing`, pickled, is None where it is that of the last request."""

    writing: bytes | None
    finding: Finding


def send(stream: BinaryIO, message: object) -> None:
    """Write one message: eight bytes of length, then a pickle. Both ends are this program."""
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
    """Answer requests on standard input until that ends: with `Written`, or a failure's text."""
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
                writer = WritingDesk(pickle.loads(request.writing))
            answer: object = writer.written(request.finding) if writer is not None else "nothing is known"
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        send(answers, answer)


class WritingDesk:
    """Writes the fixes of one analysis; files are parsed when a fix first asks for them."""

    def __init__(self, given: Writing) -> None:
        from advisor.fixes.writing import FixWriter

        self._settings, self._device = given.settings, given.device
        known = _with_launches(given)
        self._texts = known.texts
        self._writer = FixWriter(known.texts, known.tables, known.with_errors)

    def written(self, finding: Finding) -> Written:
        """The finding with its fixes as edits, and with what running them showed."""
        from advisor.fixes import known_fixes
        from advisor.fixes.proofs import with_proofs

        found = self._writer.with_edits(finding, [fix for fix in known_fixes() if finding.rule in fix.rules])
        (tried,) = with_proofs([found], self._writer.readable, self._settings.root, self._device)
        return Written(tried, {path: self._texts[path] for path in tried.paths()})


def _with_launches(given: Writing) -> Writing:
    """The same, with texts and tables that have the launches of the document's kernels in other files.

    An analysis takes from these files only how kernels are launched; to edit them their launches must be
    known one by one, from the evidence of all these files together.
    """
    if not given.workspace_files:
        return given
    options = CheckOptions(
        device=given.device,
        root=given.document.root,
        evidence="source",
        no_run=True,
        settings=given.settings,
        jobs=1,
        stdin=given.document.source,
        workspace_files=given.workspace_files,
        fixes=False,
        proofs=False,
    )
    from advisor.check.pipeline import Check  # which takes a moment to import

    evidence = Check(given.workspace_files, options).evidence()
    tables = evidence.metrics.tables
    launches = tables.get("launch")
    if launches is None or set(launches.paths) <= {given.document.path}:
        return given
    return replace(
        given, texts=evidence.source.texts, tables=tables, with_errors=frozenset(evidence.report.unread)
    )

"""What the server knows of rule files while a client is connected; rulebooks have a thread of their own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from pygls.workspace import PositionCodec

from lsp_server.rule_files.documents import RuleDocument, open_rule_document, open_rule_documents

if TYPE_CHECKING:
    from lsp_server.rule_files.snapshot import Snapshot
    from lsp_server.session import AdvisorServer

T = TypeVar("T")
_log = logging.getLogger(__name__)
_sessions: WeakKeyDictionary[AdvisorServer, RuleSession] = WeakKeyDictionary()


def rules_of(server: AdvisorServer) -> RuleSession:
    """What a server knows of rule files."""
    if server not in _sessions:
        _sessions[server] = RuleSession()
    return _sessions[server]


class RuleSession:
    """Answers questions about rule files, each from the texts as they are when it is asked."""

    def __init__(self) -> None:
        # Much is imported only when the first rule file is opened: a server is to start quickly.
        from lsp_server.rule_files.books import RuleBooks

        self.books = RuleBooks()
        self._thread = ThreadPoolExecutor(1, "rules")

    async def answer(self, ls: AdvisorServer, uri: str, work: Callable[[Snapshot], T], otherwise: T) -> T:
        """What `work` makes of a document; `otherwise` for one that is not open, or after a logged fault."""
        document = open_rule_document(ls.workspace, uri)
        if document is None:
            return otherwise
        every, codec = open_rule_documents(ls.workspace), ls.workspace.position_codec
        try:
            return await self.run(lambda: work(self._snapshot(document, every, codec)))
        except Exception:
            _log.exception("A question about %s failed.", document.file)
            return otherwise

    async def run(self, work: Callable[[], T]) -> T:
        """The result of work on the rulebooks."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _snapshot(
        self, document: RuleDocument, every: Sequence[RuleDocument], codec: PositionCodec
    ) -> Snapshot:
        from lsp_server.rule_files.folders import place_in
        from lsp_server.rule_files.snapshot import Snapshot

        opened = self.books.of(document, every)
        places = ((place_in(one.file, opened.folders), one.uri) for one in every)
        uris = {place[1]: uri for place, uri in places if place is not None}
        return Snapshot(document, opened.book, opened, codec, uris)

"""The server: what it offers, and how it runs."""

from __future__ import annotations

import logging

from lsprotocol import types

from advisor.model.processes.gc_paused import freeze_for_good
from lsp_server.features import register_all
from lsp_server.protocol import stdio
from lsp_server.protocol import tcp as port
from lsp_server.session import AdvisorServer


def shutdown(ls: AdvisorServer, params: None) -> None:  # noqa: ARG001
    """End what is under way: the client is about to end the server."""
    ls.end()


def build_server() -> AdvisorServer:
    """A server that answers everything it offers, not yet connected."""
    server = AdvisorServer()
    server.feature(types.SHUTDOWN)(shutdown)
    register_all(server)
    return server


def main(tcp: str = "", server: AdvisorServer | None = None) -> int:
    """0 when the client has ended the session in due form, else 1.

    Speaks over standard input and output, or at the port that `tcp` names as `[HOST:]PORT`. Raises UsageError
    for other text and for a port that is not free. `server` is one that was built already.
    """
    place = port.address(tcp) if tcp else None
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    server = server or build_server()
    # What is there now stays to the end: the collector need not look at it again and again.
    freeze_for_good()
    if place is not None:
        port.serve(server, *place)
    else:
        stdio.serve(server)
    properly = server.shut_down
    if not properly:
        server.end()
    return 0 if properly else 1

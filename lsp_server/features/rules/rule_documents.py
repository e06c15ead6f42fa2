"""What is offered for rule files alone."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add the announcement."""
    server.dispatcher.hear(types.INITIALIZED)(announce)


def announce(ls: AdvisorServer, params: types.InitializedParams) -> None:  # noqa: ARG001
    """Register what is offered for rule files, now that the client is ready."""
    ls.dispatcher.announce(ls)

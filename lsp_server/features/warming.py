"""What the server loads once a client is connected, before it is asked."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.analysis.warming import warm
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add what follows when the client is ready."""
    server.dispatcher.hear(types.INITIALIZED)(initialized)


async def initialized(ls: AdvisorServer, params: types.InitializedParams) -> None:  # noqa: ARG001
    """Load what the first question needs, now that the client is ready; whatever it asks goes first."""
    await warm(ls)

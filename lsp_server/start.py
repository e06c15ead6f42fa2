"""The server's start, as quick as it can be: an editor waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.protocol.generated_code import beside_modules, generated_code_kept

if TYPE_CHECKING:
    from lsp_server.session import AdvisorServer


def prepared_server() -> AdvisorServer:
    """The server, not yet connected, with all that it needs imported; raises ImportError without pygls."""
    with generated_code_kept(beside_modules()):
        from lsp_server.server import build_server

        return build_server()
